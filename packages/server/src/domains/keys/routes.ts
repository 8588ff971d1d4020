import { onlyAccountOf, refuseApplication } from '../../access/only-account.ts';
import { timestamp } from '../../ids.ts';
import { type PageRequest, type Pages, pageOf, pageQuery } from '../../paging.ts';
import type { Records } from '../../platform/records/records.ts';
import type { ApiKeysTable } from '../../platform/records/schema.ts';
import { notFound } from '../../problem.ts';
import { Answer, type Route, route } from '../../route.ts';
import { Type } from '../../schema.ts';
import { idParam, nameShape, timestampShape } from '../../shapes.ts';
import { type Audit, actor } from '../audit/index.ts';
import type { ApiKey, Keys } from './keys.ts';
import { requireStanding } from './standing.ts';

const tag = 'API keys';

const keyFields = {
  id: Type.String(),
  name: Type.String(),
  account: Type.String(),
  created: timestampShape,
  expires: timestampShape,
};

export interface KeyRouteParts {
  keys: Keys;
  records: Records;
  audit: Audit;
  pages: Pages;
}

/** /v1/api-keys: the caller's own keys of the account named by the header. */
export function keyRoutes({ keys, records, audit, pages }: KeyRouteParts): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v1/api-keys',
      operation: 'keys.list',
      tag,
      summary: 'Your API keys of the account, without their values',
      accountHeader: true,
      query: Type.Object(pageQuery),
      answers: { 200: { schema: pageOf(Type.Object(keyFields)), description: 'Newest last' } },
      handle: async ({ account, caller, query }) => {
        const scope = JSON.stringify(['api-keys', account, caller.userId]);
        const page = pages.read(query, scope);
        const rows = await listKeys(records, { user: caller.userId, account, page });
        const list = { path: '/v1/api-keys', query, scope };
        return pages.answer(rows, page, list, ({ id }) => [id], viewOf);
      },
    }),
    route({
      method: 'POST',
      path: '/v1/api-keys',
      operation: 'keys.create',
      tag,
      summary: 'Make an API key',
      description: 'The value is in `key`, this once. The key works for you in this account only.',
      accountHeader: true,
      body: Type.Object({
        name: nameShape('What it is for'),
        expireInDays: Type.Integer({ minimum: 1, maximum: 365 }),
      }),
      answers: {
        200: {
          schema: Type.Object({ ...keyFields, key: Type.String() }),
          description: 'The key with its value',
        },
      },
      handle: async ({ account, body, caller, requestId }) => {
        refuseApplication(caller);
        const { name, expireInDays } = body;
        const whose = { userId: caller.userId, account, onlyAccount: onlyAccountOf(caller) };
        const { value, key, store } = await keys.sign({ ...whose, name, expireInDays });
        await records.transact(async (tx) => {
          await requireStanding(tx, caller, account);
          await store(tx);
          const resource = { type: 'key' as const, id: key.id };
          const event = { account, ...actor(caller, requestId), action: 'keys.create', resource };
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
      summary: 'Revoke an API key of yours; it stops working at once',
      accountHeader: true,
      params: idParam,
      answers: { 204: { description: 'Revoked' } },
      handle: async ({ account, params, caller, requestId }) => {
        await records.transact(async (tx) => {
          if (!(await keys.revoke(tx, caller.userId, account, params.id))) throw notFound();
          const resource = { type: 'key' as const, id: params.id };
          const event = { account, ...actor(caller, requestId), action: 'keys.revoke', resource };
          await audit.append(tx, { ...event, outcome: 'done' });
        });
        return new Answer(204);
      },
    }),
  ];
}

/** Those that work, by age, which their ids tell; one row more than the page. */
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
