import { startBroker } from '../broker.ts';

/** Starts a broker, says what process it is and where, and hangs: to be killed. */
const { pid, url } = await startBroker();
process.stdout.write(`${JSON.stringify({ pid, url })}\n`);
setInterval(() => undefined, 60_000);
