import type { Caller } from '../../access/caller.ts';
import { type Pages, pageOf, pageQuery } from '../../paging.ts';
import type { QueriesTable } from '../../platform/records/schema-lake.ts';
import { notFound } from '../../problem.ts';
import { type Located, type Route, route } from '../../route.ts';
import { Type } from '../../schema.ts';
import { textShape } from '../../shapes.ts';
import { nameMistake } from '../files/index.ts';
import { locateProject, type ProjectRecord, type Projects } from '../projects/index.ts';
import type { Lake } from './lake.ts';
import type { HistoryFilter, Queries } from './queries.ts';
import { attributesOfQuery, attributesOfTables, viewOfQuery } from './query-record.ts';
import { suffixBytes } from './result-name.ts';
import { sightOf } from './sight.ts';

const tag = 'Data lake';
const root = '/analytics/data-lake';

const tableSchema = Type.Object({
  table: Type.String(),
  created: Type.String({ description: 'When the table first got data' }),
  columns: Type.Array(Type.Object({ name: Type.String(), type: Type.String() })),
});

const queryShape = Type.Object(
  {
    id: Type.String(),
    accountId: Type.String(),
    datasetId: Type.String(),
    userId: Type.String(),
    queryString: Type.String({ description: 'Base64 of the text' }),
    state: Type.String({ enum: ['running', 'succeeded', 'cancelled', 'failed'] }),
    outputFileName: Type.String({ description: 'The final name once it has succeeded' }),
    startTime: Type.Integer({ description: 'Epoch milliseconds' }),
    endTime: Type.Optional(Type.Integer({ description: 'Epoch milliseconds' })),
    progress: Type.Optional(Type.Number({ description: '0..1 while it runs' })),
    rowCount: Type.Optional(Type.Integer()),
    resultFileId: Type.Optional(
      Type.String({ description: 'Id of the result file; the same as the query’s' }),
    ),
    error: Type.Optional(Type.Object({ code: Type.String(), message: Type.String() })),
  },
  { title: 'Query' },
);

const started = Type.Object({ message: Type.String(), queryId: Type.String() });

const preview = Type.Object({
  message: Type.String(),
  tables: Type.Array(Type.String(), { description: 'Tables that it reads' }),
  masked: Type.Boolean({ description: 'Whether the caller gets masked values' }),
  columns: Type.Optional(
    Type.Array(
      Type.Object({
        name: Type.String({ description: 'The header in the CSV' }),
        type: Type.String({ description: 'As the engine writes it: `VARCHAR`, `BIGINT`, …' }),
      }),
      { description: 'Absent when only a run can tell' },
    ),
  ),
  estimatedRows: Type.Optional(Type.Number({ description: 'Expected from the sizes of the tables' })),
});

const epochMilliseconds = { minimum: 0, maximum: Number.MAX_SAFE_INTEGER };
const historyFilter = {
  state: Type.Optional(queryShape.properties.state),
  userId: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
  outputFileName: Type.Optional(
    Type.String({ minLength: 1, maxLength: 1024, description: 'What the name begins with' }),
  ),
  startedFrom: Type.Optional(Type.Integer({ ...epochMilliseconds, description: 'Epoch milliseconds' })),
  startedBefore: Type.Optional(Type.Integer({ ...epochMilliseconds, description: 'Epoch milliseconds' })),
};

const datasetQuery = Type.Object({ datasetId: Type.String({ minLength: 1, maxLength: 255 }) });
const queryParams = Type.Object({ queryId: Type.String({ minLength: 1, maxLength: 255 }) });

export interface LakeRouteParts {
  lake: Lake;
  /** Smallest number of patients that masked answers tell of; 0: any. */
  countsMin: number;
  queries: Queries;
  projects: Projects;
  pages: Pages;
}

/** /api/v1/analytics/data-lake, and the same under /v1. */
export function lakeRoutes(parts: LakeRouteParts): Route[] {
  return [...schemaRoutes(parts), ...queryRoutes(parts)];
}

/** The tables of a project, with what policies may ask of them: the same here as when the query runs. */
async function locateTables(projects: Projects, id: string): Promise<Located<ProjectRecord> | undefined> {
  const project = await locateProject(projects, id);
  if (!project) return undefined;
  return { ...project, attributes: tablesOf(project.record) };
}

const tablesOf = ({ account, id }: ProjectRecord) =>
  attributesOfTables({ account_id: account, project_id: id });

const at = (path: string) => ({ path: `/api/v1${root}${path}`, aliases: [`/v1${root}${path}`] });

