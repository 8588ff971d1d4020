import type { Shape } from '../../api/lists.ts';
import { type Conditions, type Leaf, type Node, nodeOf, ownPill } from '../../study/conditions.ts';
import { numbersFirst, type Pair, pairOf } from '../../study/pair-charts.ts';
import type { Attribute, StudyBody, Unit } from '../../study/study.ts';
import { survivalOf } from '../../study/survival-charts.ts';
import type { Labels } from '../../study/words.ts';
import { courseCharts, geneCharts, type Placed } from './layout.ts';

export type Result = Shape<'StudyResult'>;
type Aggregate = Shape<'StudyAggregate'>;

/** Values of one chart that the service lists; the rest is one bar. */
const valuesMax = 200;
const genesMax = 200;

/** Id of the count of all subjects, and the pill of the whole filter that it leaves out. */
const all = 'all';

/** Builds the one request of a state of the page: its charts, and the words of values that only the filter names. */
export function studyBody(
  datasetId: string,
  unit: Unit,
  conditions: Conditions,
  charts: readonly Placed[],
  attributes: readonly Attribute[],
): StudyBody {
  return {
    datasetId,
    unit,
    filter: { ...nodeOf(conditions), pill: all },
    aggregates: [
      { id: all, kind: 'count', ignoreOwn: all },
      ...askedIn(conditions, charts).flatMap((chart, at) => aggregatesOf(chart, at, conditions, attributes)),
    ],
  };
}

/** Chart, or an attribute that only the conditions name. */
type Asked = Pick<Placed, 'id' | 'setting'>;

/** Lists the charts by their ids, so that moving one asks nothing, and the attributes that only the conditions name. */
function askedIn(conditions: Conditions, charts: readonly Placed[]): Asked[] {
  const named = conditions.flatMap(({ is }) => valuesNamedIn(is));
  const others = new Set(named).difference(new Set(charts.map(({ id }) => id)));
  return [...charts, ...[...others].map((id) => ({ id }))].sort((one, other) => (one.id < other.id ? -1 : 1));
}

/** Returns the attributes whose values a filter names. */
function valuesNamedIn(node: Node): string[] {
  if ('and' in node) return node.and.flatMap(valuesNamedIn);
  if ('or' in node) return node.or.flatMap(valuesNamedIn);
  if ('not' in node) return valuesNamedIn(node.not);
  return 'attribute' in node && node.in ? [node.attribute] : [];
}

/** Edges of the bars of a number, by the letter of the setting. */
const binMethods = { m: 'median', q: 'quartiles', l: 'log' } as const;

/** Alterations that a chart of genes counts, by the letter of the setting. */
const countings = { d: 'drivers', p: 'pathogenic', a: 'all' } as const;

/** Returns the alterations that a chart of genes counts; `undefined`: non-silent ones. */
export function countingOf(setting = ''): (typeof countings)[keyof typeof countings] | undefined {
  return Object.entries(countings).find(([letter]) => letter === setting)?.[1];
}

/** Returns the test that a number of a chart of genes counts, which a click on it adds. */
export function geneLeaf(
  { id, setting }: Placed,
  { gene, class: type }: { gene: string; class?: string },
): Leaf {
  const kind = geneCharts.get(id)?.kind ?? 'mutation';
  const counts = countingOf(setting);
  return {
    alteration: { genes: [gene], kinds: [kind], ...(type && { classes: [type] }), ...(counts && { counts }) },
  };
}

/** Builds the request for the genes of a chart that begin with letters: a chart itself has the most frequent ones. */
export function genesBody(
  asked: Omit<StudyBody, 'filter' | 'aggregates'>,
  conditions: Conditions,
  { id, setting }: Placed,
  search: string,
): StudyBody {
  const alteration = geneCharts.get(id)?.kind ?? 'mutation';
  const counts = countingOf(setting);
  return {
    ...{ ...asked, filter: nodeOf(conditions) },
    aggregates: [
      { ...{ id: 'found', kind: 'genes', alteration, search, top: genesMax }, ...(counts && { counts }) },
    ],
  };
}

