import { startBroker } from '../broker.ts';

/** Starts a broker, says what process it is, and hangs: to be killed. */
const { pid } = await startBroker();
process.stdout.write(`${JSON.stringify({ pid })}\n`);
setInterval(() => undefined, 60_000);
