import type { WeightUpdateFailed, WeightUpdateRequested } from '@whale/contracts';
import type { ServiceStore, WorkHandler } from '@whale/service-kit';
import type { Trainer } from '@whale/trainer';
import { trainStep } from './train-step.ts';

export const TRAIN_WORK = 'train';

export function trainWork(store: ServiceStore, trainer: Trainer): WorkHandler {
  return {
    kind: TRAIN_WORK,
    concurrency: 1,
    run: (payload, signal) =>
      trainStep(payload as WeightUpdateRequested['data'], (prefix) => store.documentsUnder(prefix), trainer, signal),
    failed: (payload, error) => {
      const { experimentId, stepId, attempt, final } = payload as WeightUpdateRequested['data'];
      const failed: WeightUpdateFailed = {
        type: 'whale.weight-update.failed.v1',
        data: { experimentId, stepId, attempt, final, error },
      };
      return [failed];
    },
  };
}
