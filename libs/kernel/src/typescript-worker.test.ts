import { once } from 'node:events';
import { expect, test } from 'vitest';
import { sha256, spawnTypeScriptWorker } from './index.ts';

test('a TypeScript module runs in a worker thread, with its workerData and imports across packages', async () => {
  const worker = spawnTypeScriptWorker(new URL('./fixtures/echo-worker.ts', import.meta.url), {
    workerData: { text: 'θ' },
  });
  const [message] = (await once(worker, 'message')) as [unknown];
  expect(message).toEqual({ text: 'θ', hash: sha256('θ') });
  await worker.terminate();
});

test('a module that is not there is the error event of the worker', async () => {
  const worker = spawnTypeScriptWorker(new URL('./fixtures/no-such-worker.ts', import.meta.url));
  const [error] = (await once(worker, 'error')) as [Error];
  expect(error.message).toContain('no-such-worker.ts');
});
