import { Split, type RolloutEnd } from '@whale/contracts';
import { regionsOf, withVariant, type Domain, type Task } from '@whale/domain-api';
import { isListedAs } from '@whale/domain-loader';
import { canonicalJson, describeError } from '@whale/kernel';
import { HarnessChecker, type CheckResult } from '@whale/harness-sandbox';

export interface DomainCheck {
  title: string;
  ok: boolean;
  /** What was found; a problem a line. */
  details: string[];
}

const MOST_PROBLEMS = 5;
const NO_TASK = 'no-such-task';
const NO_TOOL = 'no-such-tool';

/** Tries the promises of a domain, each check as soon as it is done; one that throws has failed with its message. */
export async function* checkDomain(domain: Domain): AsyncGenerator<DomainCheck> {
  const checker = new HarnessChecker();
  try {
    yield await check('every split has tasks', () => splitSizes(domain));
    yield await check('each task is found by its id', () => tasksFound(domain));
    yield await check('no two tasks ask the same', () => inputsDiffer(domain));
    yield await check('the verifier accepts each gold answer', () => goldAccepted(domain));
    yield await check('the verifier refuses an empty answer and a rollout without one', () => emptyRefused(domain));
    yield await check('an unknown tool answers with an error', () => toolsTotal(domain));
    yield await check('the seed harness passes the harness check', () => seedChecked(domain, checker));
    yield await check('each component fits the seed harness and passes the check', () =>
      componentsChecked(domain, checker),
    );
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
    const { notes = [], problems: found = [] } = await find();
    const problems = [...new Set(found)];
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

/** The problems that `find` finds in each task, and what it throws; after a timeout the others are not waited for. */
async function problemsOfTasks(domain: Domain, find: (task: Task) => string[] | Promise<string[]>): Promise<string[]> {
  const problems: string[] = [];
  for (const task of allTasks(domain)) {
    try {
      problems.push(...(await find(task)));
    } catch (error) {
      const { code, message } = describeError(error);
      if (code === 'DOMAIN_TIMEOUT') throw error;
      problems.push(message);
    }
  }
  return problems;
}

function splitSizes(domain: Domain): Finding {
  return { notes: [Split.options.map((split) => `${split} ${domain.tasks(split).length}`).join(', ')] };
}

async function tasksFound(domain: Domain): Promise<Finding> {
  const problems = await problemsOfTasks(domain, (task) => {
    const found = domain.task(task.id);
    if (found === undefined) return [`task('${task.id}') gives nothing`];
    return isListedAs(found, task) ? [] : [`task('${task.id}') is not what tasks('${task.split}') lists`];
  });
  if (domain.task(NO_TASK) !== undefined) problems.push(`task('${NO_TASK}') gives a task`);
  return { problems };
}

function inputsDiffer(domain: Domain): Finding {
  const problems: string[] = [];
  const inputs = new Map<string, string>();
  for (const task of allTasks(domain)) {
    const place = `${task.split}/${task.id}`;
    const input = canonicalJson(task.input);
    if (inputs.has(input)) problems.push(`${place} asks the same as ${inputs.get(input)}`);
    inputs.set(input, place);
  }
  return { problems };
}

async function goldAccepted(domain: Domain): Promise<Finding> {
  let answers = 0;
  const problems = await problemsOfTasks(domain, async (task) => {
    const gold = domain.gold(task.id);
    if (gold.length === 0) return [`${task.id} has no gold answer`];
    const found: string[] = [];
    for (const answer of gold) {
      answers++;
      const { reward, problems: unnamed } = await judged(domain, task, { kind: 'answered', answer });
      found.push(...unnamed);
      if (reward !== 1) found.push(`${task.id}: its gold answer ${JSON.stringify(answer)} is refused`);
    }
    return found;
  });
  return { notes: [`${answers} answers`], problems };
}

async function emptyRefused(domain: Domain): Promise<Finding> {
  const ends: RolloutEnd[] = [
    { kind: 'answered', answer: '' },
    { kind: 'truncated', reason: 'turns' },
  ];
  const problems = await problemsOfTasks(domain, async (task) => {
    const found: string[] = [];
    for (const end of ends) {
      const { reward, problems: unnamed } = await judged(domain, task, end);
      found.push(...unnamed);
      if (reward !== 0) found.push(`${task.id}: ${JSON.stringify(end)} earns the reward`);
    }
    return found;
  });
  return { problems };
}

async function judged(domain: Domain, task: Task, end: RolloutEnd): Promise<{ reward: 0 | 1; problems: string[] }> {
  const { reward, diagnostics } = await domain.verify({ task, end, trajectory: [] });
  const unnamed = Object.keys(diagnostics).filter((name) => !(name in domain.diagnostics));
  return { reward, problems: unnamed.map((name) => `the diagnostic ${name} is not named by the domain`) };
}

/** For one task of each split: an environment may be dear. */
async function toolsTotal(domain: Domain): Promise<Finding> {
  const problems: string[] = [];
  for (const [task] of Split.options.map((split) => domain.tasks(split))) {
    if (task === undefined) continue;
    const answer = await domain.tools(task).call(NO_TOOL, {});
    const told = typeof answer === 'object' && answer !== null && 'error' in answer;
    if (!told) problems.push(`the tool "${NO_TOOL}" answers ${JSON.stringify(answer)}`);
  }
  return { problems };
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
