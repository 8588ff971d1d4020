import { Type } from 'typebox';
import { type Pages, pageOf, pageQuery } from '../../../api/paging.ts';
import { Answer, type Route, type RouteDefinition, route } from '../../../api/route.ts';
import { idParam } from '../../../api/shapes.ts';
import { type Groups, groupAttributes } from '../groups/index.ts';
import { fullView, limitedView, usernameShape, userShape } from '../users/index.ts';
import type { Members } from './members.ts';
import type { People } from './people.ts';

const tag = 'Groups';
const path = '/v1/account/groups/:id/members';
const memberParams = Type.Object({ ...idParam.properties, username: usernameShape });

interface MemberRouteDeps {
  groups: Groups;
  members: Members;
  people: People;
  pages: Pages;
}

/** Routes of /v1/account/groups/{id}/members, and the deletion of a group. */
export function memberRoutes(deps: MemberRouteDeps): Route[] {
  const { groups, members } = deps;
  return [
    route({
      method: 'DELETE',
      path: '/v1/account/groups/:id',
      operation: 'groups.delete',
      conflicts: ['LAST_ADMINISTRATOR'],
      tag,
      summary: 'Delete a group',
      description:
        'Members in no other group leave the account. The group of the last administrator cannot be deleted.',
      accountHeader: true,
      params: idParam,
      answers: { 204: { description: 'Deleted' } },
      locate: ({ params }, account, caller) => groups.locate(account, params.id, caller),
      handle: async ({ resource, caller, requestId }) => {
        await members.deleteGroup(resource, { caller, requestId });
        return new Answer(204);
      },
    }),
    listRoute(deps),
    route({
      method: 'PUT',
      path: `${path}/:username`,
      operation: 'groups.addMember',
      conflicts: ['SEVERAL_USERS', 'GROUP_CLOSED'],
      tag,
      summary: 'Add a member of the account to a group',
      description: 'Users may add themselves to an open group. Others are invited (POST /v1/invitations).',
      accountHeader: true,
      params: memberParams,
      answers: { 204: { description: 'The user is in the group' } },
      locate: ({ params }, account, caller) => members.locateToAdd(account, params, caller),
      handle: async ({ resource, params, caller, requestId }) => {
        await members.add(resource, params.username, { caller, requestId });
        return new Answer(204);
      },
    }),
    ...removeRoutes(members),
  ];
}

function listRoute({ groups, people, pages }: MemberRouteDeps): Route {
  return route({
    method: 'GET',
    path,
    operation: 'groups.read',
    tag,
    summary: 'List the members of a group',
    description: 'Callers who may manage the group get full profiles.',
    accountHeader: true,
    params: idParam,
    query: Type.Object(pageQuery),
    answers: { 200: { schema: pageOf(userShape), description: 'In order of creation' } },
    locate: ({ params }, account, caller) => groups.locate(account, params.id, caller),
    handle: async ({ resource, query, caller }) => {
      const scope = JSON.stringify(['members', resource.id, caller.userId]);
      const page = pages.read(query, scope);
      const rows = await people.inGroup(resource.id, page);
      const list = { path: path.replace(':id', resource.id), query, scope };
      const full = caller.allows('accessAdmin', groupAttributes(resource.account_id, resource.id));
      return pages.answer(
        rows,
        page,
        list,
        (user) => [user.id],
        (user) => (full || user.id === caller.userId ? fullView(user) : limitedView(user)),
      );
    },
  });
}

/** Routes for the member as a query parameter, which the specification leaves open, or as a path segment. */
function removeRoutes(members: Members): Route[] {
  const shared = {
    method: 'DELETE',
    operation: 'groups.removeMember',
    conflicts: ['SEVERAL_USERS', 'LAST_ADMINISTRATOR'],
    tag,
    summary: 'Remove a member from a group',
    description:
      'Users may always leave a group. Leaving the last group ends membership of the account. The last administrator cannot leave.',
    accountHeader: true,
    answers: { 204: { description: 'Removed' } },
  } as const satisfies Partial<RouteDefinition<undefined, undefined, undefined, undefined>>;
  return [
    route({
      ...shared,
      path,
      params: idParam,
      query: Type.Object({ username: usernameShape }),
      locate: ({ params, query }, account, caller) =>
        members.locateToRemove(account, { ...params, ...query }, caller),
      handle: async ({ resource, query, caller, requestId }) => {
        await members.remove(resource, query.username, { caller, requestId });
        return new Answer(204);
      },
    }),
    route({
      ...shared,
      path: `${path}/:username`,
      params: memberParams,
      locate: ({ params }, account, caller) => members.locateToRemove(account, params, caller),
      handle: async ({ resource, params, caller, requestId }) => {
        await members.remove(resource, params.username, { caller, requestId });
        return new Answer(204);
      },
    }),
  ];
}
