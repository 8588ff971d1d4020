import { nameKey } from '../../names.ts';
import { type Pages, pageOf, pageQuery } from '../../paging.ts';
import type { Records } from '../../platform/records/records.ts';
import { type Route, route } from '../../route.ts';
import { Type } from '../../schema.ts';
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
    owner: Type.Boolean({ description: 'Whether he owns the account' }),
    groups: Type.Optional(
      Type.Array(Type.Object({ id: Type.String(), name: Type.String() }), {
        description: 'His groups of the account; with `accessAdmin`, and for yourself',
      }),
    ),
  },
  { title: 'Person' },
);

export interface PeopleRouteParts {
  records: Records;
  people: People;
  pages: Pages;
}

/** /v1/users/{username}, /v1/account/users */
export function peopleRoutes(parts: PeopleRouteParts): Route[] {
  const { people } = parts;
  return [
    route({
      method: 'GET',
      path: '/v1/users/:username',
      operation: 'users.read',
      tag,
      summary: 'A user',
      description:
        'Your own full profile; of somebody who shares an account with you name, picture and preferred name.',
      params,
      answers: { 200: { schema: userShape, description: 'The user' } },
      locate: async ({ params }, _account, caller) =>
        locatedUser(caller, await people.visible(caller, params.username)),
      handle: async ({ resource, caller }) =>
        resource.id === caller.userId ? fullView(resource) : limitedView(resource),
    }),
    ownGroupsRoute(parts),
    accountUsersRoute(parts),
  ];
}

function ownGroupsRoute({ records, people, pages }: PeopleRouteParts): Route {
  return route({
    method: 'GET',
    path: '/v1/users/:username/groups',
    operation: 'users.listGroups',
    tag,
    summary: 'Your groups, of all your accounts (with an API key: of its account)',
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

function accountUsersRoute({ people, pages }: PeopleRouteParts): Route {
  return route({
    method: 'GET',
    path: '/v1/account/users',
    operation: 'members.list',
    tag,
    summary: 'People of the account',
    description: 'With `accessAdmin` full profiles and groups; otherwise limited profiles.',
    accountHeader: true,
    query: Type.Object({
      name: Type.Optional(
        Type.String({
          maxLength: 255,
          description:
            'A name begins with, without regard to case; with `accessAdmin` also the e-mail address',
        }),
      ),
      ...pageQuery,
    }),
    answers: { 200: { schema: pageOf(personShape), description: 'In the order in which they were made' } },
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
