import { Split, type RolloutEnd } from '@whale/contracts';
import { canonicalHash, canonicalJson, type JsonValue } from '@whale/kernel';
import fc from 'fast-check';
import ts from 'typescript';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Domain, DomainModule, DomainVerdict, Task } from './domain.ts';
import { gradeToOutcome } from './outcome.ts';
import { regionsOf, withVariant } from './regions.ts';

export interface DomainContractInput {
  module: DomainModule;
  dataset: string;
  /** Options of `load`; small splits keep the suite short. */
  options?: { readonly [key: string]: JsonValue };
  /** Names of the tools that must survive any arguments. */
  tools?: readonly string[];
  /** True where a gold answer may stand in the input by chance, e.g. the 4 of "2 + 4 = ?" never does, but "4 · 1" may. */
  goldMayStandInInput?: boolean;
  /** A deeper check of a harness source, e.g. the type check of the sandbox: the problems found, [] when there are none. */
  checkHarness?: (source: string) => readonly string[] | Promise<readonly string[]>;
}

const LONG = 100_000;

/** The promises of `Domain`, as tests. Call it in a test file of the domain, with the module that the package exports. */
export function domainContract(input: DomainContractInput): void {
  const { module, dataset, options = {}, tools = [], goldMayStandInInput = false } = input;

  describe(`domain contract: ${module.name}/${dataset}`, () => {
    let domain: Domain;
    let tasks: Task[];
    beforeAll(async () => {
      domain = await module.load({ dataset, options });
      tasks = Split.options.flatMap((split) => [...domain.tasks(split)]);
    });

    const grade = async (task: Task, end: RolloutEnd): Promise<DomainVerdict> =>
      domain.verify({ task, end, trajectory: [] });
    const answered = (answer: string): RolloutEnd => ({ kind: 'answered', answer });

    it('names itself and its data set', () => {
      expect([domain.name, domain.dataset]).toEqual([module.name, dataset]);
      expect(domain.description.length).toBeGreaterThan(100);
    });

    it('has tasks in every split, each under its own id', () => {
      for (const split of Split.options) {
        expect(domain.tasks(split).length, split).toBeGreaterThan(0);
        for (const task of domain.tasks(split)) {
          expect(task.split).toBe(split);
          expect(domain.task(task.id)).toEqual(task);
        }
      }
      expect(domain.task('no-such-task')).toBeUndefined();
    });

    it('shares no id and no input between tasks, hence none between splits', () => {
      expect(new Set(tasks.map((task) => task.id)).size).toBe(tasks.length);
      expect(new Set(tasks.map((task) => canonicalJson(task.input))).size).toBe(tasks.length);
    });

    it('gives the same tasks, answers and sources when loaded again', async () => {
      const fingerprint = (loaded: Domain) =>
        canonicalHash([
          Split.options.map((split) => loaded.tasks(split).map((task) => [task, loaded.gold(task.id)])),
          loaded.seedHarness,
          loaded.components,
          loaded.diagnostics,
          loaded.harnessTypes,
        ]);
      expect(fingerprint(await module.load({ dataset, options }))).toBe(fingerprint(domain));
    });

    it.skipIf(goldMayStandInInput)('tells no gold answer in the input', () => {
      for (const task of tasks) {
        const text = ` ${wordsOf(canonicalJson(task.input))} `;
        const told = domain.gold(task.id).filter((answer) => text.includes(` ${wordsOf(answer)} `));
        expect(told, task.id).toEqual([]);
      }
    });

    it('accepts each of its own gold answers', async () => {
      for (const task of tasks) {
        expect(domain.gold(task.id).length, task.id).toBeGreaterThan(0);
        for (const answer of domain.gold(task.id)) {
          expect((await grade(task, answered(answer))).reward, `${task.id}: ${answer}`).toBe(1);
        }
      }
    });

    it('refuses nothing, everything, and far too much', async () => {
      const dump = [...new Set(tasks.flatMap((task) => domain.gold(task.id)))].join(', ');
      for (const task of tasks.slice(0, 50)) {
        const gold = domain.gold(task.id)[0] ?? '';
        const inflated = `${gold} ${'x '.repeat(LONG / 2)}`;
        for (const answer of ['', ' \n', dump, inflated, canonicalJson(task.input)]) {
          expect((await grade(task, answered(answer))).reward, `${task.id}: ${answer.slice(0, 40)}`).toBe(0);
        }
      }
    });

    it('rewards no rollout that ended without an answer, and its outcome says how it ended', async () => {
      const task = tasks[0] as Task;
      const ends: RolloutEnd[] = [
        { kind: 'truncated', reason: 'turns' },
        { kind: 'harness_error', code: 'RUNTIME', message: domain.gold(task.id)[0] ?? '' },
      ];
      for (const end of ends) {
        const { reward } = await grade(task, end);
        expect([reward, gradeToOutcome(end, reward)]).toEqual([0, end.kind]);
      }
      const right = answered(domain.gold(task.id)[0] ?? '');
      expect(gradeToOutcome(right, (await grade(task, right)).reward)).toBe('correct');
      expect(gradeToOutcome(answered(''), (await grade(task, answered(''))).reward)).toBe('incorrect');
    });

    it('reports only diagnostics that it has named', async () => {
      for (const task of tasks.slice(0, 20)) {
        for (const end of [answered(''), answered(domain.gold(task.id)[0] ?? '')]) {
          const { diagnostics } = await grade(task, end);
          expect(Object.keys(domain.diagnostics)).toEqual(expect.arrayContaining(Object.keys(diagnostics)));
        }
      }
    });

    it('verifies the same rollout the same way', async () => {
      const task = tasks[0] as Task;
      const once = await grade(task, answered('x'));
      expect(await grade(task, answered('x'))).toEqual(once);
    });

    it('has tools that answer any arguments, and the same ones alike', async () => {
      const task = tasks[0] as Task;
      const call = async (name: string, args: { [key: string]: JsonValue }) => domain.tools(task).call(name, args);
      expect(await call('no-such-tool', {})).toHaveProperty('error');
      const jsonRecord = fc.dictionary(fc.string(), fc.jsonValue() as fc.Arbitrary<JsonValue>);
      for (const name of tools) {
        await fc.assert(
          fc.asyncProperty(jsonRecord, async (args) => {
            expect(canonicalJson(await call(name, args))).toBe(canonicalJson(await call(name, args)));
          }),
          { numRuns: 50, seed: 1 },
        );
      }
    });

    it('has a seed harness with PROMPTS and a default generator', () => {
      expect(syntaxErrors(domain.seedHarness)).toEqual([]);
      expect(domain.seedHarness).toMatch(/export const PROMPTS\b/u);
      expect(domain.seedHarness).toMatch(/export default function\s*\*/u);
      expect(() => regionsOf(domain.seedHarness)).not.toThrow();
    });

    it('has components that aim at its own diagnostics and say what they expect', () => {
      const slots = regionsOf(domain.seedHarness).map((region) => region.slot);
      const names = domain.components.map((component) => `${component.slot}:${component.name}`);
      expect(new Set(names).size).toBe(names.length);
      for (const component of domain.components) {
        expect(slots, component.name).toContain(component.slot);
        expect(component.hypothesis.length, component.name).toBeGreaterThan(20);
        expect(component.targets.length, component.name).toBeGreaterThan(0);
        expect(Object.keys(domain.diagnostics)).toEqual(expect.arrayContaining([...component.targets]));
      }
    });

    it('stays a valid program with any one component exchanged', async () => {
      const check = input.checkHarness ?? syntaxErrors;
      for (const component of domain.components) {
        const swapped = withVariant(domain.seedHarness, component);
        expect(await check(swapped), `${component.slot}:${component.name}`).toEqual([]);
        expect(regionsOf(swapped).length).toBe(regionsOf(domain.seedHarness).length);
      }
    });
  });
}

/** Words in lower case, single spaces. */
function wordsOf(text: string): string {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ');
}

function syntaxErrors(source: string): string[] {
  const { diagnostics = [] } = ts.transpileModule(source, { reportDiagnostics: true });
  return diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}
