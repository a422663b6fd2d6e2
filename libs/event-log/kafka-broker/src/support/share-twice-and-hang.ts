import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** As a run of tests does: has two processes ask for the shared broker at once, says what both got, and hangs. */
const module = fileURLToPath(new URL('./share-and-end.ts', import.meta.url));
const urls = [1, 2].map(async () => {
  const child = spawn(process.execPath, ['--import', 'tsx', module], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  return said.toString().trim();
});
process.stdout.write(`${JSON.stringify(await Promise.all(urls))}\n`);
setInterval(() => undefined, 60_000);
