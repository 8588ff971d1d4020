import { Type } from 'typebox';
import type { Caller } from '../../../access/caller.ts';
import { onlyAccountOf, refuseApplication } from '../../../access/only-account.ts';
import { type PageRequest, type Pages, pageOf, pageQuery } from '../../../api/paging.ts';
import { Answer, type Route, route } from '../../../api/route.ts';
import { idParam, nameShape, textOf, timestampShape } from '../../../api/shapes.ts';
import { timestamp } from '../../../base/ids.ts';
import { notFound } from '../../../base/problem.ts';
import type { Records } from '../../../platform/records/records.ts';
import type { ApiKeysTable } from '../../../platform/records/schema.ts';
import { type Audit, actor } from '../../audit/index.ts';
import { requireValidCredential } from '../credentials/index.ts';
import type { ApiKey, Keys } from './keys.ts';

const tag = 'API keys';

const keyFields = {
  id: textOf('Id of the key, which is no secret'),
  name: textOf('Purpose of the key'),
  account: textOf('Id of the only account in which the key works'),
  created: timestampShape,
  expires: timestampShape,
};

const currentShape = Type.Boolean({ description: 'The request was made with this key' });

interface KeyRouteDeps {
  keys: Keys;
  records: Records;
  audit: Audit;
  pages: Pages;
}

/** Routes of /v1/api-keys: the caller's own keys of the account in the header. */
export function keyRoutes({ keys, records, audit, pages }: KeyRouteDeps): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v1/api-keys',
      operation: 'keys.list',
      tag,
      summary: 'List your API keys of the account, without their values',
      accountHeader: true,
      query: Type.Object(pageQuery),
      answers: {
        200: {
          schema: pageOf(Type.Object({ ...keyFields, current: currentShape })),
          description: 'Newest last',
        },
      },
      handle: async ({ account, caller, query }) => {
        const scope = JSON.stringify(['api-keys', account, caller.userId]);
        const page = pages.read(query, scope);
        const rows = await listKeys(records, { user: caller.userId, account, page });
        const list = { path: '/v1/api-keys', query, scope };
        return pages.answer(
          rows,
          page,
          list,
          ({ id }) => [id],
          (row) => ({
            ...viewOf(row),
            current: caller.via === `apiKey:${row.id}`,
          }),
        );
      },
    }),
    route({
      method: 'POST',
      path: '/v1/api-keys',
      operation: 'keys.create',
      conflicts: ['TOO_MANY_KEYS'],
      tag,
      summary: 'Create an API key',
      description:
        'The value is in `key`, this once. The key works for you in this account only. A key created with a key expires with it, at the latest.',
      accountHeader: true,
      body: Type.Object({
        name: nameShape('Purpose'),
        expireInDays: Type.Integer({ minimum: 1, maximum: 365, description: 'Days until the key expires' }),
      }),
      answers: {
        200: {
          schema: Type.Object({ ...keyFields, key: textOf('Value of the key, which is shown only here') }),
          description: 'The key with its value',
        },
      },
      handle: async ({ account, body, caller, requestId }) => {
        refuseApplication(caller);
        const { name, expireInDays } = body;
        const whose = {
          userId: caller.userId,
          account,
          onlyAccount: onlyAccountOf(caller),
          parentId: keyOf(caller),
        };
        const { value, key, store } = await keys.sign({ ...whose, name, expireInDays });
        await records.transact(async (tx) => {
          await requireValidCredential(tx, caller, account);
          await store(tx);
          const resource = { type: 'key' as const, id: key.id };
          const event = { account, ...actor(caller, requestId), action: 'keys.create' as const, resource };
          await audit.append(tx, { ...event, outcome: 'done' });
        });
        return { ...key, key: value };
      },
    }),
    route({
      method: 'DELETE',
      path: '/v1/api-keys/:id',
      operation: 'keys.revoke',
      tag,
      summary: 'Revoke one of your API keys; it stops working immediately',
      accountHeader: true,
      params: idParam,
      answers: { 204: { description: 'Revoked' } },
      handle: async ({ account, params, caller, requestId }) => {
        await records.transact(async (tx) => {
          const whose = { userId: caller.userId, account, byKey: keyOf(caller) };
          if (!(await keys.revoke(tx, whose, params.id))) throw notFound();
          const resource = { type: 'key' as const, id: params.id };
          const event = { account, ...actor(caller, requestId), action: 'keys.revoke' as const, resource };
          await audit.append(tx, { ...event, outcome: 'done' });
        });
        return new Answer(204);
      },
    }),
  ];
}

/** Returns the id of the API key that authenticated a caller. */
function keyOf({ via }: Caller): string | undefined {
  return via.startsWith('apiKey:') ? via.slice('apiKey:'.length) : undefined;
}

/** Lists valid keys by age, which their ids encode; one row more than the page. */
async function listKeys(
  records: Records,
  { user, account, page }: { user: string; account: string; page: PageRequest },
): Promise<ApiKeysTable[]> {
  let query = records.read
    .selectFrom('api_keys')
    .selectAll()
    .where('user_id', '=', user)
    .where('account_id', '=', account)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', Date.now())
    .orderBy('id')
    .limit(page.size + 1);
  if (page.after) query = query.where('id', '>', String(page.after[0]));
  return query.execute();
}

function viewOf({ id, name, account_id, created_at, expires_at }: ApiKeysTable): ApiKey {
  return { id, name, account: account_id, created: timestamp(created_at), expires: timestamp(expires_at) };
}
