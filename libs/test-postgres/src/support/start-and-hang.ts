import { startPostgres } from '../start-postgres.ts';

/** Starts a server, says where it is, and hangs: to be killed. */
const server = await startPostgres();
process.stdout.write(`${server.url}\n`);
setInterval(() => undefined, 1_000);
