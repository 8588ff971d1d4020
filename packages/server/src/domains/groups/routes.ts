import { nameKey } from '../../names.ts';
import { type Pages, pageOf, pageQuery } from '../../paging.ts';
import { invalidInput } from '../../problem.ts';
import { type Route, route } from '../../route.ts';
import { Type } from '../../schema.ts';
import { idParam, nameShape } from '../../shapes.ts';
import { groupShape, groupView } from './group.ts';
import type { Groups } from './groups.ts';

const tag = 'Groups';

const inputFields = {
  description: Type.Optional(Type.String({ maxLength: 4000 })),
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
    description: 'Of a group of the account, or a UUID of your own for a new one',
  }),
});

/** /v1/account/groups, but for deleting them and for their members */
export function groupRoutes(groups: Groups, pages: Pages): Route[] {
  return [
    listRoute(groups, pages),
    route({
      method: 'POST',
      path: '/v1/account/groups',
      operation: 'groups.create',
      tag,
      summary: 'Make a group',
      accountHeader: true,
      body: Type.Object({
        name: nameShape('Unique in the account, without regard to case'),
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
      summary: 'One group',
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
    summary: 'Groups of the account',
    description: 'All of them with `accessAdmin`; otherwise those that you are in, and open ones.',
    accountHeader: true,
    query: Type.Object({
      name: Type.Optional(
        Type.String({ maxLength: 255, description: 'Begins with, without regard to case' }),
      ),
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
    tag,
    summary: 'Make a group under an id of your own, or replace one',
    description: 'Fields that are not sent get their default; a group keeps its name when none is sent.',
    accountHeader: true,
    params: chosenId,
    body: Type.Object({
      id: Type.Optional(Type.String({ maxLength: 255, description: 'The one in the path' })),
      account: Type.Optional(Type.String({ maxLength: 255, description: 'The one in the header' })),
      name: Type.Optional(nameShape('Unique in the account, without regard to case')),
      ...inputFields,
    }),
    answers: { 200: { schema: groupShape, description: 'The group as it is now' } },
    locate: async ({ params, body }, account, caller) => {
      const mistakes = [
        ...(body.id !== undefined && body.id.toLowerCase() !== params.id.toLowerCase()
          ? [{ path: 'body/id', message: 'is not the id in the path' }]
          : []),
        ...(body.account !== undefined && body.account !== account
          ? [{ path: 'body/account', message: 'is not the account in the header' }]
          : []),
      ];
      if (mistakes.length > 0) throw invalidInput(mistakes);
      return groups.locateToPut(account, params.id, caller);
    },
    handle: ({ account, params, body, caller, requestId }) =>
      groups.put(account, params.id.toLowerCase(), body, { caller, requestId }),
  });
}
