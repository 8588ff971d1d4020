import type { Shape } from '../../api/lists.ts';
import { type Conditions, nodeOf, ownPill } from '../../study/conditions.ts';
import type { Attribute, StudyBody, Unit } from '../../study/study.ts';

export type Result = Shape<'StudyResult'>;
type Aggregate = Shape<'StudyAggregate'>;
type GeneKind = 'mutation' | 'copy_number' | 'fusion';

/** A chart with its place: columns and rows of the grid that it takes. */
export interface Placed {
  /** Id of an attribute, or `genes:` and the kind of alterations. */
  id: string;
  width: number;
  height: number;
}

/** Charts of genes by their kind. */
export const geneCharts: ReadonlyMap<string, { kind: GeneKind; title: string }> = new Map([
  ['genes:mutation', { kind: 'mutation', title: 'Mutated genes' }],
  ['genes:copy_number', { kind: 'copy_number', title: 'Genes with copy-number changes' }],
  ['genes:fusion', { kind: 'fusion', title: 'Genes in fusions' }],
]);

/** Ids of the charts of survival begin with this; the attribute of the status follows. */
const survivalPrefix = 'survival:';

/** Returns the charts of survival: pairs of attributes `…_STATUS` and `…_MONTHS`, overall survival first. */
export function survivalCharts(attributes: readonly Attribute[]): { id: string; name: string }[] {
  const ids = new Set(attributes.map(({ id }) => id));
  const rank = (id: string): number => (id.startsWith('OS_') ? 0 : 1);
  return attributes
    .filter(({ id }) => id.endsWith('_STATUS') && ids.has(timeOf(id)))
    .sort((one, other) => rank(one.id) - rank(other.id))
    .map(({ id, name }) => ({ id: `${survivalPrefix}${id}`, name: `Survival: ${name}` }));
}

const timeOf = (status: string): string => status.replace(/_STATUS$/, '_MONTHS');

/** Attributes of which a new study shows a chart, where they have values. */
const chartedFirst = [
  'condition.code',
  'patient.age',
  'patient.gender',
  'condition.stage',
  'medication.code',
  'patient.birth_year',
  'patient.is_deceased',
  'patient.race',
];
const chartsMax = 40;
const sizeMax = 6;

/** Returns the charts of a study that has no layout: what matters most first, then what its files define. */
export function firstLayout(
  attributes: readonly Attribute[],
  hasGenes: (kind: GeneKind) => boolean,
): Placed[] {
  const rank = ({ id, priority }: Attribute): number => priority * 100 - chartedFirst.indexOf(id);
  const charted = attributes
    .filter(({ id, origin, priority }) => (origin === 'study' ? priority > 0 : chartedFirst.includes(id)))
    .sort((one, other) => rank(other) - rank(one))
    .slice(0, 20)
    .map((attribute) => placed(attribute));
  const genes = [...geneCharts]
    .filter(([, { kind }]) => hasGenes(kind))
    .map(([id, { kind }]): Placed => ({ id, width: 2, height: kind === 'mutation' ? 2 : 1 }));
  const survival = survivalCharts(attributes)
    .slice(0, 1)
    .map(({ id }): Placed => ({ id, width: 2, height: 1 }));
  return [...charted.slice(0, 1), ...genes, ...survival, ...charted.slice(1)];
}

/** Returns a new chart of an attribute in the size of its kind. */
export function placed({ id, type }: Pick<Attribute, 'id' | 'type'>): Placed {
  if (type === 'number') return { id, width: 2, height: 1 };
  return id.endsWith('.code') ? { id, width: 2, height: 2 } : { id, width: 1, height: 1 };
}

/** Reads a layout from an address; `undefined` where there is none. */
export function readLayout(text: string | undefined): Placed[] | undefined {
  if (!text) return undefined;
  const size = (part: string | undefined): number => Math.min(sizeMax, Math.max(1, Number(part) || 1));
  return text
    .split('|')
    .slice(0, chartsMax)
    .flatMap((part) => {
      const [, id, width, height] = /^(.+)~(\d)(\d)$/.exec(part) ?? [];
      return id === undefined ? [] : [{ id, width: size(width), height: size(height) }];
    });
}

/** Writes a layout for an address, one chart as `id~`, width and height. */
export function writeLayout(charts: readonly Placed[]): string {
  return charts.length === 0
    ? '|'
    : charts.map(({ id, width, height }) => `${id}~${width}${height}`).join('|');
}

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
      ...askedIn(conditions, charts).flatMap((id, at) => aggregatesOf(id, at, conditions, attributes)),
    ],
  };
}

/** Lists the ids of the charts, and of attributes that only the conditions name. */
function askedIn(conditions: Conditions, charts: readonly Placed[]): string[] {
  const named = conditions.flatMap(({ is }) => ('attribute' in is && is.in ? [is.attribute] : []));
  return [...new Set([...charts.map(({ id }) => id), ...named])];
}

/** Returns the aggregate of a chart, and the count of its subjects where it leaves its own choice out. */
function aggregatesOf(
  chart: string,
  at: number,
  conditions: Conditions,
  attributes: readonly Attribute[],
): Aggregate[] {
  const id = `c${at}`;
  const genes = geneCharts.get(chart);
  if (genes) return [{ id, kind: 'genes', alteration: genes.kind, top: genesMax }];
  if (chart.startsWith(survivalPrefix)) {
    const status = chart.slice(survivalPrefix.length);
    return [{ id, kind: 'km', time: timeOf(status), status }];
  }
  const attribute = attributes.find((one) => one.id === chart);
  if (!attribute) return [];
  const ignoreOwn = ownPill(conditions, chart);
  const common = { id, attribute: chart, ...(ignoreOwn !== undefined && { ignoreOwn }) };
  return [
    attribute.type === 'number' ? { ...common, kind: 'bins' } : { ...common, kind: 'values', top: valuesMax },
    ...(ignoreOwn === undefined ? [] : [{ id: `n${at}`, kind: 'count' as const, ignoreOwn }]),
  ];
}

type Matched = Shape<'StudyCount'>;

/** Answer of the service to the request of a page. */
export interface Answer {
  matched: Matched;
  results: Readonly<Record<string, Result>>;
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
  const found = askedIn(conditions, charts).map((id, at): [string, ChartResult] => [
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
  };
}

/** Words of the values of attributes, by the id of the attribute and the value. */
export type Labels = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Collects the words of values from a result. */
function wordsIn(result: Result | undefined): ReadonlyMap<string, string> {
  return new Map(
    (result?.values?.items ?? []).flatMap(({ value, label }) => (label ? [[value, label] as const] : [])),
  );
}
