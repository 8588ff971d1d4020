import { masks } from '@ploidy/formats/tables';
import { type Static, Type } from 'typebox';
import { type Pages, pageOf, pageQuery } from '../../../api/paging.ts';
import { type Located, type Route, route } from '../../../api/route.ts';
import { countOf, idParam, optionalText, textOf } from '../../../api/shapes.ts';
import { locateProject, type ProjectRecord, type Projects } from '../../files/projects/index.ts';
import { lakeTag } from '../dataset-tables.ts';
import type { Lake } from '../lake.ts';
import { fullAccess } from '../views/row-access.ts';
import { hasPatients } from '../views/visible-tables.ts';
import { type ProjectReader, type ProjectReaders, rightNames } from './project-readers.ts';

/** People of a page at most: each is compared with all policies of the account. */
const peopleMax = 100;

const readerShape = Type.Object(
  {
    id: textOf('Id of the user'),
    type: textOf('`person`, or `client`: an OAuth client that acts for itself'),
    name: optionalText('Full name, or name of the client'),
    email: optionalText('E-mail address; of people'),
    owner: Type.Boolean({ description: 'True for the owner of the account' }),
    rights: Type.Array(
      Type.Object({
        right: Type.String({
          enum: [...rightNames],
          description: 'Right. `readRows`: real values of tables; `readMaskedRows`: masked values of others',
        }),
        extent: Type.String({
          enum: ['all', 'some'],
          description: '`some`: files by owner or id, rows by patient',
        }),
        policies: Type.Array(Type.String(), { description: 'Names of the first policies that grant it' }),
        policyCount: countOf('Number of the policies that grant it'),
      }),
      { description: 'Rights in the project; empty if there are none' },
    ),
    countsMin: countOf(
      'Minimum number of patients of a masked answer, which is then a count; 0: rows are shown',
    ),
  },
  { title: 'ProjectReader' },
);

const maskedColumnShape = Type.Object(
  {
    table: textOf('Name of the table'),
    column: textOf('Name of the column'),
    mask: Type.String({ enum: Object.keys(masks), description: 'Name of the mask' }),
    shown: textOf('Form in which readers of masked data see the value'),
    hasPatients: Type.Boolean({
      description: 'False for a table whose rows name no patient: readers of some patients do not see it',
    }),
  },
  { title: 'MaskedColumn' },
);

interface ReaderRouteDeps {
  readers: ProjectReaders;
  lake: Lake;
  projects: Projects;
  pages: Pages;
}

/** Routes of the people who see a project, and of the columns that are masked for some of them. */
export function readerRoutes(deps: ReaderRouteDeps): Route[] {
  return [accessRoute(deps), maskedColumnsRoute(deps)];
}

/** Locates a project for readers of policies. */
async function locatePolicies(projects: Projects, id: string): Promise<Located<ProjectRecord> | undefined> {
  const located = await locateProject(projects, id);
  return (
    located && { ...located, attributes: { account: located.record.account, dataset: id, type: 'policy' } }
  );
}

function accessRoute({ readers, projects, pages }: ReaderRouteDeps): Route {
  return route({
    method: 'GET',
    path: '/v1/projects/:id/access',
    operation: 'policies.listAccess',
    tag: lakeTag,
    summary: 'List the people with rights in a project',
    description: `Lists all members of the account and its clients that act for themselves, with their rights and the policies that grant them. At most ${peopleMax} a page.`,
    params: idParam,
    query: Type.Object({ ...pageQuery }),
    answers: { 200: { schema: pageOf(readerShape), description: 'In order of creation' } },
    locate: ({ params }) => locatePolicies(projects, params.id),
    handle: async ({ resource, query, caller, signal }) => {
      const path = `/v1/projects/${resource.id}/access`;
      const list = { path, query, scope: `access:${resource.id}:${caller.userId}` };
      const asked = pages.read(query, list.scope);
      const page = { ...asked, size: Math.min(asked.size, peopleMax) };
      const found = await readers.page(resource, page, signal);
      return pages.following(found.readers.map(viewOf), list, found.next);
    },
  });
}

function viewOf({ user, owner, rights, countsMin }: ProjectReader): Static<typeof readerShape> {
  const { id, type, email, profile } = user;
  return {
    ...{ id, type, owner, rights, countsMin },
    ...(profile.name !== undefined && { name: profile.name }),
    ...(type === 'person' && { email }),
  };
}

function maskedColumnsRoute({ lake, projects, pages }: ReaderRouteDeps): Route {
  return route({
    method: 'GET',
    path: '/v1/projects/:id/masked-columns',
    operation: 'policies.listAccess',
    tag: lakeTag,
    summary: 'List the columns of a project that readers of masked data see changed',
    params: idParam,
    query: Type.Object({ ...pageQuery }),
    answers: { 200: { schema: pageOf(maskedColumnShape), description: 'By table and column' } },
    locate: ({ params }) => locatePolicies(projects, params.id),
    handle: async ({ resource, query, caller }) => {
      const path = `/v1/projects/${resource.id}/masked-columns`;
      const list = { path, query, scope: `masked-columns:${resource.id}:${caller.userId}` };
      const page = pages.read(query, list.scope);
      const { tables } = await lake.snapshot(resource.id, fullAccess('real'));
      const columns = [...tables.values()].flatMap((table) =>
        table.columns
          .filter(({ mask }) => mask !== 'none')
          .map(({ name, mask }) => ({
            ...{ table: table.name, column: name, mask, shown: masks[mask] },
            hasPatients: hasPatients(table),
          }))
          .sort((one, other) => (one.column < other.column ? -1 : 1)),
      );
      const [afterTable = '', afterColumn = ''] = page.after?.map(String) ?? [];
      const rest = columns.filter(
        ({ table, column }) => table > afterTable || (table === afterTable && column > afterColumn),
      );
      return pages.answer(
        rest.slice(0, page.size + 1),
        page,
        list,
        ({ table, column }) => [table, column],
        (row) => row,
      );
    },
  });
}
