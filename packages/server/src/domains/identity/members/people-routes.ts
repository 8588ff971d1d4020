import { Type } from 'typebox';
import { type Pages, pageOf, pageQuery } from '../../../api/paging.ts';
import { type Route, route } from '../../../api/route.ts';
import { namedGroupShape } from '../../../api/shapes.ts';
import { nameKey } from '../../../base/names.ts';
import type { Records } from '../../../platform/records/records.ts';
import { groupShape, groupView, listOwnGroups } from '../groups/index.ts';
import {
  fullView,
  limitedView,
  locatedUser,
  requireOneself,
  userFields,
  usernameShape,
  userShape,
} from '../users/index.ts';
import type { AccountPerson, People } from './people.ts';

const tag = 'Users';
const params = Type.Object({ username: usernameShape });

const personShape = Type.Object(
  {
    ...userFields,
    owner: Type.Boolean({ description: 'True for the owner of the account' }),
    groups: Type.Optional(
      Type.Array(namedGroupShape, {
        description: 'Groups of the user in the account; with `accessAdmin`, and for your own user',
      }),
    ),
  },
  { title: 'Person' },
);

interface PeopleRouteDeps {
  records: Records;
  people: People;
  pages: Pages;
}

/** Routes of /v1/users/{username} and /v1/account/users. */
export function peopleRoutes(deps: PeopleRouteDeps): Route[] {
  const { people } = deps;
  return [
    route({
      method: 'GET',
      path: '/v1/users/:username',
      operation: 'users.read',
      tag,
      summary: 'Get a user',
      description:
        'Your own full profile; name, picture and preferred name of a user who shares an account with you.',
      params,
      answers: { 200: { schema: userShape, description: 'The user' } },
      locate: async ({ params }, _account, caller) =>
        locatedUser(caller, await people.visible(caller, params.username)),
      handle: async ({ resource, caller }) =>
        resource.id === caller.userId ? fullView(resource) : limitedView(resource),
    }),
    ownGroupsRoute(deps),
    accountUsersRoute(deps),
  ];
}

function ownGroupsRoute({ records, people, pages }: PeopleRouteDeps): Route {
  return route({
    method: 'GET',
    path: '/v1/users/:username/groups',
    operation: 'users.listGroups',
    tag,
    summary: 'List your groups in all your accounts (with an API key: in its account)',
    params,
    query: Type.Object(pageQuery),
    answers: { 200: { schema: pageOf(groupShape), description: 'By name' } },
    locate: async ({ params }, _account, caller) =>
      locatedUser(caller, await people.visible(caller, params.username)),
    handle: async ({ resource, query, caller }) => {
      requireOneself(caller, resource);
      const scope = JSON.stringify(['own groups', caller.userId, caller.keyAccount ?? '']);
      const page = pages.read(query, scope);
      const rows = await listOwnGroups(records.read, resource.id, [...caller.accounts.keys()], page);
      const list = { path: `/v1/users/${resource.id}/groups`, query, scope };
      return pages.answer(rows, page, list, (row) => [nameKey(row.name), row.id], groupView);
    },
  });
}

function accountUsersRoute({ people, pages }: PeopleRouteDeps): Route {
  return route({
    method: 'GET',
    path: '/v1/account/users',
    operation: 'members.list',
    tag,
    summary: 'List the members of the account',
    description: 'With `accessAdmin` full profiles and groups; otherwise limited profiles.',
    accountHeader: true,
    query: Type.Object({
      name: Type.Optional(
        Type.String({
          maxLength: 255,
          description: 'Prefix of a name, regardless of case; with `accessAdmin` also of the e-mail address',
        }),
      ),
      ...pageQuery,
    }),
    answers: { 200: { schema: pageOf(personShape), description: 'In order of creation' } },
    handle: async ({ account, query, caller }) => {
      const { name = '' } = query;
      const full = caller.allows('accessAdmin', { account, type: 'user' });
      const scope = JSON.stringify(['people', account, caller.userId, name, full]);
      const page = pages.read(query, scope);
      const rows = await people.inAccount(account, { prefix: name, byEmail: full }, page);
      const list = { path: '/v1/account/users', query, scope };
      const view = (person: AccountPerson) => personView(person, full || person.user.id === caller.userId);
      return pages.answer(rows, page, list, ({ user }) => [user.id], view);
    },
  });
}

function personView({ user, owner, groups }: AccountPerson, full: boolean) {
  return full ? { ...fullView(user), owner, groups } : { ...limitedView(user), owner };
}
