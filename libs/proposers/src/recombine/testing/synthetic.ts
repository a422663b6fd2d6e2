import type { ComponentVariant, Domain } from '@whale/domain-api';
import { rng, sha256 } from '@whale/kernel';
import { parseComponents } from '../../components.ts';
import type { ArchiveEntry } from '../../proposer.ts';

export interface SyntheticOptions {
  seed: string;
  slots?: number;
  variants?: number;
}

/** A domain whose true scores are known: a base, an effect of each variant, and effects of some pairs. */
export interface Synthetic {
  domain: Domain;
  /** The probability, in [0, 1], that a task comes out correct. */
  truth(source: string): number;
  /** `tasks` Bernoulli draws, with diagnostics that tell of the effects' targets. */
  measure(source: string, at: Pick<ArchiveEntry, 'weightsVersion' | 'cycle' | 'iteration' | 'index'>): ArchiveEntry;
}

const DIAGNOSTICS = ['retrieval', 'extraction', 'format'] as const;
const TASKS = 40;
const BASE = 0.25;

/**
 * Of a slot's variants about a third help, a third do little and a third harm; one pair of variants of different slots
 * in twelve helps or harms by itself. What a variant aims at is told truly.
 */
export function syntheticDomain({ seed, slots = 7, variants = 4 }: SyntheticOptions): Synthetic {
  const random = rng(`synthetic/${seed}`);
  const normal = () => Array.from({ length: 12 }, () => random.float()).reduce((sum, x) => sum + x, -6);
  const effects = new Map<string, number>();
  const pairs = new Map<string, number>();
  const components: ComponentVariant[] = [];
  for (let s = 0; s < slots; s++) {
    const target = DIAGNOSTICS[s % DIAGNOSTICS.length] as string;
    for (let v = 0; v < variants; v++) {
      const [slot, name] = [`slot${s}`, `v${v}`];
      effects.set(`${slot}:${name}`, v === 0 ? 0 : 0.06 * normal());
      components.push({
        slot,
        name,
        source: `const ${slot} = '${name}';`,
        targets: [target],
        hypothesis: `${name} of ${slot} raises ${target}`,
      });
    }
  }
  const names = [...effects.keys()];
  names.forEach((a, i) => {
    for (const b of names.slice(i + 1)) {
      if (a.split(':')[0] !== b.split(':')[0] && random.float() < 1 / 12) pairs.set(`${a} ${b}`, 0.06 * normal());
    }
  });
  const seedHarness = `/* made of regions */\n${components
    .filter(({ name }) => name === 'v0')
    .map(({ slot, name, source }) => `\n// region ${slot}: ${name}\n${source}\n// endregion\n`)
    .join('')}`;

  const sumOf = (source: string): number => {
    const parts = parseComponents(source).map(({ slot, variant }) => `${slot}:${variant}`);
    const single = parts.reduce((sum, part) => sum + (effects.get(part) ?? 0), 0);
    return parts.reduce((sum, a, i) => {
      return parts.slice(i + 1).reduce((inner, b) => inner + (pairs.get(`${a} ${b}`) ?? 0), sum);
    }, single);
  };
  const origin = sumOf(seedHarness);
  const truth = (source: string) => Math.min(0.97, Math.max(0.02, BASE + sumOf(source) - origin));
  /** How far each diagnostic's slots are from their best. */
  const deficits = (source: string): number[] =>
    DIAGNOSTICS.map((_, d) =>
      parseComponents(source).reduce((sum, { slot, variant }) => {
        if (Number(slot.slice(4)) % DIAGNOSTICS.length !== d) return sum;
        const best = Math.max(
          ...names.filter((name) => name.startsWith(`${slot}:`)).map((name) => effects.get(name) ?? 0),
        );
        return sum + best - (effects.get(`${slot}:${variant}`) ?? 0);
      }, 0.02),
    );

  return {
    domain: {
      name: 'synthetic',
      dataset: seed,
      tasks: () => [],
      task: () => undefined,
      tools: () => ({ call: () => ({ error: 'no tools' }) }),
      verify: () => ({ reward: 0, diagnostics: {} }),
      gold: () => [],
      seedHarness,
      components,
      diagnostics: {},
      description: '',
      harnessTypes: '',
    },
    truth,
    measure: (source, at) => {
      const harnessId = sha256(source);
      const draws = rng(`measure/${seed}/${at.weightsVersion}/${harnessId}`);
      const p = truth(source);
      const faults = deficits(source);
      const total = faults.reduce((sum, fault) => sum + fault, 0);
      const tasks = Array.from({ length: TASKS }, (_, i): ArchiveEntry['tasks'][number] => {
        const correct = draws.float() < p;
        let rest = draws.float() * total;
        const culprit = faults.findIndex((fault) => (rest -= fault) < 0);
        return {
          taskId: `t${i}`,
          rolloutId: `r${i}`,
          outcome: correct ? 'correct' : 'incorrect',
          diagnostics: Object.fromEntries(DIAGNOSTICS.map((name, d) => [name, correct || d !== culprit])),
        };
      });
      const right = tasks.filter((task) => task.outcome === 'correct').length;
      return { harnessId, source, ...at, score: right / TASKS, measured: TASKS, tasks };
    },
  };
}
