export { EmbeddedTrainer, type EmbeddedTrainerOptions } from './embedded-trainer.ts';
