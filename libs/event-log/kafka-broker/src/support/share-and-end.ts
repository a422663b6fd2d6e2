import { sharedBroker } from '../shared-broker.ts';

/** As a test file of a run does: says where the shared broker is, and ends. */
process.env['VITEST'] = 'true';
const { url } = await sharedBroker();
process.stdout.write(`${url}\n`);
