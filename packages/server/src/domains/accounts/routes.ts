import { refuseOneAccount } from '../../access/only-account.ts';
import { Answer, type Route, route } from '../../route.ts';
import { Type } from '../../schema.ts';
import { deletionDateShape, forceShape, idParam, nameShape, timestampShape } from '../../shapes.ts';
import { groupShape } from '../groups/index.ts';
import { type Accounts, accountIdPattern } from './accounts.ts';
import type { AccountDeletion } from './deletion.ts';

const tag = 'Accounts';

const accountShape = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    owner: Type.String({ description: 'E-mail address, maybe of this host only (`admin@localhost`)' }),
    type: Type.String(),
    deletionDate: Type.Optional(timestampShape),
    groups: Type.Optional(Type.Array(groupShape)),
  },
  { title: 'Account' },
);

/** /v1/accounts */
export function accountRoutes(accounts: Accounts, deletion: AccountDeletion): Route[] {
  const locate = async ({ params }: { params: { id: string } }) => {
    const record = await accounts.find(params.id);
    return record && { attributes: { account: record.id, type: 'account' as const, id: record.id }, record };
  };
  return [
    route({
      method: 'GET',
      path: '/v1/accounts',
      operation: 'accounts.list',
      tag,
      summary: 'Accounts that you are a member of',
      answers: { 200: { schema: Type.Object({ accounts: Type.Array(accountShape) }), description: 'By id' } },
      handle: async ({ caller }) => ({ accounts: await accounts.list(caller) }),
    }),
    route({
      method: 'POST',
      path: '/v1/accounts',
      operation: 'accounts.create',
      tag,
      summary: 'Make an account',
      description:
        'You become its owner. It comes with groups and policies for administrators, users and subjects.',
      body: Type.Object({
        id: Type.Optional(
          Type.String({
            pattern: accountIdPattern,
            description:
              'At most 32 lower-case letters, digits and hyphens, no hyphen first; absent: derived from the name',
          }),
        ),
        name: nameShape('Name for people'),
        type: Type.Optional(
          Type.Union([Type.Literal('FREE'), Type.Literal('PAID'), Type.Literal('ENTERPRISE')]),
        ),
      }),
      answers: { 200: { schema: accountShape, description: 'The account' } },
      handle: async ({ caller, body, requestId }) => {
        refuseOneAccount(caller);
        return accounts.create(body, { caller, requestId });
      },
    }),
    route({
      method: 'GET',
      path: '/v1/accounts/:id',
      operation: 'accounts.read',
      tag,
      summary: 'One account',
      params: idParam,
      query: Type.Object({ include: Type.Optional(Type.Union([Type.Literal('groups'), Type.Literal('')])) }),
      answers: { 200: { schema: accountShape, description: 'The account' } },
      locate,
      handle: async ({ resource, query, caller }) =>
        query.include === 'groups'
          ? { ...resource, groups: await accounts.groups(resource.id, caller) }
          : resource,
    }),
    route({
      method: 'PATCH',
      path: '/v1/accounts/:id',
      operation: 'accounts.update',
      tag,
      summary: 'Rename an account, or cancel its pending deletion',
      params: idParam,
      body: changeShape,
      answers: { 200: { schema: accountShape, description: 'The account as it is now' } },
      locate,
      handle: async ({ resource, body, caller, requestId }) =>
        accounts.update(resource, body, { caller, requestId }),
    }),
    route({
      method: 'DELETE',
      path: '/v1/accounts/:id',
      operation: 'accounts.delete',
      tag,
      summary: 'Delete an account with all that it holds: after a grace period, or at once',
      description:
        'It keeps working until its `deletionDate`, and clearing that cancels the deletion. With `force=true` it is gone with this answer, and so are its projects, members and keys. Its id is never given again.',
      params: idParam,
      query: Type.Object({ force: forceShape }),
      answers: { 204: { description: 'Deleted, or marked for it' } },
      locate,
      handle: async ({ resource, query, caller, requestId }) => {
        await deletion.delete(resource.id, query.force ?? false, { caller, requestId });
        return new Answer(204);
      },
    }),
  ];
}

const changeShape = Type.Object({
  name: Type.Optional(nameShape('New name')),
  deletionDate: deletionDateShape,
});
