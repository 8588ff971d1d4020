/** Seeded cases for the comparison with SciPy and lifelines: ordinary data, and data at the ends of what tests can answer. */
import { pearson, regression, spearman } from './correlation.ts';
import { chiSquare, type FourCounts, fisherExact } from './counts.ts';
import { cox, type Described } from './cox.ts';
import { logRank } from './log-rank.ts';
import { momentsOf, varianceAnalysis, welch } from './means.ts';
import { adjusted, chiSquareTail, studentTails, varianceRatioTail } from './probabilities.ts';
import { kruskalWallis, mannWhitney } from './ranks.ts';
import { proportionality } from './schoenfeld.ts';
import { kaplanMeier } from './survival.ts';

const casesOfEach = 60;

/** Numbers from 0 to 1, the same in each run (Park and Miller 1988). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

const next = generator(20_261_129);
const whole = (from: number, to: number): number => from + Math.floor(next() * (to - from + 1));
const list = <T>(length: number, of: () => T): T[] => Array.from({ length }, of);
const normal = (): number => Math.sqrt(-2 * Math.log(next())) * Math.cos(2 * Math.PI * next());

/** Groups of values: of whole numbers with ties, or without. */
function groupsOf(count: number, sizeMin: number): number[][] {
  const isTied = next() < 0.5;
  const value = isTied ? () => whole(0, 9) / 2 : () => normal() * 3 + 10;
  return list(count, () => list(whole(sizeMin, 40), value));
}

interface Subject extends Described {
  group: number;
}

/** Subjects of groups with different hazards; times of whole numbers have ties. */
function subjectsOf(groups: number, entersLate: boolean): Subject[] {
  const isTied = next() < 0.5;
  return list(whole(20, 120), () => {
    const group = whole(0, groups - 1);
    const covariates = [Number(group > 0), normal(), whole(0, 3)];
    const hazard = Math.exp(0.5 * (covariates[0] ?? 0) - 0.3 * (covariates[1] ?? 0));
    const end = (-20 * Math.log(next())) / hazard + 0.01;
    const time = isTied ? Math.ceil(end) : end;
    const entry = isTied ? whole(0, Math.min(4, time - 1)) : next() * 0.5 * time;
    return { time, isEvent: next() < 0.7, group, covariates, ...(entersLate && { entry }) };
  });
}

/** Numbers of a test; those that it does not answer with are absent. */
type Values = (number | null | undefined)[];
interface Case {
  method: string;
  arguments: unknown[];
  /** Own numbers, in the order of the reference. */
  own: Values;
  smallNumber?: number;
}

const makers: Record<string, () => Case> = {
  fisher: () => {
    const [a, b, c, d] = list(4, () => whole(0, next() < 0.5 ? 12 : 400));
    const table: FourCounts = [a ?? 0, b ?? 0, c ?? 0, d ?? 0];
    return { method: 'fisher', arguments: [[table.slice(0, 2), table.slice(2)]], own: [fisherExact(table)] };
  },
  chiSquare: () => {
    const width = whole(2, 5);
    const table = list(whole(2, 5), () => list(width, () => whole(1, 60)));
    const found = chiSquare(table);
    return {
      method: 'chi_square',
      arguments: [table],
      own: [found?.statistic, found?.p, found?.expectedMin],
    };
  },
  mannWhitney: () => {
    const groups = groupsOf(2, 2);
    const continuity = next() < 0.5;
    const found = mannWhitney(groups[0] ?? [], groups[1] ?? [], { continuity });
    return { method: 'mann_whitney', arguments: [groups, continuity], own: [found?.statistic, found?.p] };
  },
  mannWhitneyFew: () => {
    const groups = [list(whole(1, 8), normal), list(whole(1, 30), () => normal() + 0.5)];
    const found = mannWhitney(groups[0] ?? [], groups[1] ?? []);
    return { method: 'mann_whitney', arguments: [groups, true], own: [found?.statistic, found?.p] };
  },
  kruskalWallis: () => {
    const groups = groupsOf(whole(2, 5), 2);
    const found = kruskalWallis(groups);
    return { method: 'kruskal', arguments: [groups], own: [found?.statistic, found?.p] };
  },
  welch: () => {
    const groups = groupsOf(2, 3);
    const found = welch(momentsOf(groups[0] ?? []), momentsOf(groups[1] ?? []));
    const own = [found?.statistic, found?.degrees, found?.p, found?.low, found?.high];
    return { method: 'welch', arguments: [groups], own };
  },
  varianceAnalysis: () => {
    const groups = groupsOf(whole(2, 5), 3);
    const found = varianceAnalysis(groups.map(momentsOf));
    return { method: 'anova', arguments: [groups], own: [found?.statistic, found?.p] };
  },
  correlations: () => {
    const length = whole(4, 60);
    const x = list(length, next() < 0.5 ? normal : () => whole(0, 6));
    const y = x.map((value) => 0.4 * value + normal());
    const [one, two, line] = [pearson(x, y), spearman(x, y), regression(x, y)];
    const own = [one?.coefficient, one?.p, two?.coefficient, two?.p, line?.slope, line?.intercept];
    return {
      method: 'correlations',
      arguments: [[x, y]],
      own: [...own, line?.error, line?.p, line?.low, line?.high],
    };
  },
  adjusted: () => {
    const values = list(whole(1, 200), () => (next() < 0.2 ? whole(0, 10) / 10 : next() ** 3));
    return { method: 'adjusted', arguments: [values], own: adjusted(values) };
  },
  kaplanMeier: () => {
    const subjects = subjectsOf(1, false);
    const { median, medianLow, medianHigh, steps } = kaplanMeier(subjects, 'log-log');
    // Where all had the event, lifelines has an interval of the single point 0.
    const own = steps.flatMap(({ survival, low, high }) => [survival, low ?? 0, high ?? 0]);
    const infinite = (value: number | null): number => value ?? Number.POSITIVE_INFINITY;
    return {
      method: 'kaplan_meier',
      arguments: [subjects],
      own: [infinite(median), infinite(medianLow), infinite(medianHigh), ...own],
    };
  },
  logRank: () => {
    const groups = whole(2, 5);
    const subjects = subjectsOf(groups, false);
    const found = logRank(list(groups, () => 0).map((_, at) => subjects.filter(({ group }) => group === at)));
    return { method: 'log_rank', arguments: [subjects], own: [found?.statistic, found?.p] };
  },
  cox: () => coxCase(false),
  coxLate: () => coxCase(true),
  proportionality: proportionalityCase,
};

