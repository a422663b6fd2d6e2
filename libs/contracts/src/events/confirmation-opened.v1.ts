import { z } from 'zod';
import { defineEvent, type EventOf } from '../event-definition.ts';
import { HarnessRef, Id, WeightsRef } from '../primitives.ts';

const Side = z.strictObject({
  harness: HarnessRef,
  /** The evaluation that gave it its search score in this phase. */
  evaluationId: Id,
  /** The group of its fresh rollouts. */
  groupId: Id,
});

export const ConfirmationOpened = defineEvent({
  type: 'whale.confirmation.opened.v1',
  topic: 'whale.schedule.v1',
  summary: 'An apparent winner and the incumbent are to be measured again, on fresh rollouts of the same tasks.',
  key: (data) => data.experimentId,
  subject: (data) => data.confirmationId,
  identity: (data) => [data.experimentId, data.confirmationId],
  data: z.strictObject({
    experimentId: Id,
    confirmationId: Id,
    phaseId: Id,
    cycle: z.int().positive(),
    /** The iteration after which the challenger stood above the incumbent. */
    iteration: z.int().positive(),
    weights: WeightsRef,
    challenger: Side,
    incumbent: Side,
    /** All tasks of D_harness. */
    taskIds: z.array(z.string()),
    /** Of each of the two. */
    rolloutsPerTask: z.int().positive(),
  }),
});
export type ConfirmationOpened = EventOf<typeof ConfirmationOpened>;
