import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished, expect, test, vi } from 'vitest';
import { startService } from '../service.ts';
import { ECHO_TOPIC, echo, echoService, request } from '../support/echo-service.ts';
import { recordOf, recordsOn, temporaryPlatform } from '../support/temporary-platform.ts';

const CHILD = fileURLToPath(new URL('../support/work-child.ts', import.meta.url));

test('W2: the work of a killed process is taken over at once and has one effect', async () => {
  const platform = await temporaryPlatform();
  const before = await startService(echoService(), platform, {});
  await platform.log.append([recordOf(request('x', 'work'))]);
  const store = platform.store('proposer');
  onTestFinished(() => store.close());
  await vi.waitFor(async () => expect(await store.workPending()).toBe(1), 10_000);
  await before.stop();

  const child = spawn(process.execPath, ['--import', 'tsx', CHILD, join(platform.folder, 'proposer.sqlite')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  expect(said.toString()).toBe('1\n');

  // While the child lives nobody else takes its work.
  let ran = 0;
  const after = await startService(
    echoService(undefined, [
      {
        kind: 'echo',
        concurrency: 1,
        run: async () => {
          ran++;
          return { events: [echo('x', 'done')] };
        },
        failed: () => [],
      },
    ]),
    platform,
    {},
  );
  onTestFinished(() => after.stop());
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(ran).toBe(0);

  child.kill('SIGKILL');
  await exited;
  await vi.waitFor(async () => expect(await recordsOn(platform.log, ECHO_TOPIC)).toHaveLength(1), 10_000);
  expect(ran).toBe(1);
  expect(await store.workPending()).toBe(0);
});
