import { startBroker } from '../broker.ts';

/** Starts a broker, says where it is, and hangs: to be killed. */
const { pid, brokers } = await startBroker();
process.stdout.write(`${JSON.stringify({ pid, brokers })}\n`);
setInterval(() => undefined, 60_000);
