// npm run kafka [-- --sasl] [--tls] [--port N]: a broker until Ctrl-C.
import { parseArgs } from 'node:util';
import { InputError, WhaleError } from '@whale/kernel';
import { startBroker, USERS, type Broker } from '../src/index.ts';

function portOf(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 1 && port <= 65_535) return port;
  throw new InputError(`--port ${text}: expected a whole number from 1 to 65535`);
}

function options(): { sasl: boolean; tls: boolean; port: number } {
  try {
    const { values } = parseArgs({
      options: {
        sasl: { type: 'boolean', default: false },
        tls: { type: 'boolean', default: false },
        port: { type: 'string', default: '9092' },
      },
    });
    return { ...values, port: portOf(values.port) };
  } catch (error) {
    if (error instanceof InputError) throw error;
    throw new InputError(`${(error as Error).message}; usage: npm run kafka -- [--sasl] [--tls] [--port N]`, {
      cause: error,
    });
  }
}

async function main(): Promise<void> {
  const { sasl, tls, port } = options();
  const broker = await startBroker({ sasl: sasl || tls, tls, port, log: console.log });
  const { url, brokers, stop } = broker;
  if (process.env['KAFKA_BROKERS']) {
    console.log(`KAFKA_BROKERS is set, and Kafka answers there: ${url}. Nothing is started.`);
    return;
  }
  console.log(`Kafka answers at ${url}; Ctrl-C ends it and removes its data.\n`);
  if (sasl || tls) tellUsers(broker);
  else console.log(`export KAFKA_BROKERS=${brokers.join(',')}   # tests then use it instead of one of their own`);
  console.log(`npx whale run examples/atlas-small.yaml --log ${broker.tls?.scramUrl ?? url}`);
  const awake = setInterval(() => undefined, 60_000);
  const end = () => {
    clearInterval(awake);
    stop().catch(fail);
  };
  process.once('SIGINT', end);
  process.once('SIGTERM', end);
}

function tellUsers({ tls, password }: Broker): void {
  if (tls) console.log(`export WHALE_KAFKA_TLS_CA=${tls.ca} WHALE_KAFKA_SASL_MECHANISM=scram-sha-512, and one of`);
  else console.log('export WHALE_KAFKA_SASL_MECHANISM=plain, and one of');
  for (const user of USERS) console.log(`export WHALE_KAFKA_USERNAME=${user} WHALE_KAFKA_PASSWORD=${password(user)}`);
  if (!tls) return;
  const { user, cert, key } = tls.client;
  console.log(`By a certificate, as ${user}, at ${tls.mutualUrl}:`);
  console.log(`export WHALE_KAFKA_TLS_CA=${tls.ca} WHALE_KAFKA_TLS_CERT=${cert} WHALE_KAFKA_TLS_KEY=${key}\n`);
}

function fail(error: unknown): void {
  if (!(error instanceof WhaleError)) throw error;
  console.error(error.message);
  process.exitCode = error instanceof InputError ? 2 : 3;
}

main().catch(fail);
