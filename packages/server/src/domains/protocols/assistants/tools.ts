import { type TSchema, Type } from 'typebox';
import { type Tool, ToolRefused, tool } from './tool.ts';

const project = Type.String({ minLength: 1, maxLength: 64, description: 'Id of a project: list_projects' });
const pageToken = Type.Optional(
  Type.String({ maxLength: 8192, description: 'nextPageToken of the page before' }),
);
const sized = (maximum: number, what: string) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum, description: `Number of ${what}; default 50` }));
const unit = Type.Optional(
  Type.Unsafe<'sample' | 'patient'>({
    type: 'string',
    enum: ['sample', 'patient'],
    description: 'Subjects to count; default patient',
  }),
);
const words = {
  filter:
    'Filter of subjects. Leaves: {"attribute": id, "in": [values]} or {"attribute": id, "ranges": [{"gte": 50}]}, {"alteration": {"genes": ["BRAF"], "proteinChanges": ["V600E"]}}, {"cohort": id}. Groups: {"and": []}, {"or": []}, {"not": {}}',
  genes: 'Lines of genes, which are alternatives: `BRAF: MUT = V600E AMP`, `TP53: TRUNC AND NOT KRAS`',
};
const subjects = {
  filter: Type.Optional(
    Type.Unsafe<object>({ type: 'object', additionalProperties: true, description: words.filter }),
  ),
  genes: Type.Optional(Type.String({ maxLength: 4096, description: words.genes })),
};
const closed = <P extends Record<string, TSchema>>(properties: P) =>
  Type.Object(properties, { additionalProperties: false });
const query = (parameters: Record<string, string | number | undefined>): string =>
  new URLSearchParams(
    Object.entries(parameters).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)]],
    ),
  ).toString();
const lake = '/v1/analytics/data-lake';
const study = '/v1/analytics/study';

/** Joins a filter with the one that lines of genes stand for. */
async function joined(
  { filter, genes }: { filter?: object; genes?: string },
  parse: (text: string) => Promise<{ filter?: object; error?: { message: string } }>,
): Promise<object | undefined> {
  if (genes === undefined) return filter;
  const { filter: ofGenes, error } = await parse(genes);
  if (error) throw new ToolRefused({ error: `genes: ${error.message}`, code: 'INVALID_INPUT' });
  return filter && ofGenes ? { and: [filter, ofGenes] } : (filter ?? ofGenes);
}

/** Search of the page of a study with a filter. */
const studySearch = (filter: object | undefined, of: string): Record<string, string> => ({
  unit: of,
  ...(filter && { filter: JSON.stringify([{ is: filter }]) }),
});

