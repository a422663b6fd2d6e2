import { agreement, type Composition } from './composition.ts';

export interface Observation {
  composition: Composition;
  weightsVersion: string;
  /** In [0, 1]. */
  score: number;
  /** Variance of `score` as a measurement. */
  variance: number;
}

export interface Prediction {
  /** Expected score. */
  mean: number;
  /** Standard deviation of that expectation, without the noise of a measurement. */
  deviation: number;
}

/** Prior standard deviations, as shares of the score. */
const COMPONENT = 0.05;
const PAIR = 0.02;
const LEVEL = 0.3;
/** How far a component's effect under one θ tells of its effect under another, in [0, 1]. */
const CARRY = 0.7;

/**
 * What the archive says of harnesses that were not measured: a Gaussian process whose score is a sum of one effect for
 * each component, one for each pair of components, and a level for each θ. Two compositions that agree in m slots
 * covary by m of the first and m(m − 1)/2 of the second, which is all that the arithmetic needs.
 */
export class Surrogate {
  readonly #observations: readonly Observation[];
  readonly #weightsVersion: string;
  readonly #prior: (composition: Composition) => number;
  readonly #base: number;
  /** Lower triangle of the Cholesky factor of covariance plus noise. */
  readonly #factor: readonly Float64Array[];
  /** Solves covariance · alpha = residuals. */
  readonly #alpha: Float64Array;

  /** `prior` is the gain expected of a composition before any measurement. Predictions are for θ `weightsVersion`. */
  constructor(
    observations: readonly Observation[],
    weightsVersion: string,
    prior: (composition: Composition) => number,
  ) {
    this.#observations = observations;
    this.#weightsVersion = weightsVersion;
    this.#prior = prior;
    const residuals = observations.map(({ composition, score }) => score - prior(composition));
    this.#base = residuals.reduce((sum, value) => sum + value, 0) / Math.max(1, residuals.length);
    this.#factor = cholesky(observations.length, (i, j) => {
      const a = observations[i] as Observation;
      const b = observations[j] as Observation;
      return covariance(a, b) + (i === j ? a.variance : 0);
    });
    const centred = Float64Array.from(residuals, (value) => value - this.#base);
    this.#alpha = solveUpper(this.#factor, solveLower(this.#factor, centred));
  }

  predict(composition: Composition): Prediction {
    const at = { composition, weightsVersion: this.#weightsVersion };
    const k = Float64Array.from(this.#observations, (observation) => covariance(observation, at));
    const solved = solveLower(this.#factor, k);
    let mean = this.#base + this.#prior(composition);
    let variance = covariance(at, at);
    for (let i = 0; i < k.length; i++) {
      mean += (k[i] as number) * (this.#alpha[i] as number);
      variance -= (solved[i] as number) ** 2;
    }
    return { mean, deviation: Math.sqrt(Math.max(0, variance)) };
  }

  /** As if `composition` had been measured and met the expectation: what is still worth knowing beside it. */
  assuming(composition: Composition, variance: number): Surrogate {
    const imagined = {
      composition,
      weightsVersion: this.#weightsVersion,
      score: this.predict(composition).mean,
      variance,
    };
    return new Surrogate([...this.#observations, imagined], this.#weightsVersion, this.#prior);
  }
}

type Point = Pick<Observation, 'composition' | 'weightsVersion'>;

function covariance(a: Point, b: Point): number {
  const m = agreement(a.composition, b.composition);
  const effects = COMPONENT ** 2 * m + (PAIR ** 2 * m * (m - 1)) / 2;
  return a.weightsVersion === b.weightsVersion ? effects + LEVEL ** 2 : CARRY * effects;
}

function cholesky(n: number, entry: (i: number, j: number) => number): Float64Array[] {
  const rows: Float64Array[] = [];
  for (let i = 0; i < n; i++) {
    const row = new Float64Array(i + 1);
    for (let j = 0; j <= i; j++) {
      const other = j === i ? row : (rows[j] as Float64Array);
      let sum = entry(i, j);
      for (let k = 0; k < j; k++) sum -= (row[k] as number) * (other[k] as number);
      // The noise keeps the diagonal positive; the bound is for the rounding of equal rows.
      row[j] = j === i ? Math.sqrt(Math.max(sum, 1e-9)) : sum / (other[j] as number);
    }
    rows.push(row);
  }
  return rows;
}

function solveLower(factor: readonly Float64Array[], right: Float64Array): Float64Array {
  const x = Float64Array.from(right);
  factor.forEach((row, i) => {
    for (let k = 0; k < i; k++) x[i] = (x[i] as number) - (row[k] as number) * (x[k] as number);
    x[i] = (x[i] as number) / (row[i] as number);
  });
  return x;
}

function solveUpper(factor: readonly Float64Array[], right: Float64Array): Float64Array {
  const x = Float64Array.from(right);
  for (let i = factor.length - 1; i >= 0; i--) {
    for (let k = i + 1; k < factor.length; k++) {
      x[i] = (x[i] as number) - ((factor[k] as Float64Array)[i] as number) * (x[k] as number);
    }
    x[i] = (x[i] as number) / ((factor[i] as Float64Array)[i] as number);
  }
  return x;
}
