import { Split, type RolloutEnd } from '@whale/contracts';
import { regionsOf, withVariant, type Domain, type Task } from '@whale/domain-api';
import { canonicalJson, describeError } from '@whale/kernel';
import { HarnessChecker, type CheckResult } from '@whale/harness-sandbox';

export interface DomainCheck {
  title: string;
  ok: boolean;
  /** What was found; a problem a line. */
  details: string[];
}

const MOST_PROBLEMS = 5;

/** Tries the promises of a domain; a check that throws has failed with its message. */
export async function checkDomain(domain: Domain): Promise<DomainCheck[]> {
  const checker = new HarnessChecker();
  try {
    return [
      await check('every split has tasks', () => splitSizes(domain)),
      await check('splits share no task and no input', () => disjoint(domain)),
      await check('the verifier accepts each gold answer', () => goldAccepted(domain)),
      await check('the verifier refuses an empty answer and a rollout without one', () => emptyRefused(domain)),
      await check('an unknown tool answers with an error', () => toolsTotal(domain)),
      await check('the seed harness passes the harness check', () => seedChecked(domain, checker)),
      await check('each component fits the seed harness and passes the check', () =>
        componentsChecked(domain, checker),
      ),
    ];
  } finally {
    await checker.close();
  }
}

interface Finding {
  notes?: string[];
  problems?: string[];
}

async function check(title: string, find: () => Finding | Promise<Finding>): Promise<DomainCheck> {
  try {
    const { notes = [], problems = [] } = await find();
    const more = problems.length - MOST_PROBLEMS;
    const shown = problems.slice(0, MOST_PROBLEMS);
    return {
      title,
      ok: problems.length === 0,
      details: [...notes, ...shown, ...(more > 0 ? [`and ${more} more`] : [])],
    };
  } catch (error) {
    return { title, ok: false, details: [describeError(error).message] };
  }
}

function allTasks(domain: Domain): Task[] {
  return Split.options.flatMap((split) => [...domain.tasks(split)]);
}

function splitSizes(domain: Domain): Finding {
  const sizes = Split.options.map((split) => ({ split, size: domain.tasks(split).length }));
  return {
    notes: [sizes.map(({ split, size }) => `${split} ${size}`).join(', ')],
    problems: sizes
      // Without a validation split the last pair is taken.
      .filter(({ split, size }) => size === 0 && split !== 'validation')
      .map(({ split }) => `the split ${split} is empty`),
  };
}

function disjoint(domain: Domain): Finding {
  const problems: string[] = [];
  const ids = new Map<string, string>();
  const inputs = new Map<string, string>();
  for (const task of allTasks(domain)) {
    const place = `${task.split}/${task.id}`;
    const input = canonicalJson(task.input);
    if (ids.has(task.id)) problems.push(`the id ${task.id} is in ${ids.get(task.id)} and in ${task.split}`);
    if (inputs.has(input)) problems.push(`${place} asks the same as ${inputs.get(input)}`);
    ids.set(task.id, task.split);
    inputs.set(input, place);
  }
  return { problems };
}

async function goldAccepted(domain: Domain): Promise<Finding> {
  const problems: string[] = [];
  let answers = 0;
  for (const task of allTasks(domain)) {
    const gold = domain.gold(task.id);
    if (gold.length === 0) problems.push(`${task.id} has no gold answer`);
    for (const answer of gold) {
      answers++;
      if ((await reward(domain, task, { kind: 'answered', answer })) !== 1) {
        problems.push(`${task.id}: its gold answer ${JSON.stringify(answer)} is refused`);
      }
    }
  }
  return { notes: [`${answers} answers`], problems };
}

async function emptyRefused(domain: Domain): Promise<Finding> {
  const problems: string[] = [];
  const ends: RolloutEnd[] = [
    { kind: 'answered', answer: '' },
    { kind: 'truncated', reason: 'turns' },
  ];
  for (const task of allTasks(domain).slice(0, 50)) {
    for (const end of ends) {
      if ((await reward(domain, task, end)) !== 0) problems.push(`${task.id}: ${JSON.stringify(end)} earns the reward`);
    }
  }
  return { problems };
}

async function reward(domain: Domain, task: Task, end: RolloutEnd): Promise<0 | 1> {
  return (await domain.verify({ task, end, trajectory: [] })).reward;
}

async function toolsTotal(domain: Domain): Promise<Finding> {
  const task = allTasks(domain)[0];
  if (!task) return {};
  const answer = await domain.tools(task).call('no-such-tool', {});
  const told = typeof answer === 'object' && answer !== null && 'error' in answer;
  return { problems: told ? [] : [`the tool "no-such-tool" answers ${JSON.stringify(answer)}`] };
}

async function seedChecked(domain: Domain, checker: HarnessChecker): Promise<Finding> {
  const problem = problemOf(await checker.check(domain.seedHarness, { domainTypes: domain.harnessTypes }));
  return { problems: problem === null ? [] : [problem] };
}

async function componentsChecked(domain: Domain, checker: HarnessChecker): Promise<Finding> {
  const problems: string[] = [];
  const slots = regionsOf(domain.seedHarness).map((region) => region.slot);
  for (const component of domain.components) {
    const name = `${component.slot}: ${component.name}`;
    const unknown = component.targets.filter((target) => !(target in domain.diagnostics));
    if (unknown.length > 0) problems.push(`${name} targets unknown diagnostics: ${unknown.join(', ')}`);
    if (!slots.includes(component.slot)) {
      problems.push(`${name}: the seed harness has no region ${component.slot}`);
      continue;
    }
    const source = withVariant(domain.seedHarness, component);
    const problem = problemOf(await checker.check(source, { domainTypes: domain.harnessTypes }));
    if (problem !== null) problems.push(`${name}: ${problem}`);
  }
  return { notes: [`${domain.components.length} components in ${slots.length} slots`], problems };
}

function problemOf(result: CheckResult): string | null {
  if (result.ok) return null;
  const where = result.line === undefined ? '' : `line ${result.line}: `;
  return `${result.stage}: ${where}${result.message}`;
}
