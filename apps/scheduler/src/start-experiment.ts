import type { BlobStore } from '@whale/blob-store';
import type { ExperimentStarted, ExperimentSubmitted, Spec, Split } from '@whale/contracts';
import type { Domain } from '@whale/domain-api';

export interface StartParts {
  blobs: BlobStore;
  loadDomain: (spec: Spec['domain']) => Promise<Domain>;
  /** Bytes of θ₀. */
  loadInitialWeights: () => Promise<Uint8Array>;
}

/** Fixes what an experiment stands on: θ₀ and h₀ in the blob store, the task ids of each split. */
export async function startExperiment(
  { experimentId, spec }: ExperimentSubmitted['data'],
  { blobs, loadDomain, loadInitialWeights }: StartParts,
): Promise<ExperimentStarted> {
  const domain = await loadDomain(spec.domain);
  const weights = await blobs.put(await loadInitialWeights());
  const { uri, sha256: id, bytes } = await blobs.put(new TextEncoder().encode(domain.seedHarness));
  const ids = (split: Split) => domain.tasks(split).map((task) => task.id);
  return {
    type: 'whale.experiment.started.v1',
    data: {
      experimentId,
      spec,
      weights: { ...weights, version: 'w0' },
      harness: { id, uri, bytes },
      splits: { weight: ids('weight'), harness: ids('harness'), validation: ids('validation'), test: ids('test') },
    },
  };
}
