/** Survival of groups against each other. Subjects are independent, and each is in one group. */
import { inverse, product, times } from './matrix.ts';
import { chiSquareTail, normalQuantile } from './probabilities.ts';
import { byTime, countOf, type Followed, observed } from './survival.ts';

export interface LogRank {
  statistic: number;
  degrees: number;
  p: number;
  /** Events of each group: those observed, and those expected if all groups had one survival. */
  groups: { observed: number; expected: number }[];
}

/** Subject of a group at its place. */
type Member = Followed & { group: number };

/**
 * Tests whether groups have one survival (log-rank), by χ². The test is best where the hazards are proportional. Undefined
 * without events, or where fewer than two groups are at risk at any of them.
 */
export function logRank(groups: readonly (readonly Followed[])[]): LogRank | undefined {
  const members = groups.flatMap((group, at) => group.map((one): Member => ({ ...one, group: at })));
  const { kept } = observed(members);
  const counts = groups.map(() => ({ observed: 0, expected: 0 }));
  const covariance = groups.map(() => groups.map(() => 0));
  for (const { atRisk, leaving } of riskSets(kept, groups.length)) {
    const events = countOf(leaving, true);
    const all = atRisk.reduce((sum, one) => sum + one, 0);
    for (const [at, count] of counts.entries()) {
      const share = (atRisk[at] ?? 0) / all;
      count.observed += countOf(
        leaving.filter(({ group }) => group === at),
        true,
      );
      count.expected += events * share;
      if (all < 2) continue;
      const scale = (events * (all - events)) / (all - 1);
      for (const [other, rest] of atRisk.entries()) {
        const row = covariance[at] ?? [];
        row[other] = (row[other] ?? 0) + scale * share * (Number(at === other) - rest / all);
      }
    }
  }
  // The counts of all groups have one sum: one group follows from the others.
  const tested = counts.flatMap(({ expected }, at) => (expected > 0 ? [at] : [])).slice(1);
  const matrix = inverse(tested.map((row) => tested.map((column) => covariance[row]?.[column] ?? 0)));
  if (tested.length === 0 || !matrix) return undefined;
  const differences = tested.map((at) => (counts[at]?.observed ?? 0) - (counts[at]?.expected ?? 0));
  const statistic = product(differences, times(matrix, differences));
  return { statistic, degrees: tested.length, p: chiSquareTail(statistic, tested.length), groups: counts };
}

/** Yields the times with events: subjects at risk in each group, and those that leave. */
function* riskSets(
  members: readonly Member[],
  groups: number,
): Generator<{ atRisk: readonly number[]; leaving: readonly Member[] }> {
  const atRisk = new Array<number>(groups).fill(0);
  const add = ({ group, count = 1 }: Member, sign: number): void => {
    atRisk[group] = (atRisk[group] ?? 0) + sign * count;
  };
  for (const one of members) if (one.entry === undefined) add(one, 1);
  const late = members
    .filter(({ entry }) => entry !== undefined)
    .sort((one, other) => (one.entry ?? 0) - (other.entry ?? 0));
  let entered = 0;
  for (const [time, leaving] of byTime(members)) {
    for (let next = late[entered]; next && (next.entry ?? 0) < time; next = late[entered]) {
      add(next, 1);
      entered += 1;
    }
    if (leaving.some(({ isEvent }) => isEvent)) yield { atRisk, leaving };
    for (const one of leaving) add(one, -1);
  }
}

/** Ratio with its 95 % interval. */
export interface Ratio {
  ratio: number;
  low: number;
  high: number;
}

/**
 * Returns the hazard of the second group as a multiple of the first, by observed and expected events (Peto). Nearer to 1 than
 * Cox's estimate where the groups differ much. Undefined without events in one of them.
 */
export function eventRatio({ groups: [one, other] }: Pick<LogRank, 'groups'>): Ratio | undefined {
  if (!one || !other || one.observed === 0 || other.observed === 0) return undefined;
  const ratio = other.observed / other.expected / (one.observed / one.expected);
  const reach = normalQuantile * Math.sqrt(1 / one.expected + 1 / other.expected);
  return { ratio, low: ratio * Math.exp(-reach), high: ratio * Math.exp(reach) };
}
