/** Regression of hazards (Cox 1972). Hazards are taken as proportional at all times, and censoring as independent. */
import type { Ratio } from './log-rank.ts';
import { inverse, product, times } from './matrix.ts';
import { finite, normalQuantile, normalTails } from './probabilities.ts';
import { byTime, type Followed, observed } from './survival.ts';

/** Subject with the values of covariates, such as 0 or 1 for its group. */
export interface Described extends Followed {
  covariates: readonly number[];
}

/** Hazard per unit of a covariate, the others equal. */
export interface Hazard extends Ratio {
  /** Logarithm of the ratio, and its standard error. */
  coefficient: number;
  error: number;
  /** Two-sided (Wald). */
  p: number;
}

const iterationsMax = 60;
/**
 * Largest effect of a covariate over its range, as a logarithm: beyond it the estimate has no end, as a finite one would need
 * millions of subjects. Rounding errors (10⁻¹⁶ times its exponential) stay far below the information that is left there.
 */
const effectMax = 15;
/** Information about a covariate, over its range, below which it is a rounding error. */
const informationMin = 1e-9;

/** Sums over the subjects at risk: weights, weighted covariates, and their products. */
interface Sums {
  weight: number;
  first: number[];
  second: number[][];
}

/**
 * Estimates the hazard ratio of each covariate; times of equal length by Efron's method. Undefined without events, and where
 * covariates depend on each other. Undefined too where all events are on one side of a covariate: that ratio has no end.
 * Numbers beyond the range of doubles have no answer. RangeError for values that are no numbers.
 */
export function cox(subjects: readonly Described[]): Hazard[] | undefined {
  const { kept } = observed(subjects);
  const width = kept[0]?.covariates.length ?? 0;
  if (kept.some(({ covariates }) => covariates.length !== width || !covariates.every(Number.isFinite)))
    throw new RangeError('Each subject has a finite number for each covariate.');
  if (width === 0 || !kept.some(({ isEvent }) => isEvent)) return undefined;
  const { scaled, ranges } = scale(kept, width);
  if (ranges.some((range) => range === 0)) return undefined;
  const order = riskOrder(scaled);
  let beta = new Array<number>(width).fill(0);
  let state = derivatives(order, beta);
  for (let iteration = 0; iteration < iterationsMax; iteration++) {
    if (state.information.some((row, at) => !((row[at] ?? 0) > informationMin))) return undefined;
    const covariance = inverse(state.information);
    if (!covariance) return undefined;
    const step = times(covariance, state.score);
    let share = 1;
    let next = derivatives(order, sum(beta, step));
    while (!(next.likelihood >= state.likelihood - 1e-9 * (1 + Math.abs(state.likelihood)))) {
      share /= 2;
      next = derivatives(order, sum(beta, scaledBy(step, share)));
    }
    beta = sum(beta, scaledBy(step, share));
    state = next;
    if (beta.some((part) => Math.abs(part) > effectMax)) return undefined;
    // At the estimate the whole step is small. A shortened one is no measure: rounding errors shorten it too.
    if (step.every((part) => Math.abs(part) < 1e-10)) return hazards(beta, ranges, state.information);
  }
  return undefined;
}

function hazards(
  beta: readonly number[],
  ranges: readonly number[],
  information: number[][],
): Hazard[] | undefined {
  const covariance = inverse(information);
  const found = beta.flatMap((effect, at) => {
    const range = ranges[at] ?? 1;
    const error = Math.sqrt(covariance?.[at]?.[at] ?? Number.NaN) / range;
    const coefficient = effect / range;
    const end = (sign: number): number => Math.exp(coefficient + sign * normalQuantile * error);
    const p = normalTails(coefficient / error);
    return finite({ coefficient, error, ratio: Math.exp(coefficient), low: end(-1), high: end(1), p }) ?? [];
  });
  return found.length === beta.length ? found : undefined;
}

const scaledBy = (values: readonly number[], share: number): number[] => values.map((value) => value * share);

const sum = (one: readonly number[], other: readonly number[]): number[] =>
  one.map((value, at) => value + (other[at] ?? 0));