/** Data at the ends of what tests can answer. What has no answer is NaN in SciPy, and undefined here. */
const edges: Record<string, () => Case> = {
  fisherLarge: () => {
    const size = 10 ** whole(2, 6);
    const [a, b, c, d] = list(4, () =>
      next() < 0.1 ? 0 : whole(size - Math.ceil(3 * Math.sqrt(size)), size),
    );
    const table: FourCounts = [a ?? 0, b ?? 0, c ?? 0, d ?? 0];
    return { method: 'fisher', arguments: [[table.slice(0, 2), table.slice(2)]], own: [fisherExact(table)] };
  },
  welchEdges: () => {
    const groups = edgeGroups(2);
    const found = welch(momentsOf(groups[0] ?? []), momentsOf(groups[1] ?? []));
    const own = [found?.statistic, found?.degrees, found?.p, found?.low, found?.high];
    return { method: 'welch', arguments: [groups], own };
  },
  varianceEdges: () => {
    const groups = edgeGroups(whole(2, 4));
    const found = varianceAnalysis(groups.map(momentsOf));
    return { method: 'anova', arguments: [groups], own: [found?.statistic, found?.p] };
  },
  rankEdges: () => {
    const groups = edgeGroups(2);
    const found = mannWhitney(groups[0] ?? [], groups[1] ?? []);
    return { method: 'mann_whitney', arguments: [groups, true], own: [found?.statistic, found?.p] };
  },
  kruskalEdges: () => {
    const groups = edgeGroups(whole(2, 4));
    const found = kruskalWallis(groups);
    return { method: 'kruskal', arguments: [groups], own: [found?.statistic, found?.p] };
  },
  correlationEdges: () => {
    const length = whole(0, 6);
    const [x, y] = [edgeValues(length), edgeValues(length)];
    const [one, two] = [pearson(x, y), spearman(x, y)];
    const own = [one?.coefficient, one?.p, two?.coefficient, two?.p];
    return { method: 'correlations_only', arguments: [[x, y]], own, smallNumber: 1e-6 };
  },
  tails: () => {
    const degrees = next() < 0.5 ? whole(1, 30) : 10 ** (8 * next());
    const ratio = 10 ** (4 * next() - 2);
    const above = whole(1, 200);
    const own = [
      studentTails(ratio, degrees),
      chiSquareTail(ratio * above, above),
      varianceRatioTail(ratio, above, degrees),
    ];
    return { method: 'tails', arguments: [ratio, degrees, above], own, smallNumber: 0 };
  },
  followedEdges: () => {
    const shape = whole(0, 2);
    const subjects = list(whole(2, 6), () => ({
      ...{ time: whole(1, 4), isEvent: shape > 0 && next() < 0.5 },
      group: shape === 1 ? 0 : whole(0, 2),
    }));
    const found = logRank([0, 1, 2].map((at) => subjects.filter(({ group }) => group === at)));
    return { method: 'log_rank', arguments: [subjects], own: [found?.statistic, found?.p] };
  },
};

/** Values of one unit of any size; some lists are equal throughout. */
function edgeValues(length: number): number[] {
  const unit = 2 ** whole(-300, 300);
  const isEqual = next() < 0.2;
  return list(length, () => unit * (isEqual ? 3 : whole(0, 4)));
}

/** Groups of a few values in a unit whose fourth power is a double. */
function edgeGroups(count: number): number[][] {
  const unit = 2 ** whole(-200, 200);
  return list(count, () => {
    const middle = whole(0, 3);
    const isEqual = next() < 0.3;
    return list(whole(1, 5), () => unit * (isEqual ? middle : middle + whole(0, 3)));
  });
}

function coxCase(entersLate: boolean): Case {
  const subjects = subjectsOf(2, entersLate);
  const own = cox(subjects)?.flatMap(({ coefficient, error, p, low, high }) => [
    coefficient,
    error,
    p,
    low,
    high,
  ]);
  const plain = subjects.map(({ group: _, ...one }) => one);
  return { method: 'cox', arguments: [plain], own: own ?? [] };
}

function proportionalityCase(): Case {
  const subjects = subjectsOf(2, false);
  const own = proportionality(subjects, cox(subjects) ?? [])?.each.flatMap(({ statistic, p }) => [
    statistic,
    p,
  ]);
  const plain = subjects.map(({ group: _, ...one }) => one);
  return { method: 'proportionality', arguments: [plain], own: own ?? [] };
}

/** Makes the cases of each maker. `isEdge`: the test may have no answer, as the reference has none. */
export const allCases = (): (Case & { name: string; isEdge: boolean })[] =>
  [makers, edges].flatMap((of) =>
    Object.entries(of).flatMap(([name, make]) =>
      list(casesOfEach, () => ({ name, isEdge: of === edges, ...make() })),
    ),
  );
