import { type ResultFormat, resultFormats, type TimestampForm, timestampForms } from '@ploidy/engine';
import { Type } from 'typebox';
import { type Pages, pageOf, pageQuery } from '../../api/paging.ts';
import { FreshAnswer, type Located, type Route, route } from '../../api/route.ts';
import {
  countOf,
  failureFields,
  idOf,
  projectIdShape,
  textOf,
  textShape,
  waitingShape,
} from '../../api/shapes.ts';
import type { QueriesTable } from '../../platform/records/schema-lake.ts';
import { nameFault, relativeName } from '../files/index.ts';
import type { ProjectRecord, Projects } from '../files/projects/index.ts';
import { datasetQuery, lakePath, lakeRoot, lakeTag, locateTables, type RowRights } from '../lake/index.ts';
import type { HistoryFilter } from './list-queries.ts';
import { parametersShape, statementOf } from './parameters.ts';
import type { Queries } from './queries.ts';
import { attributesOfQuery, viewOfQuery } from './query-record.ts';
import { suffixBytes } from './result-name.ts';

const queryShape = Type.Object(
  {
    id: textOf('Id of the query'),
    accountId: textOf('Id of the account'),
    datasetId: textOf('Id of the project'),
    userId: textOf('Id of the user who started it'),
    queryString: Type.String({ description: 'Base64 of the statement' }),
    state: Type.String({
      enum: ['running', 'succeeded', 'cancelled', 'failed'],
      description: 'All but `running` are final',
    }),
    outputFileName: Type.String({ description: 'Final once the query has succeeded' }),
    startTime: Type.Integer({ description: 'Start, epoch milliseconds' }),
    endTime: Type.Optional(Type.Integer({ description: 'End, epoch milliseconds; absent while it runs' })),
    progress: Type.Optional(Type.Number({ description: '0..1 while it runs' })),
    waiting: waitingShape(Type.Integer({ description: 'Start of the wait, epoch milliseconds' })),
    rowCount: Type.Optional(countOf('Rows of the result; absent before it has `succeeded`')),
    resultFileId: Type.Optional(
      Type.String({ description: 'Id of the result file, equal to the query’s id' }),
    ),
    error: Type.Optional(
      Type.Object(failureFields, { description: 'Reason of the failure; absent unless it has `failed`' }),
    ),
  },
  { title: 'Query' },
);

/** Statement of a request. */
export const statementShape = Type.String({
  minLength: 1,
  description: 'One SELECT over the tables of the project',
});

/** Form of timestamps in text. */
export const timestampsShape = Type.Optional(
  Type.Unsafe<TimestampForm>({
    type: 'string',
    enum: [...timestampForms],
    description:
      'In CSV and JSON. utc (the default): RFC 3339 with milliseconds, without a zone as UTC. exact: all digits, and Z for columns with a zone only',
  }),
);

/** Unknown fields are refused: a misspelt format would pass for CSV. */
const newQueryShape = Type.Object(
  {
    query: statementShape,
    parameters: parametersShape,
    datasetId: projectIdShape,
    outputFileName: textShape({
      minLength: 1,
      maxLength: 1024,
      faultIn: (name) => nameFault(name, suffixBytes),
      description: `May hold folders: a/b.csv. At most ${1024 - suffixBytes} bytes, which leaves room for a numeric suffix`,
    }),
    format: Type.Optional(
      Type.Unsafe<ResultFormat>({
        type: 'string',
        enum: [...resultFormats],
        description: 'csv (the default), parquet, arrow (IPC stream) or ndjson (an object on each line)',
      }),
    ),
    timestamps: timestampsShape,
  },
  { additionalProperties: false },
);

const message = textOf('One sentence for people');
const started = Type.Object(
  { message, queryId: textOf('Id of the query, for its state') },
  { title: 'StartedQuery' },
);

const preview = Type.Object(
  {
    message,
    tables: Type.Array(Type.String(), { description: 'Tables that the query reads' }),
    masked: Type.Boolean({ description: 'True when the caller gets masked values' }),
    columns: Type.Optional(
      Type.Array(
        Type.Object({
          name: Type.String({ description: 'Header in the CSV file' }),
          type: Type.String({ description: 'As the engine writes it: `VARCHAR`, `BIGINT`, …' }),
        }),
        { description: 'Absent when only a run can determine it' },
      ),
    ),
    estimatedRows: Type.Optional(Type.Number({ description: 'Estimated from the table sizes' })),
    plan: Type.Optional(
      Type.Array(
        Type.Object({
          depth: countOf('Number of steps that it is below'),
          step: textOf('The step in words'),
          estimatedRows: Type.Optional(Type.Number({ description: 'Estimate; absent where there is none' })),
        }),
        { description: 'Steps of the run, the last first, each before those that it reads' },
      ),
    ),
  },
  { title: 'QueryPreview' },
);

