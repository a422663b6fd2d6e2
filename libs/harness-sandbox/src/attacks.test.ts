import type { Effect, RolloutEnd } from '@whale/contracts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HarnessSandbox } from './harness-sandbox.ts';
import { ESCAPED, type Attack } from './testing/attacks/attack.ts';
import { ATTACKS } from './testing/attacks/index.ts';
import { Siblings } from './testing/siblings.ts';
import { threadCpuMillis } from './thread-cpu.ts';

/** CPU ms of a step of an attack that is not meant for the watchdog: a slow machine must not make it one. */
const PATIENCE = 60_000;
/** Wall ms in which all attacks have ended, however busy the machine is. Alone they take some 20 s. */
const DEADLINE = 240_000;
/** CPU ms that the host's event loop may be busy in one go: the watchdog's default limit of a step. */
const MOST_BUSY = 2000;
const CANARY = 'whale-canary-0f3a';

const sandbox = new HarnessSandbox({ workers: 2, maxLive: 64 });
const siblings = new Siblings(sandbox);
const ends = new Map<string, string>();
const escapes: string[] = [];
let busiest = 0;

const sleep = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis));

/** The tools of the attacks. */
function onEffect(attack: Attack) {
  return (effect: Effect): unknown => {
    if (JSON.stringify(effect).includes(CANARY)) escapes.push(`${attack.name}: the environment`);
    if (effect.type === 'generate') return { text: 'r', finish: 'stop' };
    switch (effect.name) {
      case ESCAPED:
        escapes.push(`${attack.name}: ${JSON.stringify(effect.args)}`);
        return null;
      case 'echo':
        return effect.args;
      case 'source':
        return 'x'.repeat(Number(effect.args['bytes']));
      default:
        return null;
    }
  };
}

function outcome(end: RolloutEnd): string {
  if (end.kind === 'answered') return `answered: ${end.answer}`;
  return end.kind === 'truncated' ? `truncated: ${end.reason}` : end.code;
}

async function attempt(attack: Attack): Promise<void> {
  const limits = { stepMillis: PATIENCE, ...attack.limits };
  try {
    const task = { question: 'q', list: [1, 2] };
    const { end } = await sandbox.run({ source: attack.source, task, limits, onEffect: onEffect(attack) });
    if (JSON.stringify(end).includes(CANARY)) escapes.push(`${attack.name}: the environment`);
    if (end.kind === 'harness_error' && end.message.length > 5000)
      escapes.push(`${attack.name}: a message without end`);
    ends.set(attack.name, outcome(end));
  } catch (error) {
    ends.set(attack.name, `rejected: ${String(error)}`);
  }
}

/** All at once; new siblings come as long as there are attacks. */
async function attackWith(attacks: readonly Attack[]): Promise<void> {
  let over = false;
  const crowd = Array.from({ length: 6 }, async () => {
    while (!over) await siblings.start(5, () => sleep(20));
  });
  await Promise.all(attacks.map(attempt));
  over = true;
  await Promise.all(crowd);
}

/** The CPU time that the host's thread uses between two ticks is what it did in one go. */
function watchHost(): () => void {
  let before = threadCpuMillis(process.pid);
  const timer = setInterval(() => {
    const now = threadCpuMillis(process.pid);
    busiest = Math.max(busiest, now - before);
    before = now;
  }, 10);
  return () => clearInterval(timer);
}

const builtIns = [Object, Array, Function, String, Error, Promise, JSON, Reflect, globalThis];
const namesOfHost = (): string[] =>
  builtIns
    .flatMap((o) => [o, (o as { prototype?: object }).prototype ?? {}])
    .flatMap((o) => Reflect.ownKeys(o).map(String));

let hostBefore: string[] = [];

beforeAll(async () => {
  process.env['WHALE_CANARY'] = CANARY;
  hostBefore = namesOfHost();
  // Before the first attack: what the VM of a sibling looks like. It also starts the workers.
  await siblings.start(1, async () => undefined);
  const stop = watchHost();
  let open: () => void = () => {};
  const attacksAreOver = new Promise<void>((resolve) => (open = resolve));
  // They live in both workers through all that happens to these.
  const waiting = Array.from({ length: 4 }, () => siblings.start(3, () => attacksAreOver));
  const isBomb = ({ expect: [outcome] }: Attack): boolean => outcome === 'WATCHDOG';
  await attackWith(ATTACKS.filter((attack) => !isBomb(attack)));
  await attackWith(ATTACKS.filter(isBomb));
  open();
  await Promise.all(waiting);
  stop();
}, DEADLINE);

afterAll(async () => {
  delete process.env['WHALE_CANARY'];
  await sandbox.close();
});

const KINDS = [...new Set(ATTACKS.map(({ kind }) => kind))];

describe('attacks end as they must', () => {
  test.each(KINDS)('%s', (kind) => {
    const wrong = ATTACKS.filter((attack) => attack.kind === kind)
      .map(({ name, expect: outcomes }) => ({ name, outcomes, got: ends.get(name) ?? 'no end' }))
      .filter(({ outcomes, got }) => !outcomes.includes(got));
    expect(wrong).toEqual([]);
  });

  test('there are as many as it says, each with a name of its own', () => {
    expect(ATTACKS.length).toBeGreaterThanOrEqual(100);
    expect(new Set(ATTACKS.map(({ name }) => name)).size).toBe(ATTACKS.length);
  });
});

test('0 escapes', () => {
  expect(escapes).toEqual([]);
  expect(namesOfHost()).toEqual(hostBefore);
});

test('0 siblings harmed', () => {
  expect(siblings.harmed).toEqual([]);
  expect(siblings.finished).toBeGreaterThan(10);
});

test('0 hangs of the host', () => {
  expect(ends.size).toBe(ATTACKS.length);
  expect(busiest).toBeLessThan(MOST_BUSY);
  console.info(
    `${ATTACKS.length} attacks: ${escapes.length} escapes, ${siblings.harmed.length} of ${siblings.finished} siblings ` +
      `harmed, the host was busy for ${busiest} ms of CPU at most`,
  );
});
