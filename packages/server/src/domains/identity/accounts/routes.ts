import { Type } from 'typebox';
import { refuseOneAccount } from '../../../access/only-account.ts';
import { Answer, type Route, route } from '../../../api/route.ts';
import {
  deletionDateShape,
  forceShape,
  idParam,
  nameShape,
  pendingDeletionShape,
  textOf,
} from '../../../api/shapes.ts';
import { groupShape } from '../groups/index.ts';
import { type Account, type Accounts, accountIdPattern } from './accounts.ts';
import type { AccountDeletion } from './deletion.ts';

const tag = 'Accounts';

const typeWords = '`FREE`, `PAID` or `ENTERPRISE`: a label without effect';

const assistantsShape = Type.Unsafe<Account['assistants']>({
  type: 'string',
  enum: ['off', 'read', 'write'],
  description:
    'Permission of assistants that act for members by `/{account}/mcp`: `off`, `read`, or `write` for tools that change data too',
});

const accountShape = Type.Object(
  {
    id: textOf('Id of the account, as in the account header'),
    name: textOf('Display name'),
    owner: Type.String({ description: 'E-mail address, possibly of this host only (`admin@localhost`)' }),
    type: textOf(typeWords),
    assistants: assistantsShape,
    deletionDate: pendingDeletionShape,
    groups: Type.Optional(
      Type.Array(groupShape, { description: 'Only with `include=groups`: the groups that you may read' }),
    ),
  },
  { title: 'Account' },
);

/** Routes of /v1/accounts. */
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
      summary: 'List your accounts',
      answers: {
        200: {
          schema: Type.Object({ accounts: Type.Array(accountShape, { description: 'Your accounts' }) }),
          description: 'By id',
        },
      },
      handle: async ({ caller }) => ({ accounts: await accounts.list(caller) }),
    }),
    route({
      method: 'POST',
      path: '/v1/accounts',
      operation: 'accounts.create',
      conflicts: ['ACCOUNT_EXISTS'],
      tag,
      summary: 'Create an account',
      description: 'You become its owner. It has groups and policies for administrators, users and subjects.',
      body: Type.Object({
        id: Type.Optional(
          Type.String({
            pattern: accountIdPattern,
            description:
              'At most 32 lower-case letters, digits and hyphens, no hyphen first; default: derived from the name',
          }),
        ),
        name: nameShape('Display name'),
        type: Type.Optional(
          Type.Union([Type.Literal('FREE'), Type.Literal('PAID'), Type.Literal('ENTERPRISE')], {
            description: `${typeWords}; default \`FREE\``,
          }),
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
      summary: 'Get an account',
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
      summary: 'Rename an account, let assistants use it, or cancel its pending deletion',
      params: idParam,
      body: changeShape,
      answers: { 200: { schema: accountShape, description: 'The changed account' } },
      locate,
      handle: async ({ resource, body, caller, requestId }) =>
        accounts.update(resource, body, { caller, requestId }),
    }),
    route({
      method: 'DELETE',
      path: '/v1/accounts/:id',
      operation: 'accounts.delete',
      tag,
      summary: 'Delete an account with all its content: after a grace period, or immediately',
      description:
        'The account keeps working until its `deletionDate`; clearing that date cancels the deletion. With `force=true` the account is deleted immediately, with its projects, members and keys. Its id is never reused.',
      params: idParam,
      query: Type.Object({ force: forceShape }),
      answers: { 204: { description: 'Deleted, or marked for deletion' } },
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
  assistants: Type.Optional(assistantsShape),
  deletionDate: deletionDateShape,
});