/** Moves covariates to a mean of 0 and a range of 1: exponentials stay small, and steps have one size. */
export function scale(
  subjects: readonly Described[],
  width: number,
): { scaled: Described[]; ranges: number[] } {
  const columns = Array.from({ length: width }, (_, at) =>
    subjects.map(({ covariates }) => covariates[at] ?? 0),
  );
  const means = columns.map((values) => values.reduce((all, value) => all + value / values.length, 0));
  const extreme = (values: readonly number[], pick: (one: number, other: number) => number): number =>
    values.reduce((found, value) => pick(found, value));
  const ranges = columns.map((values) => extreme(values, Math.max) - extreme(values, Math.min));
  const scaled = subjects.map((one) => ({
    ...one,
    covariates: one.covariates.map((value, at) => (value - (means[at] ?? 0)) / (ranges[at] || 1)),
  }));
  return { scaled, ranges };
}

interface RiskTime {
  /** Subjects who are at risk at this time, but at no later one of these times. */
  joining: Described[];
  /** Subjects who are at risk at the later time, but enter after this one. */
  parting: Described[];
  events: Described[];
}

/** Returns the times with events, the latest first: sums over subjects at risk then change step by step. */
export function riskOrder(subjects: readonly Described[]): RiskTime[] {
  const order: RiskTime[] = [];
  const late = subjects
    .filter(({ entry }) => entry !== undefined)
    .sort((one, other) => (other.entry ?? 0) - (one.entry ?? 0));
  let waiting: Described[] = [];
  let parted = 0;
  for (const [time, leaving] of byTime(subjects).reverse()) {
    for (const one of leaving) waiting.push(one);
    const events = leaving.filter(({ isEvent }) => isEvent);
    if (events.length === 0) continue;
    const parting: Described[] = [];
    for (let next = late[parted]; next && (next.entry ?? 0) >= time; next = late[parted]) {
      parting.push(next);
      parted += 1;
    }
    order.push({ joining: waiting, parting, events });
    waiting = [];
  }
  return order;
}

/**
 * Returns the partial likelihood as a logarithm, with its first and negative second derivatives. `parts`: the first derivative at
 * each time, which are the sums of the residuals of Schoenfeld.
 */
export function derivatives(order: readonly RiskTime[], beta: readonly number[]) {
  const atRisk = emptySums(beta.length);
  const parts: number[][] = [];
  const information = beta.map(() => beta.map(() => 0));
  let likelihood = 0;
  for (const { joining, parting, events } of order) {
    for (const one of joining) add(atRisk, one, beta, 1);
    for (const one of parting) add(atRisk, one, beta, -1);
    const tied = emptySums(beta.length);
    const score = beta.map(() => 0);
    parts.push(score);
    for (const one of events) {
      add(tied, one, beta, 1);
      likelihood += (one.count ?? 1) * product(beta, one.covariates);
      for (const [at, value] of one.covariates.entries())
        score[at] = (score[at] ?? 0) + (one.count ?? 1) * value;
    }
    const count = events.reduce((all, one) => all + (one.count ?? 1), 0);
    for (let gone = 0; gone < count; gone++) {
      const share = gone / count;
      const weight = atRisk.weight - share * tied.weight;
      const mean = atRisk.first.map((value, at) => (value - share * (tied.first[at] ?? 0)) / weight);
      likelihood -= Math.log(weight);
      for (const [row, value] of mean.entries()) {
        score[row] = (score[row] ?? 0) - value;
        const into = information[row] ?? [];
        for (const [column, other] of mean.entries()) {
          const products = (atRisk.second[row]?.[column] ?? 0) - share * (tied.second[row]?.[column] ?? 0);
          into[column] = (into[column] ?? 0) + products / weight - value * other;
        }
      }
    }
  }
  const score = parts.reduce(sum, new Array<number>(beta.length).fill(0));
  return { likelihood, score, information, parts };
}

function emptySums(width: number): Sums {
  const row = (): number[] => new Array<number>(width).fill(0);
  return { weight: 0, first: row(), second: row().map(row) };
}

function add(sums: Sums, { covariates, count = 1 }: Described, beta: readonly number[], sign: number): void {
  const weight = sign * count * Math.exp(product(beta, covariates));
  sums.weight += weight;
  for (const [row, value] of covariates.entries()) {
    sums.first[row] = (sums.first[row] ?? 0) + weight * value;
    const into = sums.second[row] ?? [];
    for (const [column, other] of covariates.entries())
      into[column] = (into[column] ?? 0) + weight * value * other;
  }
}
