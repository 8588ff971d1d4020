import type { Building } from '../building.ts';
import type { Members } from './groups.ts';
import { categoryTest, type Outcome, type Ranked, rankTest, shareTest } from './tests.ts';

/** Number of values of a category beyond which it is no category. */
const valuesMax = 50;
/** Number of values that are tested each, where a subject may have several. */
const severalMax = 20;

/** Numbers of an attribute. */
export interface FoundValues {
  numbers: number;
  texts: number;
  ranks: { g: number; count: number; rankSum: number; median: number }[] | null;
  /** Sum of t³ − t over groups of t equal numbers. */
  ties: number | null;
  /** Distinct values, the most frequent `valuesMax` of them, and the most values of one owner. */
  values: number;
  items: { value: string; label: string | null; groups: { g: number; n: number }[] }[] | null;
  ownersWith: { g: number; n: number }[] | null;
  valuesOfOneMax: number | null;
}

/**
 * Builds the values of an attribute in each group. A patient counts once, with the mean of several numbers: samples of one
 * patient are not independent.
 */
export function valuesSql(attribute: string, { members }: Members, { statement }: Building): string {
  const rows = statement.relation(
    JSON.stringify(['compared values', members, attribute]),
    () => `SELECT DISTINCT m.g, m.owner, v.value, v.number, v.label FROM ${members} AS m
      JOIN ${statement.values(attribute)} AS v ON v.subject = m.subject`,
  );
  const means = `SELECT g, owner, avg(number) AS number FROM ${rows} WHERE isfinite(number) GROUP BY g, owner`;
  const ranked = `SELECT g, number, (rank() OVER (ORDER BY number)) + (count(*) OVER (PARTITION BY number) - 1) / 2.0 AS place,
    count(*) OVER (PARTITION BY number) AS same FROM (${means})`;
  const ranks = `SELECT g, count(*) AS n, sum(place) AS places, median(number) AS middle FROM (${ranked}) GROUP BY g`;
  const often = `SELECT value, any_value(label) AS label, count(DISTINCT owner) AS n FROM ${rows} WHERE value IS NOT NULL
    GROUP BY value ORDER BY n DESC, value LIMIT ${valuesMax}`;
  const counted = `SELECT o.value, o.label, r.g, o.n AS weight, count(DISTINCT r.owner) AS n FROM (${often}) AS o
    JOIN ${rows} AS r ON r.value = o.value GROUP BY o.value, o.label, o.n, r.g`;
  const items = `SELECT value, label, any_value(weight) AS weight, list({'g': g, 'n': n}) AS groups FROM (${counted}) GROUP BY value, label`;
  const owners = `SELECT g, count(DISTINCT owner) AS n FROM ${rows} WHERE value IS NOT NULL GROUP BY g`;
  const several = `SELECT count(DISTINCT value) AS n FROM ${rows} WHERE value IS NOT NULL GROUP BY g, owner`;
  return `SELECT {'numbers': (SELECT count(*) FROM ${rows} WHERE isfinite(number)),
    'texts': (SELECT count(*) FROM ${rows} WHERE number IS NULL),
    'ranks': (SELECT list({'g': g, 'count': n, 'rankSum': places, 'median': middle}) FROM (${ranks})),
    'ties': (SELECT sum(same * same - 1) FROM (${ranked})),
    'values': (SELECT count(DISTINCT value) FROM ${rows}), 'valuesOfOneMax': (SELECT max(n) FROM (${several})),
    'items': (SELECT list({'value': value, 'label': label, 'groups': groups} ORDER BY weight DESC, value) FROM (${items})),
    'ownersWith': (SELECT list({'g': g, 'n': n}) FROM (${owners}))}`;
}

/** Reason why an attribute is not compared, or not all of its values are. */
export const leftOutReasons = ['tooManyValues', 'rareValues'] as const;
export type LeftOutReason = (typeof leftOutReasons)[number];

/** Test of an attribute, or of one of its values. */
export interface ValueTest {
  kind: 'attribute';
  name: string;
  /** Value that is compared with all others, where a subject may have several. */
  value?: string;
  /** Subjects of each group by value. */
  values?: { value: string; label?: string; counts: number[] }[];
  outcome: Outcome | undefined;
}

/**
 * Yields the tests of an attribute. Numbers are compared by ranks. Of categories two values of two groups are compared by
 * Fisher's test, others by χ². Where a subject has several values each of the most frequent is compared with its absence.
 * Returns a reason where nothing, or not every value, is compared.
 */
export function* valueTests(
  name: string,
  found: FoundValues,
  groups: number,
): Generator<ValueTest, LeftOutReason | undefined> {
  const counts = (list: { g: number; n: number }[] | null): number[] => {
    const row = new Array<number>(groups).fill(0);
    for (const { g, n } of list ?? []) row[g] = n;
    return row;
  };
  if (found.numbers > found.texts) {
    const ranks = Array.from({ length: groups }, (_, at): Ranked => {
      const own = (found.ranks ?? []).find(({ g }) => g === at);
      return own ?? { count: 0, rankSum: 0, median: null };
    });
    yield { kind: 'attribute', name, outcome: rankTest(ranks, found.ties ?? 0) };
    return undefined;
  }
  const items = (found.items ?? []).map(({ value, label, groups: list }) => ({
    ...{ value, counts: counts(list) },
    ...(label !== null && { label }),
  }));
  const all = counts(found.ownersWith);
  const having = (row: readonly number[]) => all.map((count, at) => ({ count, having: row[at] ?? 0 }));
  if ((found.valuesOfOneMax ?? 0) > 1) {
    for (const { value, label, counts: row } of items.slice(0, severalMax))
      yield { kind: 'attribute', name, value: label ?? value, outcome: shareTest(having(row)) };
    return found.values > severalMax ? 'rareValues' : undefined;
  }
  if (found.values > valuesMax) return 'tooManyValues';
  const [first, second, third] = items;
  if (!first || !second) return undefined;
  const given = all.filter((count) => count > 0).length;
  const outcome =
    third === undefined && given === 2
      ? shareTest(having(first.counts))
      : categoryTest(all.map((_, at) => items.map(({ counts: row }) => row[at] ?? 0)));
  yield { kind: 'attribute', name, values: items, outcome };
  return undefined;
}
