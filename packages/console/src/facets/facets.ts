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
type Filter = Record<string, string[]>;

/** Returns the conditions of a filter: those on one collection of omic rows hold for the same row. */
export function whereOf(filter: Filter, known: readonly Facet[]): Where | undefined {
  const groups = new Map<string, { facet: Facet; conditions: Where }>();
  for (const [id, values] of Object.entries(filter)) {
    const facet = known.find((one) => one.id === id);
    const conditions = facet && conditionsOf(facet, values);
    if (!conditions) continue;
    const key = facet.group.join('.');
    groups.set(key, { facet, conditions: { ...groups.get(key)?.conditions, ...conditions } });
  }
  const all = [...groups.values()].map(({ facet: { group }, conditions }) =>
    group.reduceRight<Where>((inner, name) => ({ [name]: inner }), conditions),
  );
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
