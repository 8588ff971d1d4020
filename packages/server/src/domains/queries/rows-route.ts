import { Type } from 'typebox';
import { Answer, type Route, route } from '../../api/route.ts';
import { projectIdShape, textOf } from '../../api/shapes.ts';
import type { Projects } from '../files/projects/index.ts';
import { lakePath, lakeTag, locateTables } from '../lake/index.ts';
import { type DirectRows, pageRowsMax } from './direct-rows.ts';
import { parametersShape, statementOf } from './parameters.ts';
import { statementShape, timestampsShape } from './query-routes.ts';

const rowsShape = Type.Object({
  columns: Type.Array(
    Type.Object({
      name: textOf('Name of the column'),
      type: textOf('As the engine writes it: `VARCHAR`, `BIGINT`, …'),
    }),
    { description: 'Columns of the result' },
  ),
  masked: Type.Boolean({ description: 'True when the caller gets masked values' }),
  nextPageToken: Type.Optional(
    Type.String({ description: 'For the following page, which may be empty; absent on the last' }),
  ),
  rows: Type.Array(Type.Array(Type.Unknown()), { description: 'Values in the order of the columns' }),
});

/** Route that answers a small statement with its rows. */
export function rowsRoute({ rows, projects }: { rows: DirectRows; projects: Projects }): Route {
  return route({
    method: 'POST',
    ...lakePath('/rows'),
    operation: 'lake.rows',
    conflicts: ['LAKE_CHANGED'],
    onlyReads: true,
    tag: lakeTag,
    summary: 'Run a small statement and get its rows, without a file',
    description:
      'Runs one SELECT while the caller waits, at most 30 seconds, and keeps nothing. Each page runs it again over the same data, so a statement of several pages needs ORDER BY.',
    body: Type.Object(
      {
        query: statementShape,
        parameters: parametersShape,
        datasetId: projectIdShape,
        timestamps: timestampsShape,
        pageSize: Type.Optional(
          Type.Integer({ minimum: 1, maximum: pageRowsMax, description: 'Rows of a page, default 1000' }),
        ),
        nextPageToken: Type.Optional(Type.String({ maxLength: 8192, description: 'From the page before' })),
      },
      { additionalProperties: false },
    ),
    answers: { 200: { schema: rowsShape, description: 'A page of rows, at most 16 MiB' } },
    locate: ({ body }) => locateTables(projects, body.datasetId),
    handle: async ({ resource, body, caller, requestId, signal }) =>
      new Answer(
        200,
        await rows.page(resource, { ...body, query: statementOf(body) }, { caller, requestId, signal }),
        { 'content-type': 'application/json; charset=utf-8' },
      ),
  });
}
