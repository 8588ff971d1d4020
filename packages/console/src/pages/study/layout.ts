import type { Attribute } from '../../study/study.ts';
import { survivalCharts, survivalOf } from '../../study/survival-charts.ts';

/** A chart with its place: columns and rows of the grid that it takes. */
export interface Placed {
  /** Id of an attribute or of a chart of another kind. */
  id: string;
  width: number;
  height: number;
  /** Letter of a setting of the chart: edges of its bars, or the mutations that it counts. */
  setting?: string;
}

type GeneKind = 'mutation' | 'copy_number' | 'fusion';

/** Charts of genes by their kind, with the table that has their alterations. */
export const geneCharts: ReadonlyMap<string, { kind: GeneKind; title: string; table: string }> = new Map([
  ['genes:mutation', { kind: 'mutation', title: 'Mutated genes', table: 'variant' }],
  ['genes:copy_number', { kind: 'copy_number', title: 'Copy-number genes', table: 'copynumber' }],
  ['genes:fusion', { kind: 'fusion', title: 'Fusion genes', table: 'fusion' }],
]);

/** Charts of what patients were treated and examined for, each with its table. */
export const courseCharts: ReadonlyMap<
  string,
  { kind: 'events' | 'treatments' | 'profiles'; title: string; table: string }
> = new Map([
  ['treatments', { kind: 'treatments', title: 'Treatments of the timeline', table: 'timeline_event' }],
  ['events', { kind: 'events', title: 'Events of the timeline', table: 'timeline_event' }],
  ['profiles', { kind: 'profiles', title: 'Profiled for', table: 'sample_profile' }],
]);

/** Columns of the lake that a new study charts, each with the attributes of files that replace it. */
const charted: Readonly<Record<string, readonly string[]>> = {
  'condition.code': ['CANCER_TYPE', 'CANCER_TYPE_DETAILED'],
  'patient.age': ['AGE', 'AGE_AT_DIAGNOSIS'],
  'patient.gender': ['SEX', 'GENDER'],
  'condition.stage': ['STAGE', 'TUMOR_STAGE', 'CLINICAL_STAGE', 'AJCC_PATHOLOGIC_TUMOR_STAGE'],
  'medication.code': [],
  'patient.birth_year': ['AGE'],
  'patient.is_deceased': ['OS_STATUS'],
  'patient.race': ['RACE'],
};
const chartsMax = 40;
const sizeMax = 6;

/** Attributes of which a new study shows a chart at most; search adds others. */
const firstMax = 20;

/** Returns the charts of a study that has no layout: what matters most first, then what its files define. */
export function firstLayout(attributes: readonly Attribute[], tables: readonly string[]): Placed[] {
  const order = Object.keys(charted);
  const rank = ({ id, priority }: Attribute): number => priority * 100 - order.indexOf(id);
  const defined = new Set(attributes.filter(({ origin }) => origin === 'study').map(({ id }) => id));
  const survival = survivalCharts(attributes).map(({ id }): Placed => ({ id, width: 2, height: 1 }));
  const drawn = new Set(survival.flatMap(({ id }) => survivalOf(id)?.time ?? []));
  const chosen = attributes
    .filter(({ id, origin, priority }) =>
      origin === 'study'
        ? priority > 0 && !drawn.has(id)
        : charted[id]?.every((other) => !defined.has(other)) === true,
    )
    .sort((one, other) => rank(other) - rank(one))
    .slice(0, firstMax)
    .map((attribute) => placed(attribute));
  const genes = [...geneCharts]
    .filter(([, { table }]) => tables.includes(table))
    .map(([id, { kind }]): Placed => ({ id, width: 2, height: kind === 'mutation' ? 2 : 1 }));
  const course = [...courseCharts]
    .filter(([, { table }]) => tables.includes(table))
    .map(([id]): Placed => ({ id, width: 2, height: 1 }));
  return [...chosen.slice(0, 1), ...genes, ...survival.slice(0, 1), ...chosen.slice(1), ...course];
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
      const [, id, width, height, setting = ''] = /^(.+)~(\d)(\d)([a-z]?)$/.exec(part) ?? [];
      if (id === undefined) return [];
      return [{ id, width: size(width), height: size(height), ...(setting !== '' && { setting }) }];
    });
}

/** Writes a layout for an address, one chart as `id~`, width, height and setting. */
export function writeLayout(charts: readonly Placed[]): string {
  const one = ({ id, width, height, setting = '' }: Placed): string => `${id}~${width}${height}${setting}`;
  return charts.length === 0 ? '|' : charts.map(one).join('|');
}
