import { Type } from 'typebox';
import { type Pages, pageOf, pageQuery } from '../../../../api/paging.ts';
import { Answer, type Route, route } from '../../../../api/route.ts';
import { idOf } from '../../../../api/shapes.ts';
import { notFound } from '../../../../base/problem.ts';
import type { WebhookDeliveriesTable, WebhooksTable } from '../../../../platform/records/schema-webhooks.ts';
import { type Audit, actor } from '../../../audit/index.ts';
import type { Deliveries } from './deliveries.ts';
import { locateIn } from './routes.ts';
import { attributesOfWebhook, deliveryShape, viewOfDelivery, webhookParam } from './webhook.ts';
import type { Webhooks } from './webhooks.ts';

interface DeliveryRouteDeps {
  webhooks: Webhooks;
  deliveries: Deliveries;
  audit: Audit;
  pages: Pages;
}

const deliveryParams = Type.Object({ ...webhookParam.properties, deliveryId: idOf('Id of the delivery') });

/** Routes of the deliveries of a webhook: its log, a test, and sending again. */
export function deliveryRoutes({ webhooks, deliveries, audit, pages }: DeliveryRouteDeps): Route[] {
  const locate = locateIn(webhooks);
  const path = '/v1/webhooks/:webhookId/deliveries';
  const one = { tag: 'Events' as const, accountHeader: true, locate };
  const queued = { 202: { schema: deliveryShape, description: 'The delivery, which waits to be sent' } };
  const recorded = async (
    webhook: WebhooksTable,
    by: Parameters<typeof actor>,
    delivery: WebhookDeliveriesTable,
  ): Promise<Answer> => {
    await audit.record({
      account: webhook.account_id,
      ...actor(...by),
      action: 'webhooks.send',
      resource: attributesOfWebhook(webhook),
      outcome: 'done',
      details: { delivery: delivery.id },
    });
    return new Answer(202, viewOfDelivery(delivery));
  };
  return [
    route({
      ...one,
      method: 'POST',
      path: '/v1/webhooks/:webhookId/test',
      operation: 'webhooks.send',
      summary: 'Send a test event to a webhook',
      description: 'Tried once, also while the webhook is disabled. The delivery shows the result.',
      params: webhookParam,
      answers: queued,
      handle: async ({ resource, caller, requestId }) =>
        recorded(resource, [caller, requestId], await deliveries.test(resource, caller.userId)),
    }),
    route({
      ...one,
      method: 'GET',
      path,
      operation: 'webhooks.read',
      summary: 'List the deliveries of a webhook',
      description: 'Kept for 30 days.',
      params: webhookParam,
      query: Type.Object({
        state: Type.Optional(
          Type.Unsafe<WebhookDeliveriesTable['state']>({
            type: 'string',
            enum: ['waiting', 'delivered', 'failed', 'withheld'],
            description: 'Only deliveries in this state',
          }),
        ),
        ...pageQuery,
      }),
      answers: { 200: { schema: pageOf(deliveryShape), description: 'Newest first' } },
      handle: async ({ resource, query, caller }) => {
        const scope = JSON.stringify(['deliveries', resource.id, caller.userId, query.state]);
        const page = pages.read(query, scope);
        const rows = await deliveries.list(resource.id, query.state, page);
        const list = { path: `/v1/webhooks/${resource.id}/deliveries`, query, scope };
        return pages.answer(rows, page, list, ({ id }) => [id], viewOfDelivery);
      },
    }),
    route({
      ...one,
      method: 'GET',
      path: `${path}/:deliveryId`,
      operation: 'webhooks.read',
      summary: 'Get a delivery of a webhook',
      params: deliveryParams,
      answers: { 200: { schema: deliveryShape, description: 'The delivery' } },
      handle: async ({ resource, params }) => {
        const found = await deliveries.find(resource.id, params.deliveryId);
        if (!found) throw notFound();
        return viewOfDelivery(found);
      },
    }),
    route({
      ...one,
      method: 'POST',
      path: `${path}/:deliveryId/replay`,
      operation: 'webhooks.send',
      summary: 'Send a delivery of a webhook again',
      description: 'Under the same id, if the maker of the webhook may still know of the event.',
      params: deliveryParams,
      answers: queued,
      handle: async ({ resource, params, caller, requestId }) =>
        recorded(resource, [caller, requestId], await deliveries.replay(resource, params.deliveryId)),
    }),
  ];
}
