import { Type } from 'typebox';
import { Answer, type Route, route } from '../../../api/route.ts';
import { countOf, idParam, textOf, wholeNumber } from '../../../api/shapes.ts';
import type { Files } from '../../files/index.ts';
import { lakeTag } from '../../lake/index.ts';
import { contentTypeOf } from '../result-format.ts';
import type { ResultRows } from './result-rows.ts';
import { resultComparisons } from './result-statement.ts';

const pageRowsMax = 10_000;
const pageRowsDefault = 1000;

const columnName = Type.String({ minLength: 1, maxLength: 1024, description: 'Name of a column' });

const choice = {
  filters: Type.Optional(
    Type.Array(
      Type.Object(
        {
          column: columnName,
          comparison: Type.Unsafe<(typeof resultComparisons)[number]>({
            type: 'string',
            enum: [...resultComparisons],
            description: '`contains` compares texts without regard to case; the others as SQL does',
          }),
          value: Type.Optional(
            Type.String({
              maxLength: 4096,
              description: 'Read as the type of the column; not for `missing` and `present`',
            }),
          ),
        },
        { additionalProperties: false },
      ),
      { maxItems: 20, description: 'Conditions that all hold' },
    ),
  ),
  search: Type.Optional(
    Type.String({ maxLength: 4096, description: 'Text in any column, without regard to case' }),
  ),
};

const rowsBody = Type.Object(
  {
    ...choice,
    orderBy: Type.Optional(
      Type.Array(
        Type.Object(
          { column: columnName, descending: Type.Optional(Type.Boolean({ description: 'Largest first' })) },
          { additionalProperties: false },
        ),
        { maxItems: 5, description: 'Equal rows stay in the order of the file; missing values are last' },
      ),
    ),
    offset: Type.Optional(wholeNumber('Chosen rows before the page, default 0; not for csv')),
    pageSize: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: pageRowsMax,
        description: `Rows of the page, default ${pageRowsDefault}`,
      }),
    ),
    format: Type.Optional(
      Type.Union([Type.Literal('json'), Type.Literal('csv')], {
        description: 'json (the default): a page. csv: all chosen rows',
      }),
    ),
  },
  { additionalProperties: false },
);

const pageShape = Type.Object({
  columns: Type.Array(
    Type.Object({
      name: textOf('Name of the column'),
      type: textOf('As the engine writes it: `VARCHAR`, …'),
    }),
    { description: 'Columns of the result' },
  ),
  rows: Type.Array(Type.Array(Type.Unknown()), { description: 'Values in the order of the columns' }),
});

const measure = (words: string) => Type.Unknown({ description: `${words}; null where the type has none` });

const summaryShape = Type.Object({
  rowCount: countOf('Chosen rows'),
  measures: Type.Optional(
    Type.Object(
      {
        missing: countOf('Rows without a value'),
        distinct: countOf('Different values'),
        min: measure('Smallest value'),
        max: measure('Largest value'),
        median: measure('Median'),
      },
      { description: 'Measures of the column that was named' },
    ),
  ),
});

/** Routes of the rows of results, with the rights of their download. */
export function resultRoutes({ resultRows, files }: { resultRows: ResultRows; files: Files }): Route[] {
  const common = { operation: 'files.read', tag: lakeTag, onlyReads: true, accountHeader: true } as const;
  return [
    route({
      ...common,
      method: 'POST',
      path: '/v1/files/:id/rows',
      summary: 'Get rows of the result of a query, sorted and filtered',
      description: 'The result is in the format `parquet`. A page takes at most 30 seconds and 16 MiB.',
      params: idParam,
      body: rowsBody,
      answers: {
        200: {
          schema: pageShape,
          description: 'A page of rows; beyond the last row it is empty',
          alsoAs: 'text/csv',
        },
      },
      locate: ({ params }, _account, caller) => files.locateToRead(params.id, caller),
      handle: async ({ resource, body, caller, signal }) => {
        const { offset = 0, pageSize: rowsMax = pageRowsDefault, format, ...choice } = body;
        const by = { caller, signal };
        if (format === 'csv')
          return new Answer(200, await resultRows.csv(resource, choice, by), {
            'content-type': contentTypeOf('csv'),
          });
        return new Answer(200, await resultRows.page(resource, { ...choice, offset, rowsMax }, by), {
          'content-type': 'application/json; charset=utf-8',
        });
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/v1/files/:id/summary',
      summary: 'Count chosen rows of a result, and measure a column',
      params: idParam,
      body: Type.Object({ ...choice, column: Type.Optional(columnName) }, { additionalProperties: false }),
      answers: { 200: { schema: summaryShape, description: 'Exact, over all chosen rows' } },
      locate: ({ params }, _account, caller) => files.locateToRead(params.id, caller),
      handle: ({ resource, body, caller, signal }) => resultRows.summary(resource, body, { caller, signal }),
    }),
  ];
}
