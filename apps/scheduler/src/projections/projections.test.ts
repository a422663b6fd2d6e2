import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AnyEvent } from '@whale/contracts';
import { applyEvents, ReadModels } from '@whale/service-kit';
import { onTestFinished, expect, test } from 'vitest';
import { interleave, ofType, scriptedRun } from '../support/scripted-run.ts';
import { started } from '../support/scripted-world.ts';
import { confirm, contested, strategies } from '../support/strategies.ts';
import { projections } from './index.ts';

const start = started({ strategy: strategies.fixed, ...confirm });
const run = scriptedRun(start, { world: contested('projections') });
const events: AnyEvent[] = [...run.inputs, ...run.decided];

async function readModels(): Promise<ReadModels> {
  const folder = await mkdtemp(join(tmpdir(), 'whale-read-'));
  const models = new ReadModels({ path: join(folder, 'read-models.sqlite') });
  onTestFinished(async () => {
    await models.close();
    await rm(folder, { recursive: true, force: true });
  });
  await models.register(projections);
  return models;
}

async function rowsAfter(batches: readonly AnyEvent[][]): Promise<Record<string, Record<string, unknown>[]>> {
  const models = await readModels();
  const rows: Record<string, Record<string, unknown>[]> = {};
  for (const batch of batches) await models.transaction((manager) => applyEvents(manager, projections, batch));
  for (const { table } of projections) {
    const order = Object.fromEntries(Object.keys(table.key).map((name) => [name, 'ASC' as const]));
    rows[table.name] = await models.transaction((manager) => manager.getRepository(table.name).find({ order }));
  }
  return rows;
}

test('the migrations make just the tables that are declared', async () => {
  expect(await (await readModels()).pendingChanges()).toEqual([]);
});

test('a run gives one row an experiment, phase, weight step, evaluation and acceptance, with their numbers', async () => {
  const { experiments, phases, weight_steps, evaluations, acceptances } = await rowsAfter([events]);
  const [end] = ofType(run.decided, 'whale.experiment.ended.v1');
  expect(experiments).toEqual([
    expect.objectContaining({
      experiment_id: start.data.experimentId,
      strategy: 'fixed',
      status: 'completed',
      spec: start.data.spec,
      base_test_mean: end?.data.base?.test.mean,
      best_weights: end?.data.best?.weights,
      rollouts_weight: 72,
    }),
  ]);
  expect(phases?.map((row) => row['end_reason'])).toEqual(['fixed', 'fixed', 'fixed', 'fixed']);
  expect(weight_steps?.map((row) => row['step']).sort()).toEqual([1, 2, 3, 4, 5, 6]);
  for (const row of weight_steps ?? []) {
    expect(row['weights_changed']).toBe(row['weights_after'] !== row['weights_before']);
    expect(row['rollouts_accepted']).toBe(Math.round((row['reward'] as number) * (row['rollouts_measured'] as number)));
  }
  const completed = ofType(run.decided, 'whale.evaluation.completed.v1');
  expect(evaluations).toHaveLength(completed.length);
  const decisions = ofType(run.decided, 'whale.acceptance.decided.v1').map(({ data }) => data);
  expect(decisions.length).toBeGreaterThan(0);
  expect(acceptances).toHaveLength(decisions.length);
  for (const { confirmationId, challenger, paired, accepted, reason } of decisions) {
    expect(acceptances).toContainEqual(
      expect.objectContaining({
        confirmation_id: confirmationId,
        challenger: challenger.harnessId,
        challenger_search_score: challenger.search.score,
        challenger_fresh_score: challenger.fresh.score,
        difference: paired.mean,
        better: paired.better,
        p: paired.p,
        accepted,
        reason,
      }),
    );
  }
  expect(evaluations).toContainEqual(expect.objectContaining(completed[0]?.data.estimate as object));
});

test('the rows do not depend on the order of topics, on batches, or on what comes twice', async () => {
  const once = await rowsAfter([events]);
  const shuffled = interleave(events, 'other');
  const batches = Array.from({ length: 9 }, (_, i) =>
    shuffled.slice((i * shuffled.length) / 9, ((i + 1) * shuffled.length) / 9),
  );
  expect(await rowsAfter([...batches, events])).toEqual(once);
});