function schemaRoutes({ lake, projects, countsMin }: LakeRouteParts): Route[] {
  const locate = ({ query }: { query: { datasetId: string } }) => locateTables(projects, query.datasetId);
  const schemasOf = (project: ProjectRecord, caller: Caller) =>
    lake.schemas(project.id, sightOf(caller, tablesOf(project), countsMin));
  return [
    route({
      method: 'GET',
      ...at('/schema'),
      operation: 'lake.schema',
      tag,
      summary: 'Tables of a project, with their columns',
      query: datasetQuery,
      answers: {
        200: {
          schema: Type.Object({ datasetId: Type.String(), schemas: Type.Array(tableSchema) }),
          description: 'Only tables that have data, and that the caller may read rows of',
        },
      },
      locate,
      handle: async ({ resource, caller }) => ({
        datasetId: resource.id,
        schemas: await schemasOf(resource, caller),
      }),
    }),
    route({
      method: 'GET',
      ...at('/schema/:table'),
      operation: 'lake.schema',
      tag,
      summary: 'One table of a project',
      params: Type.Object({ table: Type.String({ minLength: 1, maxLength: 255 }) }),
      query: datasetQuery,
      answers: {
        200: {
          schema: Type.Object({ datasetId: Type.String(), schema: tableSchema }),
          description: 'The table',
        },
      },
      locate,
      handle: async ({ resource, params, caller }) => {
        const schema = (await schemasOf(resource, caller)).find(({ table }) => table === params.table);
        if (!schema) throw notFound();
        return { datasetId: resource.id, schema };
      },
    }),
  ];
}

function queryRoutes({ queries, projects, pages }: LakeRouteParts): Route[] {
  const locate = async ({
    params,
  }: {
    params: { queryId: string };
  }): Promise<Located<QueriesTable> | undefined> => {
    const record = await queries.find(params.queryId);
    return record && { attributes: attributesOfQuery(record), record };
  };
  return [
    route({
      method: 'POST',
      ...at('/query'),
      operation: 'lake.query',
      tag,
      summary: 'Start a query',
      description: 'One SELECT over the tables of the project. The result becomes a CSV file of the project.',
      body: Type.Object({
        query: Type.String({ minLength: 1 }),
        datasetId: Type.String({ minLength: 1, maxLength: 255 }),
        outputFileName: textShape({
          minLength: 1,
          maxLength: 1024,
          mistakeIn: (name) => nameMistake(name, suffixBytes),
          description: `May hold folders: a/b.csv. At most ${1024 - suffixBytes} bytes, so that there is room for a number behind it`,
        }),
      }),
      query: Type.Object({
        dryRun: Type.Optional(
          Type.Boolean({ description: 'Checks the statement and tells what it would give; nothing runs' }),
        ),
      }),
      answers: {
        200: {
          schema: Type.Union([started, preview]),
          description: 'It runs; ask for its state. Of a dry run: what it would give',
        },
      },
      locate: async ({ body }) => locateTables(projects, body.datasetId),
      handle: async ({ resource, query, body, caller, requestId }) => {
        if (query.dryRun) {
          const message = 'The query is valid. Nothing was run.';
          return { message, ...(await queries.preview(resource, body.query, caller)) };
        }
        const queryId = await queries.start(resource, body, { caller, requestId });
        return { message: 'The query is running. Ask for its state with its id.', queryId };
      },
    }),
    route({
      method: 'GET',
      ...at('/query'),
      operation: 'lake.listQueries',
      tag,
      summary: 'History of the queries of a project, newest first',
      query: Type.Object({ ...datasetQuery.properties, ...historyFilter, ...pageQuery }),
      answers: { 200: { schema: pageOf(queryShape), description: 'Newest first' } },
      locate: ({ query }): Promise<Located<ProjectRecord> | undefined> =>
        locateProject(projects, query.datasetId),
      handle: async ({ resource, query, caller }) => {
        const { datasetId, state, userId, outputFileName, startedFrom, startedBefore } = query;
        const filter = [datasetId, state, userId, outputFileName, startedFrom, startedBefore];
        const scope = JSON.stringify(['queries', caller.userId, ...filter]);
        const list = { path: `/v1${root}/query`, query, scope };
        const page = pages.read(query, list.scope);
        const rows = await queries.list(caller, resource, page, query as HistoryFilter);
        return pages.answer(
          rows,
          page,
          list,
          (row) => [row.id],
          (row) => viewOfQuery(row, caller),
        );
      },
    }),
    route({
      method: 'GET',
      ...at('/query/:queryId'),
      operation: 'lake.history',
      tag,
      summary: 'State of a query',
      params: queryParams,
      answers: { 200: { schema: queryShape, description: 'The query' } },
      locate: async (input, _account, caller) => {
        const located = await locate(input);
        // Who waits for his own asks many times; the words are his, so the log is spared that.
        const own = located?.record.user_id === caller.userId;
        return located && own ? { ...located, operation: 'lake.readOwnQuery' } : located;
      },
      handle: async ({ resource, caller }) => viewOfQuery(resource, caller),
    }),
    route({
      method: 'DELETE',
      ...at('/query/:queryId'),
      operation: 'lake.cancel',
      neverTurnedAway: true,
      tag,
      summary: 'Cancel a running query',
      params: queryParams,
      answers: { 200: { schema: queryShape, description: 'The query, cancelled; no result file is left' } },
      locate,
      handle: async ({ resource, caller, requestId }) =>
        viewOfQuery(await queries.cancel(resource, { caller, requestId }), caller),
    }),
  ];
}
