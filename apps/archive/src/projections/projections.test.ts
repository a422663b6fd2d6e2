import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applyEvents, ReadModels } from '@whale/service-kit';
import { onTestFinished, expect, test } from 'vitest';
import { feed, harnessIdOf, opened, right, verdicts, type Candidate } from '../support/search.ts';
import { projections } from './index.ts';

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

test('the migrations make just the tables that are declared', async () => {
  expect(await (await readModels()).pendingChanges()).toEqual([]);
});

test('each entry has a row, and a row for each task', async () => {
  const h0: Candidate = { iteration: 0, index: 0, of: 1, outcomes: right(1) };
  const better: Candidate = {
    iteration: 1,
    index: 0,
    of: 1,
    outcomes: ['correct', 'correct', 'truncated', 'verifier_error'],
  };
  const { decided } = feed([h0, better].flatMap((one) => [opened(one), ...verdicts(one)]));
  const models = await readModels();
  await models.transaction((manager) => applyEvents(manager, projections, [...decided, ...decided]));
  const rows = (name: string, ...order: string[]) =>
    models.transaction((manager) =>
      manager.getRepository(name).find({ order: Object.fromEntries(order.map((column) => [column, 'ASC' as const])) }),
    );
  expect(await rows('archive_entries', 'iteration')).toMatchObject([
    { iteration: 0, harness: harnessIdOf(h0), score: 0.25, replaced_harness: null },
    {
      iteration: 1,
      harness: harnessIdOf(better),
      weights: 'w1',
      score: 2 / 3,
      measured: 3,
      truncated: 1,
      verifier_error: 1,
      incumbent: harnessIdOf(better),
      replaced_harness: harnessIdOf(h0),
    },
  ]);
  const outcomes = await rows('archive_outcomes', 'iteration', 'task_id');
  expect(outcomes.map((row) => row['outcome'])).toEqual([...h0.outcomes, ...better.outcomes]);
  expect(outcomes[0]).toMatchObject({ task_id: 't0', diagnostics: { format: true } });
});
