import { Type } from 'typebox';
import { listFilter } from '../../../access/filter.ts';
import type { Pages } from '../../../api/paging.ts';
import { type Located, type Route, route } from '../../../api/route.ts';
import { textOf } from '../../../api/shapes.ts';
import type { Records } from '../../../platform/records/records.ts';
import type { ProjectRecord, Projects } from '../../files/projects/index.ts';
import { attributesFrom, attributesShape } from './attributes.ts';
import { nextPageTokenShape, pageOfRows, readSearch, searchFields } from './search.ts';

const tag = 'Genomics';

export const accountParam = Type.Object({ account: Type.String({ minLength: 1, maxLength: 255 }) });

const datasetShape = Type.Object(
  {
    id: textOf('Id of the project'),
    name: textOf('Name of the project'),
    description: textOf('Free text for people; may be empty'),
    attributes: attributesShape,
  },
  { title: 'Dataset' },
);

interface DatasetRouteDeps {
  records: Records;
  projects: Projects;
  pages: Pages;
}

/** Locates the account of a search: callers who are no members get 404. */
export function locateAccount(account: string): Located<undefined> {
  return { attributes: { account, type: 'account', id: account }, record: undefined };
}

/** Locates a project of the account. */
export async function locateDataset(
  projects: Projects,
  account: string,
  id: string,
): Promise<Located<ProjectRecord> | undefined> {
  const record = await projects.find(id);
  if (record?.account !== account) return undefined;
  return { attributes: { account, dataset: id, type: 'project', id }, record };
}

/** Routes of /{account}/v1/datasets: the projects of the account that the caller may read. */
export function datasetRoutes({ records, projects, pages }: DatasetRouteDeps): Route[] {
  return [
    route({
      method: 'POST',
      path: '/:account/v1/datasets/search',
      onlyReads: true,
      operation: 'datasets.search',
      tag,
      summary: 'Search the datasets that you may read',
      params: accountParam,
      body: Type.Object(searchFields),
      answers: {
        200: {
          schema: Type.Object({
            datasets: Type.Array(datasetShape, { description: 'Datasets of this page' }),
            nextPageToken: nextPageTokenShape,
          }),
          description: 'In order of creation',
        },
      },
      locate: async ({ params }) => locateAccount(params.account),
      handle: async ({ params: { account }, body, caller }) => {
        const search = readSearch(pages, body, ['datasets', account, caller.userId]);
        const { size, after } = search.page;
        let query = records.read
          .selectFrom('projects')
          .select(['id', 'name', 'description'])
          .where('account_id', '=', account)
          .where((where) =>
            listFilter(caller, account, ['readData'], {
              columns: { 'resource.dataset': where.ref('id'), 'resource.id': where.ref('id') },
              constants: { 'resource.account': account, 'resource.type': 'project' },
            }),
          )
          .orderBy('id')
          .limit(size + 1);
        if (after) query = query.where('id', '>', String(after[0]));
        const { rows, ...next } = pageOfRows(pages, await query.execute(), search, ({ id }) => [id]);
        return { datasets: rows.map(viewOfDataset), ...next };
      },
    }),
    route({
      method: 'GET',
      path: '/:account/v1/datasets/:datasetId',
      operation: 'datasets.read',
      tag,
      summary: 'Get a dataset',
      params: Type.Object({
        ...accountParam.properties,
        datasetId: Type.String({ minLength: 1, maxLength: 255 }),
      }),
      answers: { 200: { schema: datasetShape, description: 'The dataset' } },
      locate: ({ params }) => locateDataset(projects, params.account, params.datasetId),
      handle: async ({ resource }) => viewOfDataset(resource),
    }),
  ];
}

function viewOfDataset({ id, name, description }: { id: string; name: string; description: string }) {
  return { id, name, description, attributes: attributesFrom({}) };
}
