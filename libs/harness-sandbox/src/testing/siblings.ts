import type { Effect } from '@whale/contracts';
import { sha256 } from '@whale/kernel';
import type { HarnessRun } from '../rollout-run.ts';
import { harness } from './sources.ts';

/**
 * A well-behaved harness that looks at its VM too: whatever another rollout has changed would show, in what is there
 * (names of globals and of prototypes), in what built-ins do, or in the answer.
 */
const SIBLING = harness(`
  const names = (o: any) => Reflect.ownKeys(o).map(String).join();
  const kinds = [Object, Array, Function, String, Error, Map, RegExp, Symbol, JSON, Math, Reflect];
  const here = kinds.flatMap((kind: any) => [names(kind), kind.prototype ? names(kind.prototype) : '']);
  const seen = [names(globalThis), ...here, [3, 1, 2].sort().join(''), 'a-b'.replace(/-/g, '+'), JSON.stringify({ a: [1] })];
  const heard: string[] = [];
  for (let i = 0; i < task.effects; i++) {
    const r = yield* tool('sibling', { id: task.id, i });
    heard.push(r.text);
  }
  const reply = yield* generate([{ role: 'user', content: heard.join() }]);
  return { answer: JSON.stringify({ seen, said: reply.text }) };
`);

interface Place {
  run(input: {
    source: string;
    task: { id: number; effects: number };
    limits: { stepMillis: number };
    onEffect: (effect: Effect, index: number) => Promise<unknown>;
  }): Promise<HarnessRun>;
}

/** CPU ms. Siblings must not be blamed for a machine that is slow. */
const PATIENCE = 60_000;

/** Well-behaved rollouts beside attacks, all alike, so that all answers are known from the first. */
export class Siblings {
  readonly #place: Place;
  readonly #asked = new Set<string>();
  /** What VMs look like when nothing has happened in them. */
  #pristine: string | undefined;
  /** One for each that came out otherwise than it should. */
  readonly harmed: string[] = [];
  finished = 0;
  #nextId = 1;

  constructor(place: Place) {
    this.#place = place;
  }

  /** One rollout. Each of its effects takes as long as `delay` says. */
  async start(effects: number, delay: () => Promise<unknown>): Promise<void> {
    const id = this.#nextId++;
    const expected = sha256(Array.from({ length: effects }, (_, i) => `${id}/${i}`).join());
    try {
      const { end } = await this.#place.run({
        source: SIBLING,
        task: { id, effects },
        limits: { stepMillis: PATIENCE },
        onEffect: async (effect, index) => {
          this.#askedOnce(`${id}/${index}`);
          await delay();
          if (effect.type === 'tool') return { text: `${String(effect.args['id'])}/${String(effect.args['i'])}` };
          return { text: sha256(effect.messages.at(-1)?.content ?? ''), finish: 'stop' };
        },
      });
      this.#judge(id, expected, end);
    } catch (error) {
      this.harmed.push(`${id}: rejected: ${String(error)}`);
    }
    this.finished += 1;
  }

  #askedOnce(effect: string): void {
    if (this.#asked.has(effect)) this.harmed.push(`${effect}: asked twice`);
    this.#asked.add(effect);
  }

  #judge(id: number, expected: string, end: HarnessRun['end']): void {
    if (end.kind !== 'answered') {
      this.harmed.push(`${id}: ${JSON.stringify(end)}`);
      return;
    }
    const { seen, said } = JSON.parse(end.answer) as { seen: unknown; said: string };
    const text = JSON.stringify(seen);
    this.#pristine ??= text;
    if (said !== expected) this.harmed.push(`${id}: said ${said}`);
    if (text !== this.#pristine) this.harmed.push(`${id}: its VM was not as new`);
  }
}
