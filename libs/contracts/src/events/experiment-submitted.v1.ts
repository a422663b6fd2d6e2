import { z } from 'zod';
import { Id } from '../primitives.ts';
import { defineEvent, type EventOf } from '../event-definition.ts';
import { Spec } from '../spec.ts';

export const ExperimentSubmitted = defineEvent({
  type: 'whale.experiment.submitted.v1',
  topic: 'whale.experiments.v1',
  summary: 'Somebody asks for an experiment.',
  key: (data) => data.experimentId,
  subject: (data) => data.experimentId,
  identity: (data) => [data.experimentId],
  data: z.strictObject({
    experimentId: Id,
    spec: Spec,
  }),
});
export type ExperimentSubmitted = EventOf<typeof ExperimentSubmitted>;
