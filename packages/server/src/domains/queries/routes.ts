import { Type } from 'typebox';
import type { Caller } from '../../access/caller.ts';
import { type Route, route } from '../../api/route.ts';
import { idOf, optionalText, textOf } from '../../api/shapes.ts';
import { notFound } from '../../base/problem.ts';
import type { ProjectRecord } from '../files/projects/index.ts';
import {
  datasetQuery,
  type Lake,
  lakePath,
  lakeTag,
  locateTables,
  rowAccessOf,
  tablesOf,
} from '../lake/index.ts';
import type { DirectRows } from './direct-rows.ts';
import { type QueryRouteDeps, queryRoutes } from './query-routes.ts';
import { rowsRoute } from './rows-route.ts';

const tableSchema = Type.Object(
  {
    table: textOf('Name of the table'),
    created: Type.String({ description: 'When the table first got data' }),
    description: textOf('Meaning of a row'),
    columns: Type.Array(
      Type.Object({
        name: textOf('Name of the column'),
        type: textOf('Type in SQL, such as `VARCHAR`'),
        description: optionalText('Meaning; absent in tables that the project defines itself'),
      }),
      { description: 'Columns in order' },
    ),
  },
  { description: 'Table with its columns' },
);

interface LakeRouteDeps extends QueryRouteDeps {
  lake: Lake;
  /** Minimum number of patients of a masked answer; 0: any. */
  countsMin: number;
  rows: DirectRows;
}

/** Routes of tables and queries. */
export function lakeRoutes(deps: LakeRouteDeps): Route[] {
  return [...schemaRoutes(deps), ...queryRoutes(deps), rowsRoute(deps)];
}

function schemaRoutes({ lake, projects, countsMin }: LakeRouteDeps): Route[] {
  const locate = ({ query }: { query: { datasetId: string } }) => locateTables(projects, query.datasetId);
  const schemasOf = (project: ProjectRecord, caller: Caller) =>
    lake.schemas(project.id, rowAccessOf(caller, tablesOf(project), countsMin));
  return [
    route({
      method: 'GET',
      ...lakePath('/schema'),
      operation: 'lake.schema',
      tag: lakeTag,
      summary: 'List the tables of a project, with their columns',
      query: datasetQuery,
      answers: {
        200: {
          schema: Type.Object({
            datasetId: textOf('Id of the project'),
            schemas: Type.Array(tableSchema, { description: 'Tables by name' }),
          }),
          description: 'Tables that have data and rows that you may read',
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
      ...lakePath('/schema/:table'),
      operation: 'lake.schema',
      tag: lakeTag,
      summary: 'Get a table of a project',
      params: Type.Object({ table: idOf('Name of the table') }),
      query: datasetQuery,
      answers: {
        200: {
          schema: Type.Object({ datasetId: textOf('Id of the project'), schema: tableSchema }),
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
