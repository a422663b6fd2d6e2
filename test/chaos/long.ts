// The long chaos run: 100 kills of service processes and some of the broker during one experiment on Kafka and
// PostgreSQL, compared with a quiet run on the embedded log. Ends with exit code 0 when nothing differs.
//
//   npx tsx test/chaos/long.ts [--kills 100] [--broker-kills 8] [--away SECONDS] [--spec test/support/tiny.yaml] [--seed S]
import { parseArgs } from 'node:util';
import { startPostgres } from '@whale/test-postgres';
import { Place } from '../support/place.ts';
import { scratchFolder } from '../support/whale-process.ts';
import { chaosOnKafka } from './kafka.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '100' },
    'broker-kills': { type: 'string', default: '8' },
    away: { type: 'string', default: '0' },
    spec: { type: 'string', default: 'test/support/tiny.yaml' },
    seed: { type: 'string', default: new Date().toISOString() },
  },
});
const started = Date.now();
const log = (line: string) => console.log(`${((Date.now() - started) / 1000).toFixed(0).padStart(5)} s  ${line}`);
const folder = scratchFolder('quiet');
const postgres = await startPostgres();
try {
  const quiet = new Place({ data: folder.path });
  log(`quiet run of ${values.spec} on the embedded log`);
  const run = await quiet.whale('run', values.spec);
  if (run.code !== 0) throw new Error(run.stderr);
  const expected = await quiet.show();
  const probe = quiet.probe();
  const records = await probe.records();
  await probe.close();
  log(`state ${expected.stateHash}, rollouts ${JSON.stringify(expected.ledger.rollouts)}`);
  const differences = await chaosOnKafka({
    kills: Number(values.kills),
    brokerKills: Number(values['broker-kills']),
    awayMs: Number(values.away) * 1_000,
    database: postgres.url,
    seed: values.seed,
    spec: values.spec,
    expected,
    records,
    limitMs: 180_000,
    log,
  });
  for (const difference of differences) log(difference);
  log(
    differences.length === 0 ? `equal: ${expected.stateHash} (seed ${values.seed})` : `NOT equal (seed ${values.seed})`,
  );
  process.exitCode = differences.length === 0 ? 0 : 1;
} finally {
  await postgres.stop();
  folder.remove();
}
