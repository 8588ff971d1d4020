/** Survival of one group: estimate of Kaplan and Meier. Censoring is taken as independent of the event. */
import { normalQuantile } from './probabilities.ts';

/** Subjects with one time of observation. */
export interface Followed {
  /** End of observation, from 0. */
  time: number;
  /** True if the event ended it; false if the subject is censored. */
  isEvent: boolean;
  /** Begin of observation where it is late (left truncation): at risk at t if entry < t ≤ time. */
  entry?: number;
  /** Number of such subjects; 1 by default. */
  count?: number;
}

/** Step of a curve: the share without the event from this time on. */
export interface Step {
  time: number;
  /** Subjects at risk just before. */
  atRisk: number;
  events: number;
  censored: number;
  survival: number;
  /** Standard error (Greenwood 1926); null where all had the event. */
  error: number | null;
  /** 95 % interval; null where all had the event. */
  low: number | null;
  high: number | null;
}

/** Scale on which a 95 % interval is symmetric: `log` as in R, or `log-log`, which is better for few subjects. */
export type IntervalScale = 'log' | 'log-log';

export interface Curve {
  subjects: number;
  events: number;
  /** Subjects that end before or when they enter; they are in no other number. */
  excluded: number;
  /** First time at which half or fewer survive, and its 95 % interval; null: not reached. */
  median: number | null;
  medianLow: number | null;
  medianHigh: number | null;
  steps: Step[];
}

/** Distance from one half that products of fractions miss by the precision of doubles. */
const rounding = 1e-12;

/**
 * Estimates survival (Kaplan and Meier 1958) with pointwise 95 % intervals: one step a distinct time. RangeError for times that
 * are no numbers from 0.
 */
export function kaplanMeier(subjects: readonly Followed[], scale: IntervalScale = 'log'): Curve {
  const { kept, excluded } = observed(subjects);
  const entries = sorted(
    kept.filter(({ entry }) => entry !== undefined),
    ({ entry = 0 }) => entry,
  );
  let atRisk = kept.reduce((sum, { entry, count = 1 }) => sum + (entry === undefined ? count : 0), 0);
  let survival = 1;
  let greenwood = 0;
  let entered = 0;
  const steps: Step[] = [];
  for (const [time, leaving] of byTime(kept)) {
    for (; (entries[entered]?.entry ?? time) < time; entered++) atRisk += entries[entered]?.count ?? 1;
    const [events, censored] = [countOf(leaving, true), countOf(leaving, false)];
    survival *= 1 - events / atRisk;
    if (events > 0) greenwood += events / (atRisk * (atRisk - events));
    steps.push({ time, atRisk, events, censored, survival, ...interval(survival, greenwood, scale) });
    atRisk -= events + censored;
  }
  const firstHalf = (of: (step: Step) => number | null): number | null =>
    steps.find((step) => (of(step) ?? 1) <= 0.5 + rounding)?.time ?? null;
  return {
    subjects: kept.reduce((sum, { count = 1 }) => sum + count, 0),
    events: steps.reduce((sum, { events }) => sum + events, 0),
    excluded,
    median: firstHalf((step) => step.survival),
    medianLow: firstHalf(({ low }) => low),
    medianHigh: firstHalf(({ high }) => high),
    steps,
  };
}

function interval(
  survival: number,
  greenwood: number,
  scale: IntervalScale,
): Pick<Step, 'error' | 'low' | 'high'> {
  if (survival <= 0) return { error: null, low: null, high: null };
  const root = Math.sqrt(greenwood);
  const error = survival * root;
  if (survival >= 1) return { error, low: 1, high: 1 };
  const reach = normalQuantile * root;
  if (scale === 'log')
    return { error, low: survival * Math.exp(-reach), high: Math.min(1, survival * Math.exp(reach)) };
  const power = reach / Math.abs(Math.log(survival));
  return { error, low: survival ** Math.exp(power), high: survival ** Math.exp(-power) };
}

/** Returns the share without the event at a time, with its interval; undefined behind the last observation. */
export function survivalAt({ steps, subjects }: Curve, time: number): Step | undefined {
  const step = steps.findLast((one) => one.time <= time);
  const last = steps.at(-1);
  if (!last || (time > last.time && last.survival > 0)) return undefined;
  const start = { time: 0, atRisk: subjects, events: 0, censored: 0, survival: 1, error: 0, low: 1, high: 1 };
  return step ?? start;
}

/** Counts the subjects at risk at times: those who entered before, or at 0, and whose observation has not ended before. */
export function atRiskAt(subjects: readonly Followed[], times: readonly number[]): number[] {
  const { kept } = observed(subjects);
  return times.map((at) =>
    kept
      .filter(({ time, entry = 0 }) => time >= at && (entry < at || entry === 0))
      .reduce((sum, { count = 1 }) => sum + count, 0),
  );
}

/** Returns the subjects that are observed for a time, and the number of others. RangeError for what is no time. */
export function observed<F extends Followed>(subjects: readonly F[]): { kept: F[]; excluded: number } {
  for (const { time, entry = 0, count = 1 } of subjects) {
    if (!(Number.isFinite(time) && time >= 0 && Number.isFinite(entry) && entry >= 0))
      throw new RangeError('A time is a finite number from 0.');
    if (!Number.isSafeInteger(count) || count < 0) throw new RangeError('A count is a whole number from 0.');
  }
  const kept = subjects.filter(
    ({ time, entry, count }) => count !== 0 && (entry === undefined || entry < time),
  );
  const all = (list: readonly F[]): number => list.reduce((sum, { count = 1 }) => sum + count, 0);
  return { kept, excluded: all(subjects) - all(kept) };
}

/** Returns subjects by their time, the earliest first. */
export function byTime<F extends Followed>(subjects: readonly F[]): [time: number, leaving: F[]][] {
  return sorted([...Map.groupBy(subjects, ({ time }) => time)], ([time]) => time);
}

/** Counts the subjects with, or without, the event. */
export function countOf(subjects: readonly Followed[], isEvent: boolean): number {
  return subjects.reduce((sum, one) => sum + (one.isEvent === isEvent ? (one.count ?? 1) : 0), 0);
}

function sorted<T>(list: readonly T[], key: (one: T) => number): T[] {
  return list.toSorted((one, other) => key(one) - key(other));
}
