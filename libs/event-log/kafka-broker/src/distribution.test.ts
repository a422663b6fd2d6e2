import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { brokerAvailability, kafkaJars } from './distribution.ts';
import { KAFKA_VERSION } from './settings.ts';

/** A machine that has just these commands, scripts of the shell, and an empty cache. */
function machine(commands: Record<string, string>): NodeJS.ProcessEnv & { WHALE_CACHE: string } {
  const folder = mkdtempSync(join(tmpdir(), 'kafka-distribution-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  for (const [name, script] of Object.entries(commands)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }
  return { PATH: bin, WHALE_CACHE: join(folder, 'cache') };
}

const JAVA = 'echo "openjdk 17.0.15 2025-04-15"';
/** The jars come one after the other. */
const maven = (pauseS: number) => `
PATH="${process.env['PATH'] ?? ''}${delimiter}/bin"
for word; do case $word in -DoutputDirectory=*) folder=\${word#*=};; esac; done
echo run >>"$WHALE_CACHE/runs"
echo 1 >"$folder/one.jar"; sleep ${pauseS}; echo 2 >"$folder/two.jar"`;
const MAVEN = maven(0);

test('a broker is had from KAFKA_BROKERS, else Docker, else Java and Maven', () => {
  const all = machine({ docker: 'echo 27.0', java: JAVA, mvn: 'echo Maven' });
  expect(brokerAvailability({ ...all, KAFKA_BROKERS: 'a:1' })).toEqual({ available: true, how: 'KAFKA_BROKERS' });
  expect(brokerAvailability(all)).toEqual({ available: true, how: 'docker' });
  const noEngine = machine({ docker: 'echo; exit 1', java: JAVA, mvn: 'echo Maven' });
  expect(brokerAvailability(noEngine)).toEqual({ available: true, how: 'java' });
});

test('what is missing is said', () => {
  expect(brokerAvailability(machine({}))).toEqual({ available: false, why: expect.stringContaining('no Java') });
  const old = machine({ java: 'echo "openjdk 11.0.2 2019-01-15"', mvn: 'echo Maven' });
  expect(brokerAvailability(old)).toEqual({ available: false, why: expect.stringContaining('Java 11') });
  const noMaven = machine({ java: JAVA });
  expect(brokerAvailability(noMaven)).toEqual({ available: false, why: expect.stringContaining('no Maven') });
});

test('Kafka fetched once needs no Maven any more', async () => {
  const env = machine({ java: JAVA, mvn: MAVEN });
  await kafkaJars(() => undefined, env);
  rmSync(join(env.PATH as string, 'mvn'));
  expect(brokerAvailability(env)).toEqual({ available: true, how: 'java' });
});

test('1, 2: of two that ask at once one fetches, and both get the whole folder', async () => {
  const env = machine({ mvn: maven(1) });
  const lines: string[] = [];
  const ask = async () => readdirSync(await kafkaJars((line) => lines.push(line), env)).sort();
  expect(await Promise.all([ask(), ask()])).toEqual([
    ['one.jar', 'two.jar'],
    ['one.jar', 'two.jar'],
  ]);
  expect(readFileSync(join(env.WHALE_CACHE, 'runs'), 'utf8')).toBe('run\n');
  expect(lines).toHaveLength(1);
});

test('1: a download that fails leaves nothing, and the next one is tried', async () => {
  const env = machine({ mvn: `${MAVEN}\necho "no network"; exit 1` });
  await expect(kafkaJars(() => undefined, env)).rejects.toThrow('no network');
  expect(readdirSync(env.WHALE_CACHE)).toEqual(['runs']);
  writeFileSync(join(env.PATH as string, 'mvn'), `#!/bin/sh\n${MAVEN}\n`);
  expect(existsSync(await kafkaJars(() => undefined, env))).toBe(true);
});

test('2: one that was killed while it fetched holds up nobody', async () => {
  const env = machine({ mvn: MAVEN });
  mkdirSync(env.WHALE_CACHE);
  const lock = join(env.WHALE_CACHE, `kafka-${KAFKA_VERSION}.lock`);
  writeFileSync(lock, '');
  utimesSync(lock, 0, 0);
  expect(existsSync(await kafkaJars(() => undefined, env))).toBe(true);
});

test('3: what another has brought meanwhile is used', async () => {
  const env = machine({
    mvn: `${MAVEN}\nmkdir "$WHALE_CACHE/kafka-${KAFKA_VERSION}"; echo >"$WHALE_CACHE/kafka-${KAFKA_VERSION}/other.jar"`,
  });
  expect(readdirSync(await kafkaJars(() => undefined, env))).toEqual(['other.jar']);
  expect(readdirSync(env.WHALE_CACHE).sort()).toEqual([`kafka-${KAFKA_VERSION}`, 'runs']);
});
