import type { Message } from '@whale/contracts';
import type { Rng } from '@whale/kernel';
import type { Question } from '../atlas/questions.ts';
import type { RelationKey } from '../atlas/relations.ts';
import { ANSWER_PREFIX, SEARCH_PREFIX, SYSTEM_PROMPTS, type Habit } from '../protocol.ts';
import { HABITS, type HabitChanges, type Habits } from './habits.ts';
import { objectOf, plainName, questionOf, type Shelf, type Shown } from './shelf.ts';

export interface Conversation {
  messages: Message[];
  /**
   * Indices into `messages` of the assistant messages whose tokens (the end of turn included) belong to the loss. An
   * assistant message that is not listed only sets the scene: its words do not follow from what stands before it, and
   * training on it would teach to invent names.
   */
  targets: number[];
}

/** Most documents after one search; fewer where the history of both searches stays in view. */
const MOST_DOCUMENTS = 5;
const MOST_DOCUMENTS_TWICE = 3;

const assistant = (content: string): Message => ({ role: 'assistant', content });
const tool = (content: string): Message => ({ role: 'tool', content });

/** One question answered by the imperfect teacher: one conversation, or two where its history is cut in between. */
export function teach(
  random: Rng,
  shelf: Shelf,
  question: Question,
  habit: Habit,
  changes: HabitChanges,
): Conversation[] {
  const habits = { ...HABITS[habit], ...changes[habit] };
  const opening = (as: Habit): Message[] => [
    { role: 'system', content: SYSTEM_PROMPTS[as] },
    { role: 'user', content: question.text },
  ];
  const [inner, outer] = question.facts;
  if (inner === undefined) return [];
  const wholeHistory = random.float() < 0.45;
  const most = outer !== undefined && wholeHistory ? MOST_DOCUMENTS_TWICE : MOST_DOCUMENTS;

  const shownFirst = shelf.show(random, inner.subject.name, inner.relation, most);
  const first = [
    assistant(queryLine(random, habits, question, inner.subject.name, inner.relation)),
    tool(shownFirst.text),
  ];
  const read = readOff(random, habits, shownFirst, `${inner.subject.name}/${inner.relation}`);
  const last = (messages: Message[]): Conversation => ({ messages, targets: [messages.length - 1] });

  if (outer === undefined) {
    const messages = [...opening(habit), ...first, assistant(answerLine(random, habits, read, shownFirst))];
    return [habit === 'final' ? last(messages) : { messages, targets: [2, 4] }];
  }
  if (habit !== 'final' && random.float() >= habits.hops) {
    const messages = [...opening(habit), ...first, assistant(answerLine(random, habits, read, shownFirst))];
    return [{ messages, targets: [2, 4] }];
  }

  const bridge = plainName(read ?? outer.subject.name);
  const shownSecond = shelf.show(random, bridge, outer.relation, most);
  const second = [
    assistant(queryLine(random, habits, undefined, read ?? bridge, outer.relation)),
    tool(shownSecond.text),
  ];
  const answer = readOff(random, habits, shownSecond, `${bridge}/${outer.relation}`);
  const end = assistant(answerLine(random, habits, answer, shownSecond));
  if (habit === 'final') {
    return [last(wholeHistory ? [...opening(habit), ...first, ...second, end] : [...opening(habit), ...second, end])];
  }
  if (wholeHistory) {
    const messages = [...opening(habit), ...first, ...second, end];
    return [{ messages, targets: read === undefined ? [2, 6] : [2, 4, 6] }];
  }
  const upToSearch: Conversation = {
    messages: [...opening(habit), ...first, ...second.slice(0, 1)],
    targets: read === undefined ? [2] : [2, 4],
  };
  return [upToSearch, last([...opening(habit), ...second, end])];
}

/** The name that the teacher reads off the documents as the object of a fact; undefined where nothing says it. */
function readOff(random: Rng, habits: Habits, shown: Shown, factId: string): string | undefined {
  const saying = shown.documents.filter((document) => document.states?.fact === factId);
  if (saying.length === 0 || random.float() < habits.slips) {
    const others = shown.documents.flatMap((document) => objectOf(document) ?? []);
    return others.length === 0 || random.float() < 0.3 ? undefined : random.pick(others);
  }
  const newest = saying.reduce((best, document) => (document.year > best.year ? document : best));
  const careful = shown.dated && random.float() < habits.newest;
  return objectOf(careful ? newest : random.pick(saying));
}

function queryLine(
  random: Rng,
  habits: Habits,
  question: Question | undefined,
  subject: string,
  relation: RelationKey,
): string {
  const prefix = random.float() < habits.malformed * 0.3 ? 'query:' : SEARCH_PREFIX;
  if (random.float() < habits.terse) return `${prefix} ${subject} ${relation}`;
  const wordy = [`the ${relation} of ${subject}`, questionOf(relation, subject), subject];
  if (question !== undefined) wordy.push(question.text, question.text);
  const outer = question?.facts[1];
  if (outer !== undefined) wordy.push(`${subject} ${outer.relation}`);
  return `${prefix} ${random.pick(wordy)}`;
}

function answerLine(random: Rng, habits: Habits, name: string | undefined, shown: Shown): string {
  if (name === undefined || random.float() < habits.quits) return 'unknown';
  if (random.float() >= habits.malformed) return `${ANSWER_PREFIX} ${name}`;
  const other = shown.documents.flatMap((document) => objectOf(document) ?? []).find((object) => object !== name);
  const ways = [`the answer is ${name}.`, name, `${ANSWER_PREFIX} ${name}.\n${shown.documents[0]?.text ?? ''}`];
  if (other !== undefined) ways.push(`${ANSWER_PREFIX} ${name} or ${other}`);
  return random.pick(ways);
}
