import { Type } from 'typebox';
import { type Pages, pageOf, pageQuery } from '../../../api/paging.ts';
import { type Route, route } from '../../../api/route.ts';
import { descriptionShape, idParam, nameShape } from '../../../api/shapes.ts';
import { nameKey } from '../../../base/names.ts';
import { invalidInput } from '../../../base/problem.ts';
import { groupShape, groupView } from './group.ts';
import type { Groups } from './groups.ts';

const tag = 'Groups';

const inputFields = {
  description: descriptionShape,
  type: Type.Optional(
    Type.Union([Type.Literal('closed'), Type.Literal('open')], {
      description:
        '`closed` by default; an `open` group is one that members of the account may join themselves',
    }),
  ),
};

/** Ids that a client may choose: UUIDs, in any case. */
const chosenId = Type.Object({
  id: Type.String({
    pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$',
    description: 'Id of a group of the account, or your own UUID for a new one',
  }),
});

/** Routes of /v1/account/groups, except deletion and members. */
export function groupRoutes(groups: Groups, pages: Pages): Route[] {
  return [
    listRoute(groups, pages),
    route({
      method: 'POST',
      path: '/v1/account/groups',
      operation: 'groups.create',
      conflicts: ['GROUP_EXISTS'],
      tag,
      summary: 'Create a group',
      accountHeader: true,
      body: Type.Object({
        name: nameShape('Unique in the account, regardless of case'),
        ...inputFields,
      }),
      answers: { 200: { schema: groupShape, description: 'The group' } },
      handle: ({ account, body, caller, requestId }) => groups.create(account, body, { caller, requestId }),
    }),
    route({
      method: 'GET',
      path: '/v1/account/groups/:id',
      operation: 'groups.read',
      tag,
      summary: 'Get a group',
      accountHeader: true,
      params: idParam,
      answers: { 200: { schema: groupShape, description: 'The group' } },
      locate: ({ params }, account, caller) => groups.locate(account, params.id, caller),
      handle: async ({ resource }) => groupView(resource),
    }),
    putRoute(groups),
  ];
}

function listRoute(groups: Groups, pages: Pages): Route {
  return route({
    method: 'GET',
    path: '/v1/account/groups',
    operation: 'groups.list',
    tag,
    summary: 'List the groups of the account',
    description: 'All groups with `accessAdmin`; otherwise your own groups and open ones.',
    accountHeader: true,
    query: Type.Object({
      name: Type.Optional(Type.String({ maxLength: 255, description: 'Prefix, regardless of case' })),
      ...pageQuery,
    }),
    answers: { 200: { schema: pageOf(groupShape), description: 'By name' } },
    handle: async ({ account, query, caller }) => {
      const { name = '' } = query;
      const scope = JSON.stringify(['groups', account, caller.userId, name]);
      const page = pages.read(query, scope);
      const rows = await groups.list(account, caller, name, page);
      const list = { path: '/v1/account/groups', query, scope };
      return pages.answer(rows, page, list, (row) => [nameKey(row.name)], groupView);
    },
  });
}

function putRoute(groups: Groups): Route {
  return route({
    method: 'PUT',
    path: '/v1/account/groups/:id',
    operation: 'groups.update',
    conflicts: ['GROUP_EXISTS'],
    tag,
    summary: 'Create or replace a group under your own id',
    description: 'Absent fields get their default; a group keeps its name unless one is given.',
    accountHeader: true,
    params: chosenId,
    body: Type.Object({
      id: Type.Optional(Type.String({ maxLength: 255, description: 'Must equal the id in the path' })),
      account: Type.Optional(
        Type.String({ maxLength: 255, description: 'Must equal the account in the header' }),
      ),
      name: Type.Optional(nameShape('Unique in the account, regardless of case')),
      ...inputFields,
    }),
    answers: { 200: { schema: groupShape, description: 'The saved group' } },
    locate: async ({ params, body }, account, caller) => {
      const faults = [
        ...(body.id !== undefined && body.id.toLowerCase() !== params.id.toLowerCase()
          ? [{ path: 'body/id', message: 'is not the id in the path' }]
          : []),
        ...(body.account !== undefined && body.account !== account
          ? [{ path: 'body/account', message: 'is not the account in the header' }]
          : []),
      ];
      if (faults.length > 0) throw invalidInput(faults);
      return groups.locateToPut(account, params.id, caller);
    },
    handle: ({ account, params, body, caller, requestId }) =>
      groups.put(account, params.id.toLowerCase(), body, { caller, requestId }),
  });
}