/** Returns the aggregate of a chart, and the count of its subjects where it leaves its own choice out. */
function aggregatesOf(
  { id: chart, setting = '' }: Asked,
  at: number,
  conditions: Conditions,
  attributes: readonly Attribute[],
): Aggregate[] {
  const id = `c${at}`;
  const genes = geneCharts.get(chart);
  const counts = countingOf(setting);
  if (genes) return [{ id, kind: 'genes', alteration: genes.kind, top: genesMax, ...(counts && { counts }) }];
  const course = courseCharts.get(chart);
  if (course) return [{ id, kind: course.kind, top: valuesMax }];
  const pair = pairOf(chart, attributes);
  if (pair) return [pairAggregate(id, pair)];
  const survival = survivalOf(chart);
  if (survival) return [{ id, kind: 'km', ...survival }];
  const attribute = attributes.find((one) => one.id === chart);
  if (!attribute) return [];
  const ignoreOwn = ownPill(conditions, chart);
  const common = { id, attribute: chart, ...(ignoreOwn !== undefined && { ignoreOwn }) };
  const method = Object.entries(binMethods).find(([letter]) => letter === setting)?.[1];
  return [
    attribute.type === 'number'
      ? { ...common, kind: 'bins', ...(method && { method }) }
      : { ...common, kind: 'values', top: valuesMax },
    ...(ignoreOwn === undefined ? [] : [{ id: `n${at}`, kind: 'count' as const, ignoreOwn }]),
  ];
}

/** Pairs of numbers up to which each is a dot. */
const pointsMax = 5000;
/** Values on each side of a two-way table. */
const sideMax = 20;

/** Returns the aggregate of two attributes: of numbers, of numbers by category, or of categories. */
function pairAggregate(id: string, pair: Pair): Aggregate {
  const { x, y } = numbersFirst(pair);
  if (y.type === 'number') return { id, kind: 'density', x: x.id, y: y.id, pointsMax };
  if (x.type === 'number') return { id, kind: 'box', number: x.id, group: y.id };
  return { id, kind: 'table', row: x.id, column: y.id, top: sideMax };
}

type Matched = Shape<'StudyCount'>;

/** Answer of the service to the request of a page. */
export interface Answer {
  matched: Matched;
  results: Readonly<Record<string, Result>>;
  roundedTo?: number;
}

/** Result of a chart, with the number of subjects that it counts; `null`: too few to be shown. */
interface ChartResult {
  result: Result | undefined;
  total: number | null;
}

/** Results of a page by the ids of its charts. */
export interface PageResults {
  matched: Matched | undefined;
  all: Matched | undefined;
  charts: ReadonlyMap<string, ChartResult>;
  labels: Labels;
  /** Counts are rounded to multiples of it; absent: they are exact. */
  roundedTo: number | undefined;
}

/** Reads an answer by the state that asked for it. */
export function resultsIn(
  answer: Answer | undefined,
  unit: Unit,
  conditions: Conditions,
  charts: readonly Placed[],
): PageResults {
  const counted = (count: Matched | undefined): number | null =>
    count?.[unit === 'sample' ? 'samples' : 'patients'] ?? null;
  const found = askedIn(conditions, charts).map(({ id }, at): [string, ChartResult] => [
    id,
    {
      result: answer?.results[`c${at}`],
      total: counted(answer?.results[`n${at}`]?.count ?? answer?.matched),
    },
  ]);
  return {
    matched: answer?.matched,
    all: answer?.results[all]?.count,
    charts: new Map(found),
    labels: new Map(found.map(([id, { result }]) => [id, wordsIn(result)])),
    roundedTo: answer?.roundedTo,
  };
}

/** Collects the words of values from a result. */
function wordsIn(result: Result | undefined): ReadonlyMap<string, string> {
  return new Map(
    (result?.values?.items ?? []).flatMap(({ value, label }) => (label ? [[value, label] as const] : [])),
  );
}