/** Tools of assistants, in the order of their list, each with the operations that it asks. */
export const tools: readonly Tool[] = [
  tool({
    name: 'list_projects',
    title: 'List projects',
    description: 'Projects that this person may see. Begin here: other tools need the id of a project.',
    operations: ['projects.list'],
    changes: false,
    input: closed({ pageToken }),
    answer: async ({ pageToken }, ask) => {
      const search = query({ pageSize: 100, nextPageToken: pageToken });
      const { items, links } = await ask<Listed>('projects.list', 'GET', `/v1/projects?${search}`);
      const shown = items.map(({ id, name, description }) => ({ id, name, description }));
      return { data: { items: shown, ...nextOf(links) }, list: 'items' };
    },
  }),
  tool({
    name: 'list_tables',
    title: 'List tables',
    description: 'Tables of a project that have data and rows that this person may read, with their meaning.',
    operations: ['lake.schema'],
    changes: false,
    input: closed({ project }),
    answer: async ({ project }, ask, { page }) => {
      const { schemas } = await ask<{ schemas: Schema[] }>(
        'lake.schema',
        'GET',
        `${lake}/schema?${query({ datasetId: project })}`,
      );
      const tables = schemas.map(({ table, description, columns }) => ({
        ...{ table, description, columns: columns.length },
      }));
      return { data: { tables }, list: 'tables', link: page(`/projects/${encodeURIComponent(project)}/sql`) };
    },
  }),
  tool({
    name: 'describe_table',
    title: 'Describe a table',
    description: 'Columns of a table: names, types of SQL and meaning.',
    operations: ['lake.schema'],
    changes: false,
    input: closed({ project, table: Type.String({ minLength: 1, maxLength: 128, description: 'Table' }) }),
    answer: async ({ project, table }, ask) => {
      const address = `${lake}/schema/${encodeURIComponent(table)}?${query({ datasetId: project })}`;
      const { schema } = await ask<{ schema: Schema }>('lake.schema', 'GET', address);
      return { data: { ...schema }, list: 'columns' };
    },
  }),
  tool({
    name: 'query',
    title: 'Run a read-only statement',
    description:
      'Runs one SELECT of SQL (DuckDB) over the tables of a project, at most 30 seconds. Values may be masked or absent under the policies of this person. Counts: select totals beside them. Pages need ORDER BY.',
    operations: ['lake.rows'],
    changes: false,
    input: closed({
      project,
      sql: Type.String({ minLength: 1, maxLength: 65_536, description: 'One SELECT' }),
      rowsMax: sized(500, 'rows'),
      pageToken,
    }),
    answer: async ({ project, sql, rowsMax = 50, pageToken }, ask, { page }) => {
      const body = {
        ...{ datasetId: project, query: sql, pageSize: rowsMax },
        ...(pageToken !== undefined && { nextPageToken: pageToken }),
      };
      const data = await ask('lake.rows', 'POST', `${lake}/rows`, body);
      const link = page(`/projects/${encodeURIComponent(project)}/sql`, { sql });
      return { data, list: 'rows', link };
    },
  }),
  tool({
    name: 'list_attributes',
    title: 'List attributes of a study',
    description: 'Attributes of the subjects of a project, for filters and figures.',
    operations: ['study.attributes'],
    changes: false,
    input: closed({ project }),
    answer: async ({ project }, ask) => ({
      data: await ask('study.attributes', 'GET', `${study}/attributes?${query({ datasetId: project })}`),
      list: 'attributes',
    }),
  }),
  tool({
    name: 'search_subjects',
    title: 'Search subjects',
    description: 'Ids of the patients or samples of a project that pass a filter.',
    operations: ['study.subjects', 'study.parse'],
    changes: false,
    input: closed({ project, unit, ...subjects, subjectsMax: sized(500, 'subjects'), pageToken }),
    answer: async ({ project, unit = 'patient', subjectsMax = 50, pageToken, ...asked }, ask, { page }) => {
      const filter = await joined(asked, (text) => ask('study.parse', 'POST', `${study}/parse`, { text }));
      const body = {
        ...{ datasetId: project, unit, pageSize: subjectsMax },
        ...(filter && { filter }),
        ...(pageToken !== undefined && { nextPageToken: pageToken }),
      };
      const data = await ask('study.subjects', 'POST', `${study}/subjects`, body);
      const search = { view: 'subjects', ...studySearch(filter, unit) };
      return { data, list: 'items', link: page(`/projects/${encodeURIComponent(project)}`, search) };
    },
  }),
  tool({
    name: 'figure_data',
    title: 'Make the data of a figure',
    description:
      'Aggregates over the subjects of a project that pass a filter, with totals: {"id": "a", "kind": "values", "attribute": id}, bins, genes ({"alteration": "mutation"}), km ({"time", "status", "group"}), box, density, table, count. Small counts may be rounded or refused.',
    operations: ['study.query', 'study.parse'],
    changes: false,
    input: closed({
      project,
      unit,
      ...subjects,
      aggregates: Type.Array(Type.Unsafe<object>({ type: 'object', additionalProperties: true }), {
        ...{ minItems: 1, maxItems: 10, description: 'Aggregates with distinct ids' },
      }),
    }),
    answer: async ({ project, unit = 'patient', aggregates, ...asked }, ask, { page }) => {
      const filter = await joined(asked, (text) => ask('study.parse', 'POST', `${study}/parse`, { text }));
      const body = { datasetId: project, unit, aggregates, ...(filter && { filter }) };
      const data = await ask('study.query', 'POST', `${study}/query`, body);
      return { data, link: page(`/projects/${encodeURIComponent(project)}`, studySearch(filter, unit)) };
    },
  }),
  tool({
    name: 'find_variants',
    title: 'Find variants',
    description:
      'Variants of a project in genes or in a region, each in a sample: alleles, frequency, significance in ClinVar, genotype.',
    operations: ['analytics.ask'],
    changes: false,
    input: closed({
      project,
      genes: Type.Optional(
        Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { minItems: 1, maxItems: 50 }),
      ),
      region: Type.Optional(
        closed({
          chromosome: Type.String({ minLength: 1, maxLength: 64, description: 'Such as chr7' }),
          from: Type.Integer({ minimum: 1, maximum: 4_294_967_295, description: 'First base, from 1' }),
          to: Type.Integer({ minimum: 1, maximum: 4_294_967_295, description: 'Last base' }),
        }),
      ),
      variantsMax: sized(200, 'variants'),
      pageToken,
    }),
    answer: async ({ project, genes, region, variantsMax = 50, pageToken }, ask, { page }) => {
      if (!genes && !region)
        throw new ToolRefused({ error: 'Name genes or a region.', code: 'INVALID_INPUT' });
      const is = (operator: string, value: unknown) => ({ operator, value });
      const where = {
        variant: {
          ...(genes && { gene: [is('in', genes)] }),
          ...(region && {
            chromosome: [is('eq', region.chromosome)],
            position: [is('between', [region.from, region.to])],
          }),
        },
      };
      const options = { limit: variantsMax, ...(pageToken !== undefined && { pageToken }) };
      const { data } = await ask<{ data: Record<string, unknown> }>(
        'analytics.ask',
        'POST',
        '/v1/analytics/dsl',
        { datasetId: project, query: { target: 'variant', where, options } },
      );
      const link = page(`/projects/${encodeURIComponent(project)}/variants`, {
        ...(genes?.[0] !== undefined && { gene: genes[0] }),
        ...(region && { region: `${region.chromosome}:${region.from}-${region.to}` }),
      });
      return { data, list: 'variants', link };
    },
  }),
  tool({
    name: 'list_cohorts',
    title: 'List cohorts',
    description: 'Cohorts of a project that this person may read, with their counts.',
    operations: ['cohorts.list'],
    changes: false,
    input: closed({ project, pageToken }),
    answer: async ({ project, pageToken }, ask, { page }) => {
      const search = query({ projectId: project, pageSize: 50, nextPageToken: pageToken });
      const { items, links } = await ask<Listed>('cohorts.list', 'GET', `/v1/cohorts?${search}`);
      const shown = items.map(({ id, name, description, resultCount }) => ({
        ...{ id, name, description, resultCount },
      }));
      const link = page(`/projects/${encodeURIComponent(project)}/cohorts`);
      return { data: { items: shown, ...nextOf(links) }, list: 'items', link };
    },
  }),
  tool({
    name: 'create_cohort',
    title: 'Create a cohort',
    description: 'Keeps the patients of a project that pass a filter as a cohort with a name.',
    operations: ['cohorts.create', 'study.parse'],
    changes: true,
    input: closed({
      project,
      name: Type.String({ minLength: 1, maxLength: 255, description: 'Name of the cohort' }),
      ...subjects,
    }),
    answer: async ({ project, name, ...asked }, ask, { page }) => {
      const filter = await joined(asked, (text) => ask('study.parse', 'POST', `${study}/parse`, { text }));
      if (!filter) throw new ToolRefused({ error: 'Give a filter or genes.', code: 'INVALID_INPUT' });
      const kept = { project, queryType: 'study', query: { filter, unit: 'patient' } };
      const body = { name, ownerProject: project, queries: [kept] };
      const { id, resultCount } = await ask('cohorts.create', 'POST', '/v1/cohorts', body);
      return {
        data: { id, name, resultCount },
        link: page(`/projects/${encodeURIComponent(project)}/cohorts`),
      };
    },
  }),
];

interface Schema {
  table: string;
  description: string;
  columns: object[];
}

interface Listed {
  items: Record<string, unknown>[];
  links: { next?: string };
}

/** Returns the token of the next page from its link. */
function nextOf({ next }: Listed['links']): { nextPageToken?: string } {
  const token = next && new URL(next, 'http://localhost').searchParams.get('nextPageToken');
  return token ? { nextPageToken: token } : {};
}
