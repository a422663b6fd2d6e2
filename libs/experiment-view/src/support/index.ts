export { idOf, scriptedExperiment, type ScriptedExperiment, type ScriptedOptions } from './scripted-experiment.ts';
export { ScriptedWorld, type Script } from './scripted-world.ts';
