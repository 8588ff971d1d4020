import { Type } from 'typebox';
import { type Pages, pageOf, pageQuery } from '../../../../api/paging.ts';
import { Answer, type Located, type Route, route } from '../../../../api/route.ts';
import { idOf, nameShape } from '../../../../api/shapes.ts';
import type { WebhooksTable } from '../../../../platform/records/schema-webhooks.ts';
import {
  attributesOfWebhook,
  eventsShape,
  formerHoursMax,
  madeWebhookShape,
  viewOfWebhook,
  webhookParam,
  webhookShape,
} from './webhook.ts';
import type { Webhooks } from './webhooks.ts';

const tag = 'Events' as const;
const hourMs = 3_600_000;
const urlShape = Type.String({
  minLength: 1,
  maxLength: 2000,
  description: 'Address that receives the events by POST: https, and of no private network',
});
const changed = { 200: { schema: webhookShape, description: 'The webhook' } };
const withSecret = {
  200: { schema: madeWebhookShape, description: 'The webhook with its secret, shown this once' },
};

/** Returns the function that finds the webhook of a request. */
export function locateIn(webhooks: Webhooks) {
  return async ({
    params,
  }: {
    params: { webhookId: string };
  }): Promise<Located<WebhooksTable> | undefined> => {
    const record = await webhooks.find(params.webhookId);
    return record && { attributes: attributesOfWebhook(record), record };
  };
}

/** Routes of /v1/webhooks. */
export function webhookRoutes({ webhooks, pages }: { webhooks: Webhooks; pages: Pages }): Route[] {
  const locate = locateIn(webhooks);
  const path = '/v1/webhooks/:webhookId';
  const one = { tag, accountHeader: true, params: webhookParam, locate };
  return [
    route({
      method: 'GET',
      path: '/v1/webhooks',
      operation: 'webhooks.list',
      tag,
      summary: 'List the webhooks of the account',
      accountHeader: true,
      query: Type.Object(pageQuery),
      answers: { 200: { schema: pageOf(webhookShape), description: 'Oldest first' } },
      handle: async ({ account, query, caller }) => {
        const scope = JSON.stringify(['webhooks', account, caller.userId]);
        const page = pages.read(query, scope);
        const list = { path: '/v1/webhooks', query, scope };
        const rows = await webhooks.list(account, page);
        return pages.answer(
          rows,
          page,
          list,
          ({ id }) => [id],
          (row) => viewOfWebhook(row),
        );
      },
    }),
    route({
      method: 'POST',
      path: '/v1/webhooks',
      operation: 'webhooks.create',
      conflicts: ['TOO_MANY_WEBHOOKS'],
      tag,
      summary: 'Create a webhook',
      description:
        'Events are sent with the rights of its maker, signed as in Standard Webhooks, and again for three days until an answer is 2xx.',
      accountHeader: true,
      body: Type.Object({
        name: nameShape('Name for people'),
        url: urlShape,
        events: Type.Optional(eventsShape),
        datasetId: Type.Optional(idOf('Project of the events; absent: all projects, and the account')),
      }),
      answers: withSecret,
      handle: async ({ account, body, caller, requestId }) => {
        const { row, secret } = await webhooks.create(account, body, { caller, requestId });
        return { ...viewOfWebhook(row), secret };
      },
    }),
    route({
      ...one,
      path,
      method: 'GET',
      operation: 'webhooks.read',
      summary: 'Get a webhook',
      answers: changed,
      handle: async ({ resource }) => viewOfWebhook(resource),
    }),
    route({
      ...one,
      path,
      method: 'PATCH',
      operation: 'webhooks.update',
      summary: 'Change, enable or disable a webhook',
      description: 'An enabled one gets the events from then on.',
      body: Type.Object({
        name: Type.Optional(nameShape('Name for people')),
        url: Type.Optional(urlShape),
        events: Type.Optional(eventsShape),
        datasetId: Type.Optional(
          Type.Union([idOf('Project of the events'), Type.Null()], {
            description: 'Project of the events; `null`: all projects, and the account',
          }),
        ),
        state: Type.Optional(
          Type.Unsafe<WebhooksTable['state']>({
            type: 'string',
            enum: ['active', 'disabled'],
            description: '`disabled`: nothing is sent',
          }),
        ),
      }),
      answers: changed,
      handle: async ({ resource, body, caller, requestId }) =>
        viewOfWebhook(await webhooks.update(resource.id, body, { caller, requestId })),
    }),
    route({
      ...one,
      path,
      method: 'DELETE',
      operation: 'webhooks.delete',
      summary: 'Delete a webhook',
      answers: { 204: { description: 'Deleted' } },
      handle: async ({ resource, caller, requestId }) => {
        await webhooks.delete(resource, { caller, requestId });
        return new Answer(204);
      },
    }),
    route({
      ...one,
      method: 'POST',
      path: `${path}/secret`,
      operation: 'webhooks.update',
      summary: 'Make a new secret of a webhook',
      description: 'For a while the former secret signs as well, so that receivers can change over.',
      body: Type.Object({
        formerHours: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: formerHoursMax,
            description: 'Hours for which the former secret signs as well; default 24, 0: none',
          }),
        ),
      }),
      answers: withSecret,
      handle: async ({ resource, body, caller, requestId }) => {
        const formerMs = (body.formerHours ?? 24) * hourMs;
        const { row, secret } = await webhooks.renewSecret(resource.id, formerMs, { caller, requestId });
        return { ...viewOfWebhook(row), secret };
      },
    }),
  ];
}
