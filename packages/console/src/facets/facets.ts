import { queryOptions } from '@tanstack/react-query';
import { api, take } from '../api/client.ts';
import { isOneOf, type Where } from '../api/where.ts';

/** A property of patients by which they are chosen. */
export interface Facet {
  id: string;
  title: string;
  /** Rows that are counted. */
  target: string;
  field: string;
  /** Conditions of this collection hold for the same row. */
  group: readonly string[];
  /** Type of the values; string by default. Numbers and dates are chosen by their two ends. */
  type?: string;
  /** Field of the gene whose values are meant: the third text of a choice, behind the two ends. */
  geneField?: string;
  /** Names of the values, which are ids of cohorts. */
  names?: ReadonlyMap<string, string>;
  /** Patients for whom it holds are left out. */
  excludes?: true;
}

const clinical = (id: string, title: string, collection: string, field = 'display'): Facet => ({
  id,
  title,
  target: id,
  field,
  group: ['patient', collection],
});

/** Facets in the order of the page. */
const facets: readonly Facet[] = [
  {
    id: 'age',
    title: 'Age',
    target: 'demographic',
    field: 'age',
    group: ['patient', 'demographics'],
    type: 'int',
  },
  { id: 'sex', title: 'Sex', target: 'demographic', field: 'gender', group: ['patient', 'demographics'] },
  {
    id: 'deceased',
    title: 'Deceased',
    target: 'demographic',
    field: 'is_deceased',
    group: ['patient', 'demographics'],
    type: 'boolean',
  },
  { id: 'race', title: 'Race', target: 'demographic', field: 'race', group: ['patient', 'demographics'] },
  clinical('condition', 'Conditions', 'conditions'),
  clinical('medication', 'Medications', 'medications'),
  clinical('procedure', 'Procedures', 'procedures'),
  clinical('observation', 'Observations', 'observations'),
  { id: 'gene', title: 'Genes with variants', target: 'variant', field: 'gene', group: ['variant'] },
  { id: 'consequence', title: 'Consequence', target: 'variant', field: 'ebcanon_class', group: ['variant'] },
  {
    id: 'significance',
    title: 'Significance',
    target: 'variant',
    field: 'clinical_significance',
    group: ['variant'],
  },
  {
    id: 'frequency',
    title: 'Population frequency',
    target: 'variant',
    field: 'population_allele_frequency',
    group: ['variant'],
    type: 'float',
  },
  {
    id: 'copynumber',
    title: 'Copy number of genes',
    target: 'copynumber',
    field: 'gene',
    group: ['copynumber'],
  },
  { id: 'fusion', title: 'Fusions', target: 'fusion', field: 'gene1', group: ['fusion'] },
  {
    id: 'expression',
    title: 'Expression of a gene',
    target: 'expression',
    field: 'expression',
    group: ['expression'],
    type: 'float',
    geneField: 'gene_name',
  },
];

/** Facets of membership of cohorts; none where there are no cohorts. */
export function cohortFacets(cohorts: readonly { id: string; name: string }[]): Facet[] {
  if (cohorts.length === 0) return [];
  const names = new Map(cohorts.map(({ id, name }) => [id, name]));
  const membership = { target: 'patient', field: 'cohort', group: ['patient'], names };
  return [
    { id: 'cohort', title: 'In a cohort', ...membership },
    { id: 'notCohort', title: 'Not in a cohort', ...membership, excludes: true },
  ];
}

/** Reports whether the values of a facet are chosen by their two ends. */
export const isRange = ({ type = 'string' }: Facet): boolean => !['string', 'boolean'].includes(type);

/** Facets of a project: those of every project, and the columns of the tables that it defines itself. */
export const facetsOf = (datasetId: string) =>
  queryOptions({
    queryKey: ['facets', datasetId],
    staleTime: 60_000,
    queryFn: async () => {
      const params = { query: { datasetId } };
      const { collections } = await take(api.GET('/v1/analytics/fields', { params }));
      return [...facets, ...collections.filter(({ own }) => own).flatMap(ownFacets)];
    },
  });