const epochMilliseconds = { minimum: 0, maximum: Number.MAX_SAFE_INTEGER };
const historyFilter = {
  state: Type.Optional(queryShape.properties.state),
  userId: Type.Optional(idOf('Id of the user who started the query')),
  outputFileName: Type.Optional(
    Type.String({ minLength: 1, maxLength: 1024, description: 'Prefix of the name' }),
  ),
  startedFrom: Type.Optional(
    Type.Integer({ ...epochMilliseconds, description: 'Only queries from this time on, epoch milliseconds' }),
  ),
  startedBefore: Type.Optional(
    Type.Integer({ ...epochMilliseconds, description: 'Only queries before this time, epoch milliseconds' }),
  ),
};

const queryParams = Type.Object({ queryId: idOf('Id of the query') });

export interface QueryRouteDeps {
  queries: Queries;
  projects: Projects;
  pages: Pages;
  rights: RowRights;
}

/** Routes that start, follow and cancel queries whose result is a file. */
export function queryRoutes({ queries, projects, pages, rights }: QueryRouteDeps): Route[] {
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
      ...lakePath('/query'),
      operation: 'lake.query',
      tag: lakeTag,
      summary: 'Start a query',
      description: 'One SELECT over the tables of the project. The result becomes a file of the project.',
      body: newQueryShape,
      query: Type.Object({
        dryRun: Type.Optional(
          Type.Boolean({ description: 'Check the statement and describe its result without running it' }),
        ),
      }),
      answers: {
        200: {
          schema: Type.Union([started, preview]),
          description: 'The query runs; poll its state. For a dry run: a description of the result',
        },
      },
      locate: async ({ body }) => locateTables(projects, body.datasetId),
      handle: async ({ resource, query, body, caller, requestId, signal }) => {
        if (query.dryRun) {
          const message = 'The query is valid. It was not run.';
          const preview = await queries.preview(resource, statementOf(body), { caller, signal });
          return new FreshAnswer(200, { message, ...preview });
        }
        const outputFileName = relativeName(body.outputFileName);
        const { parameters: _bound, ...fields } = body;
        const input = { ...fields, query: statementOf(body), outputFileName };
        const queryId = await queries.start(resource, input, { caller, requestId, signal });
        return { message: 'The query is running. Poll its state by its id.', queryId };
      },
    }),
    route({
      method: 'GET',
      ...lakePath('/query'),
      operation: 'lake.listQueries',
      tag: lakeTag,
      summary: 'List the queries of a project, newest first',
      query: Type.Object({ ...datasetQuery.properties, ...historyFilter, ...pageQuery }),
      answers: { 200: { schema: pageOf(queryShape), description: 'Newest first' } },
      locate: async ({ query }): Promise<Located<ProjectRecord> | undefined> => {
        const record = await projects.find(query.datasetId);
        return (
          record && { record, attributes: { account: record.account, dataset: record.id, type: 'query' } }
        );
      },
      handle: async ({ resource, query, caller }) => {
        const { datasetId, state, userId, outputFileName, startedFrom, startedBefore } = query;
        const filter = [datasetId, state, userId, outputFileName, startedFrom, startedBefore];
        const scope = JSON.stringify(['queries', caller.userId, ...filter]);
        const list = { path: `/v1${lakeRoot}/query`, query, scope };
        const page = pages.read(query, list.scope);
        const rows = await queries.list(caller, resource, page, query as HistoryFilter);
        const waiting = await queries.waiting(rows);
        const covered = await rights.covered(caller, rows);
        return pages.answer(
          rows,
          page,
          list,
          (row) => [row.id],
          (row) => viewOfQuery(row, caller, covered.has(row), waiting.get(row.job_id)),
        );
      },
    }),
    route({
      method: 'GET',
      ...lakePath('/query/:queryId'),
      operation: 'lake.history',
      tag: lakeTag,
      summary: 'Get the state of a query',
      params: queryParams,
      answers: { 200: { schema: queryShape, description: 'The query' } },
      locate: async (input, _account, caller) => {
        const located = await locate(input);
        // The user's own query needs no audit entry for each poll.
        const own = located?.record.user_id === caller.userId;
        return located && own ? { ...located, operation: 'lake.readOwnQuery' } : located;
      },
      handle: async ({ resource, caller }) => {
        const waiting = await queries.waiting([resource]);
        const isCovered = await rights.covers(caller, resource);
        return viewOfQuery(resource, caller, isCovered, waiting.get(resource.job_id));
      },
    }),
    route({
      method: 'DELETE',
      ...lakePath('/query/:queryId'),
      operation: 'lake.cancel',
      conflicts: ['QUERY_ENDED'],
      neverShed: true,
      tag: lakeTag,
      summary: 'Cancel a running query',
      params: queryParams,
      answers: { 200: { schema: queryShape, description: 'The cancelled query, without a result file' } },
      locate,
      handle: async ({ resource, caller, requestId }) => {
        const cancelled = await queries.cancel(resource, { caller, requestId });
        return viewOfQuery(cancelled, caller, await rights.covers(caller, cancelled));
      },
    }),
  ];
}
