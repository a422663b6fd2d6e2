import { writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { format, resolveConfig } from 'prettier';
import { KAFKA_VERSION } from '@whale/kafka-broker';
import type { Section } from './bench.ts';

const GIB = 2 ** 30;
/** Of the second of the run: the bench itself is not in it yet. */
const [LOAD_BEFORE = 0] = loadavg();

/** The whole page, as Prettier would have it. */
export async function document(sections: readonly Section[], args: readonly string[]): Promise<string> {
  const command = ['npx tsx test/bench/log.ts', ...args].join(' ');
  const text = [
    '# Benchmarks of the log',
    `Made by \`${command}\` on ${machine()}. Broker, services and this program share the machine. ` +
      'What is compared runs in turns (A B A B …) in the same run against the same broker: a cell is the median of the ' +
      'repetitions (smallest–largest), a ratio is formed for each pair of neighbours. Absolute numbers are of this machine; the ratios carry over.',
    ...sections.flatMap(({ heading, text }) => [`## ${heading}`, text]),
  ].join('\n\n');
  return format(text, { ...(await resolveConfig('docs/benchmarks.md')), parser: 'markdown' });
}

export function writeDocument(path: string, text: string): void {
  writeFileSync(path, text);
}

function machine(): string {
  const [cpu] = cpus();
  const kafka = process.env['KAFKA_BROKERS'] ? 'the Kafka of KAFKA_BROKERS' : `Kafka ${KAFKA_VERSION}`;
  return (
    `${cpus().length} cores (${cpu?.model.trim() ?? 'unknown'}), ${Math.round(totalmem() / GIB)} GiB, Node ${process.versions.node}, ${kafka}, ` +
    `kafkajs 2.2.4; load before the start ${LOAD_BEFORE.toFixed(1)}`
  );
}