const idFields = ['patient_id', 'sample_id'];

/** Facets of a table of patients; the subjects of other tables cannot be counted by value. */
function ownFacets(table: {
  target: string;
  names: string[];
  fields: { name: string; type: string }[];
}): Facet[] {
  const { target, names, fields } = table;
  const group = names[0]?.split('.') ?? [];
  if (group[0] !== 'patient') return [];
  return fields
    .filter(({ name }) => !idFields.includes(name))
    .map(({ name, type }) => ({
      ...{ id: `${target}.${name}`, title: `${target}: ${name}` },
      ...{ target, field: name, group, type },
    }));
}

/** Chosen values by facet, in the order of choosing; a range holds two ends, '' where open. */
export type Filter = Record<string, string[]>;

/** Reads a filter from an address. */
export function readFilter(text: string | undefined): Filter {
  if (!text) return {};
  try {
    return JSON.parse(text) as Filter;
  } catch {
    // An address that was cut off filters nothing.
    return {};
  }
}

/** Writes a filter for an address; empty when nothing is chosen. */
export function writeFilter(filter: Filter): string {
  const given = Object.entries(filter).filter(([, values]) => values.some((value) => value !== ''));
  return given.length === 0 ? '' : JSON.stringify(Object.fromEntries(given));
}

/** Returns the conditions of a filter: those on one collection of omic rows hold for the same row. */
export function whereOf(filter: Filter, known: readonly Facet[]): Where | undefined {
  const groups = new Map<string, { facet: Facet; conditions: Where }>();
  for (const [id, values] of Object.entries(filter)) {
    const facet = known.find((one) => one.id === id);
    const conditions = facet && conditionsOf(facet, values);
    if (!conditions) continue;
    const key = [facet.excludes, ...facet.group].join('.');
    groups.set(key, { facet, conditions: { ...groups.get(key)?.conditions, ...conditions } });
  }
  const all = [...groups.values()].map(({ facet: { group, excludes }, conditions }) => {
    const where = group.reduceRight<Where>((inner, name) => ({ [name]: inner }), conditions);
    return excludes ? { not: where } : where;
  });
  return all.length > 1 ? { and: all } : all[0];
}

/** Conditions on the fields of a facet's rows; `undefined` for an unfinished choice. */
function conditionsOf(facet: Facet, values: string[]): Where | undefined {
  const { field, type, geneField } = facet;
  const [from = '', to = '', gene = ''] = values;
  if (values.every((value) => value === '') || (geneField && gene === '')) return undefined;
  if (isRange(facet))
    return {
      ...(geneField && { [geneField]: isOneOf([gene]) }),
      ...((from !== '' || to !== '') && { [field]: [between(from, to, type)] }),
    };
  const typed = type === 'boolean' ? values.map((value) => value === 'true') : values;
  return { [field]: isOneOf(typed) };
}

function between(from: string, to: string, type: string | undefined): Where {
  const typed = (end: string): string | number => (type === 'int' || type === 'float' ? Number(end) : end);
  if (from !== '' && to !== '') return { operator: 'between', value: [typed(from), typed(to)] };
  return from === '' ? { operator: 'lte', value: typed(to) } : { operator: 'gte', value: typed(from) };
}

/** Returns a filter without one of its facets. */
export function without(filter: Filter, id: string): Filter {
  return Object.fromEntries(Object.entries(filter).filter(([key]) => key !== id));
}

/** Returns a facet of a filter in words. */
export function inWords(id: string, values: string[], known: readonly Facet[]): string {
  const facet = known.find((one) => one.id === id);
  const title = facet?.title ?? id;
  const [from, to, gene] = values;
  if (facet?.geneField) return `Expression of ${gene || 'a gene'} ${from || 'any'} to ${to || 'any'}`;
  if (facet && isRange(facet)) return `${title} ${from || 'any'} to ${to || 'any'}`;
  return `${title}: ${values.map((value) => facet?.names?.get(value) ?? value).join(', ')}`;
}
