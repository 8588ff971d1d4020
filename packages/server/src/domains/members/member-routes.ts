import { type Pages, pageOf, pageQuery } from '../../paging.ts';
import { Answer, type Route, type RouteDefinition, route } from '../../route.ts';
import { Type } from '../../schema.ts';
import { idParam } from '../../shapes.ts';
import { type Groups, groupAttributes } from '../groups/index.ts';
import { fullView, limitedView, usernameShape, userShape } from '../users/index.ts';
import type { Members } from './members.ts';
import type { People } from './people.ts';

const tag = 'Groups';
const path = '/v1/account/groups/:id/members';
const memberParams = Type.Object({ ...idParam.properties, username: usernameShape });

export interface MemberRouteParts {
  groups: Groups;
  members: Members;
  people: People;
  pages: Pages;
}

/** /v1/account/groups/{id}/members, and the end of a group */
export function memberRoutes(parts: MemberRouteParts): Route[] {
  const { groups, members } = parts;
  return [
    route({
      method: 'DELETE',
      path: '/v1/account/groups/:id',
      operation: 'groups.delete',
      tag,
      summary: 'Delete a group',
      description: 'Who was in no other group leaves the account. Not the group of the last administrator.',
      accountHeader: true,
      params: idParam,
      answers: { 204: { description: 'Deleted' } },
      locate: ({ params }, account, caller) => groups.locate(account, params.id, caller),
      handle: async ({ resource, caller, requestId }) => {
        await members.deleteGroup(resource, { caller, requestId });
        return new Answer(204);
      },
    }),
    listRoute(parts),
    route({
      method: 'PUT',
      path: `${path}/:username`,
      operation: 'groups.addMember',
      tag,
      summary: 'Put a member of the account into a group',
      description: 'Into an open group everybody may put himself. Others are invited (POST /v1/invitations).',
      accountHeader: true,
      params: memberParams,
      answers: { 204: { description: 'He is in it' } },
      locate: ({ params }, account, caller) => members.locateToAdd(account, params, caller),
      handle: async ({ resource, params, caller, requestId }) => {
        await members.add(resource, params.username, { caller, requestId });
        return new Answer(204);
      },
    }),
    ...removeRoutes(members),
  ];
}

function listRoute({ groups, people, pages }: MemberRouteParts): Route {
  return route({
    method: 'GET',
    path,
    operation: 'groups.read',
    tag,
    summary: 'Members of a group',
    description: 'With full profiles for whoever may manage the group.',
    accountHeader: true,
    params: idParam,
    query: Type.Object(pageQuery),
    answers: { 200: { schema: pageOf(userShape), description: 'In the order in which the users were made' } },
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

/** The member as a parameter of the query, which the specification leaves open, or as a part of the path. */
function removeRoutes(members: Members): Route[] {
  const shared = {
    method: 'DELETE',
    operation: 'groups.removeMember',
    tag,
    summary: 'Remove somebody from a group',
    description:
      'Everybody may leave a group himself. Who leaves his last group leaves the account. The last administrator stays.',
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
