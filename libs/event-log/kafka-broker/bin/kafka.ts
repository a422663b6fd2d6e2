// npm run kafka [-- --sasl] [--port N]: a broker until Ctrl-C.
import { parseArgs } from 'node:util';
import { startBroker, USERS } from '../src/index.ts';

const { values } = parseArgs({
  options: { sasl: { type: 'boolean', default: false }, port: { type: 'string', default: '9092' } },
});
const port = Number(values.port);
if (!Number.isInteger(port) || port < 1 || port > 65_535) {
  console.error(`--port: expected a number from 1 to 65535, not ${JSON.stringify(values.port)}`);
  process.exit(2);
}
try {
  const broker = await startBroker({ sasl: values.sasl, port, log: (line) => console.log(line) });
  console.log(`Kafka answers at ${broker.url}; Ctrl-C ends it and removes its data.\n`);
  console.log(`  npx whale run examples/atlas-small.yaml --log ${broker.url}`);
  console.log(`  export KAFKA_BROKERS=${broker.brokers.join()}   # for tests and tools that should use this one`);
  if (values.sasl) {
    console.log('\nSASL/PLAIN users:');
    for (const user of USERS)
      console.log(`  WHALE_KAFKA_USERNAME=${user} WHALE_KAFKA_PASSWORD=${broker.password(user)}`);
  }
  const end = async () => {
    await broker.stop();
    process.exit(0);
  };
  process.once('SIGINT', () => void end());
  process.once('SIGTERM', () => void end());
  setInterval(() => undefined, 1 << 30);
} catch (error) {
  console.error((error as Error).message);
  process.exit(3);
}
