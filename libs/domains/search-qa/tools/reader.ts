import type { Message } from '@whale/contracts';
import type { Rng } from '@whale/kernel';
import type { RelationKey } from '../src/atlas/relations.ts';
import { HABITS, type Habits } from '../src/corpus/habits.ts';
import { SYSTEM_PROMPTS, type Habit } from '../src/protocol.ts';
import type { Speak } from './native.ts';

/** Never errs: what it does not find was not shown. */
const PERFECT: Habits = { terse: 1, newest: 1, slips: 0, malformed: 0, hops: 1, quits: 0 };

interface Asked {
  name: string;
  /** One relation for each hop. */
  path: RelationKey[];
}

interface Line {
  subject: string;
  relation: RelationKey;
  object: string;
  year: number | undefined;
}

/** A scripted model that sees nothing but its messages: `perfect`, or as careless as the teacher of the corpus. */
export function reader(kind: 'perfect' | 'careless', random: Rng): Speak {
  return (messages) => {
    const habit = habitOf(messages[0]?.content ?? '');
    const habits = kind === 'perfect' ? PERFECT : HABITS[habit];
    const question = messages.find((message) => message.role === 'user')?.content ?? '';
    const asked = parseQuestion(question);
    const lines = messages.filter((message) => message.role === 'tool').flatMap((message) => parse(message.content));
    const query = messages.findLast((message) => message.role === 'assistant')?.content;
    const searched = messages.some((message) => message.role === 'tool');
    const [first, second] = asked.path;
    if (first === undefined) return 'unknown';
    if (!searched && habit !== 'final') return say(random, habits, question, asked.name, first, second);
    const sought =
      query === undefined || query.includes(asked.name) || second === undefined ? asked.name : nameIn(query);
    if (second === undefined || sought !== asked.name) {
      return answer(random, habits, read(random, habits, lines, sought, second ?? first), lines);
    }
    const bridge = read(random, habits, lines, asked.name, first);
    const beyond = bridge === undefined ? undefined : read(random, habits, lines, plain(bridge), second);
    if (beyond !== undefined || bridge === undefined) return answer(random, habits, beyond, lines);
    if (habit === 'final' || random.float() >= habits.hops) return answer(random, habits, bridge, lines);
    return say(random, habits, question, bridge, second, undefined);
  };
}

function habitOf(system: string): Habit {
  const known = Object.entries(SYSTEM_PROMPTS).find(([, text]) => text === system);
  return (known?.[0] as Habit | undefined) ?? 'wordy';
}

export function parseQuestion(question: string): Asked {
  const where = /^Where (?:does|was) (.+) (live|born)\?$/u.exec(question);
  const of = /^\w+ is the (\w+) of (.+)\?$/u.exec(question);
  const outer = where !== null ? (where[2] === 'live' ? 'lives' : 'born') : of?.[1];
  const rest = where?.[1] ?? of?.[2] ?? '';
  const town = /^the town where (.+) (?:was )?(lives|born)$/u.exec(rest);
  const inner = /^the (\w+) of (.+)$/u.exec(rest);
  const path = (town !== null ? [town[2], outer] : inner !== null ? [inner[1], outer] : [outer]) as RelationKey[];
  return { name: town?.[1] ?? inner?.[2] ?? rest, path };
}

function parse(shown: string): Line[] {
  return shown.split('\n').flatMap((line): Line[] => {
    const year = /^(\d+): /u.exec(line)?.[1];
    const fact =
      /(?<s>(?:\w+ )*\w+) (?<k>lives) in (?<o>[\w ]+)\.$/u.exec(line) ??
      /(?<s>(?:\w+ )*\w+) was (?<k>born) in (?<o>[\w ]+)\.$/u.exec(line) ??
      /The (?<k>\w+) of (?<s>[\w ]+) is (?<o>[\w ]+)\.$/u.exec(line);
    const { s, k, o } = fact?.groups ?? {};
    if (s === undefined || k === undefined || o === undefined) return [];
    return [{ subject: plain(s), relation: k as RelationKey, object: o, year: year === undefined ? undefined : +year }];
  });
}

const plain = (mention: string) => mention.replace(/^(?:Lord|Lady|River) /u, '');
const nameIn = (query: string) =>
  plain(
    query
      .match(/[A-Z]\w+/gu)
      ?.filter((w) => !/^Wh/u.test(w))
      .join(' ') ?? '',
  );

function read(random: Rng, habits: Habits, lines: Line[], subject: string, relation: RelationKey): string | undefined {
  const saying = lines.filter((line) => line.subject === subject && line.relation === relation);
  if (saying.length > 0 && random.float() < habits.slips) return random.pick(lines).object;
  const newest = saying.reduce<Line | undefined>(
    (a, b) => (a === undefined || (b.year ?? 0) > (a.year ?? 0) ? b : a),
    undefined,
  );
  if (newest === undefined) return undefined;
  return random.float() < habits.newest ? newest.object : random.pick(saying).object;
}

function say(
  random: Rng,
  habits: Habits,
  question: string,
  name: string,
  relation: RelationKey,
  outer: RelationKey | undefined,
): string {
  if (random.float() < habits.terse) return `search: ${name} ${relation}`;
  const wordy = [`the ${relation} of ${name}`, `Who is the ${relation} of ${name}?`, name, question];
  return `search: ${random.pick(outer === undefined ? wordy : [...wordy, `${name} ${outer}`])}`;
}

function answer(random: Rng, habits: Habits, name: string | undefined, lines: Line[]): string {
  if (name === undefined || random.float() < habits.quits) return 'unknown';
  if (random.float() >= habits.malformed) return `answer: ${name}`;
  const other = lines.find((line) => line.object !== name)?.object ?? name;
  return random.pick([`the answer is ${name}.`, name, `answer: ${name}.\nIt says so.`, `answer: ${name} or ${other}`]);
}

export type { Message };
