import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openState } from './open-state.ts';

it('keeps the offsets of one log apart from those of another', async () => {
  const data = await mkdtemp(join(tmpdir(), 'whale-state-'));
  onTestFinished(() => rm(data, { recursive: true, force: true }));
  const at = { topic: 't', partition: 0 };
  const states = await Promise.all([
    openState({ data, log: null, database: null }, {}),
    openState({ data, log: 'kafka://a:9092', database: null }, {}),
    openState({ data, log: 'kafka://a:9092', database: null }, { WHALE_KAFKA_TOPIC_PREFIX: 'test.' }),
    openState({ data, log: 'kafka://b:9092', database: null }, {}),
  ]);
  for (const [i, state] of states.entries()) {
    expect(await state.store('scheduler').exists()).toBe(false);
    const store = state.store('scheduler').open();
    expect(await store.checkpoint(at)).toBeUndefined();
    await store.commit({ checkpoint: { from: undefined, to: { ...at, offset: i + 1 } } });
    await store.close();
  }
  const places = states.map(({ readModels }) => JSON.stringify(readModels));
  expect(new Set(places).size).toBe(4);
});
