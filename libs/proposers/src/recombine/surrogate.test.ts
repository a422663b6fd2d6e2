import { describe, expect, it } from 'vitest';
import type { Composition } from './composition.ts';
import { Surrogate, type Observation } from './surrogate.ts';

const of = (...parts: string[]): Composition => new Map(parts.map((part, i) => [`slot${i}`, part]));
const seen = (composition: Composition, score: number, weightsVersion = 'w1'): Observation => ({
  composition,
  weightsVersion,
  score,
  variance: 0.0001,
});
const flat = () => 0;

describe('the model of the archive', () => {
  it('knows what was measured, and is unsure of what was not', () => {
    const model = new Surrogate([seen(of('a', 'a'), 0.2), seen(of('b', 'a'), 0.5)], 'w1', flat);
    expect(model.predict(of('a', 'a')).mean).toBeCloseTo(0.2, 1);
    expect(model.predict(of('b', 'a')).mean).toBeCloseTo(0.5, 1);
    expect(model.predict(of('c', 'c')).deviation).toBeGreaterThan(3 * model.predict(of('b', 'a')).deviation);
  });

  it('adds up effects that were seen apart', () => {
    const model = new Surrogate(
      [seen(of('a', 'a'), 0.2), seen(of('b', 'a'), 0.3), seen(of('a', 'b'), 0.3)],
      'w1',
      flat,
    );
    expect(model.predict(of('b', 'b')).mean).toBeGreaterThan(0.33);
  });

  it('tells the effects of a bundle apart when its parts stand in other company', () => {
    const model = new Surrogate(
      [
        seen(of('a', 'a', 'a'), 0.3),
        seen(of('b', 'b', 'a'), 0.3),
        seen(of('b', 'a', 'b'), 0.5),
        seen(of('a', 'b', 'a'), 0.1),
      ],
      'w1',
      flat,
    );
    expect(model.predict(of('b', 'a', 'a')).mean).toBeGreaterThan(model.predict(of('a', 'a', 'a')).mean + 0.05);
  });

  it('carries effects, not levels, from one θ to another', () => {
    const model = new Surrogate(
      [seen(of('a', 'a'), 0.2, 'w1'), seen(of('b', 'a'), 0.35, 'w1'), seen(of('a', 'a'), 0.6, 'w2')],
      'w2',
      flat,
    );
    const carried = model.predict(of('b', 'a')).mean - model.predict(of('a', 'a')).mean;
    expect(carried).toBeGreaterThan(0.04);
    expect(carried).toBeLessThan(0.15);
    expect(model.predict(of('a', 'a')).mean).toBeCloseTo(0.6, 1);
  });

  it('follows the prior where there is no measurement, and only there', () => {
    const prior = (composition: Composition) => (composition.get('slot0') === 'b' ? 0.1 : 0);
    const untried = new Surrogate([seen(of('a', 'a'), 0.2)], 'w1', prior);
    expect(untried.predict(of('b', 'a')).mean).toBeCloseTo(0.3, 1);
    const tried = new Surrogate([seen(of('a', 'a'), 0.2), seen(of('b', 'a'), 0.1)], 'w1', prior);
    expect(tried.predict(of('b', 'a')).mean).toBeCloseTo(0.1, 1);
  });

  it('is less curious of what is as good as measured', () => {
    const model = new Surrogate([seen(of('a', 'a'), 0.2)], 'w1', flat);
    const after = model.assuming(of('b', 'a'), 0.005);
    expect(after.predict(of('b', 'a')).deviation).toBeLessThan(model.predict(of('b', 'a')).deviation);
    expect(after.predict(of('b', 'a')).mean).toBeCloseTo(model.predict(of('b', 'a')).mean, 6);
  });

  it('works without a measurement and with the same one twice', () => {
    expect(new Surrogate([], 'w1', flat).predict(of('a')).mean).toBe(0);
    const twice = new Surrogate([seen(of('a'), 0.2), seen(of('a'), 0.4)], 'w1', flat);
    expect(twice.predict(of('a')).mean).toBeCloseTo(0.3, 2);
  });
});
