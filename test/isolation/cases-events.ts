import { newId } from '../../packages/server/src/base/ids.ts';
import type { RouteCase } from './cases.ts';
import { type Household, type Ids, nobody } from './world.ts';

const body = { name: 'Made', url: `${nobody}made`, events: ['ehr.deleted'] };
const one = (ids: Ids): string => `/v1/webhooks/${ids.webhook}`;

async function freshWebhook({ call }: Household): Promise<Partial<Ids>> {
  return { webhook: (await call('POST', '/v1/webhooks', { body: { ...body, name: newId() } })).body.id };
}

/** Webhooks, their deliveries, and streams of events. */
export const eventCases: Record<string, RouteCase> = {
  'GET /v1/webhooks': { ask: () => ({ path: '/v1/webhooks' }), namesNothing: true },
  'POST /v1/webhooks': { ask: () => ({ path: '/v1/webhooks', body }), namesNothing: true },
  'GET /v1/webhooks/:webhookId': { ask: (ids) => ({ path: one(ids) }) },
  'PATCH /v1/webhooks/:webhookId': { ask: (ids) => ({ path: one(ids), body: { name: 'Changed' } }) },
  'DELETE /v1/webhooks/:webhookId': { ask: (ids) => ({ path: one(ids) }), fresh: freshWebhook },
  'POST /v1/webhooks/:webhookId/secret': {
    ask: (ids) => ({ path: `${one(ids)}/secret`, body: { formerHours: 1 } }),
    fresh: freshWebhook,
  },
  'POST /v1/webhooks/:webhookId/test': {
    ask: (ids) => ({ path: `${one(ids)}/test` }),
    bodiless: true,
    fresh: freshWebhook,
  },
  'GET /v1/webhooks/:webhookId/deliveries': { ask: (ids) => ({ path: `${one(ids)}/deliveries` }) },
  'GET /v1/webhooks/:webhookId/deliveries/:deliveryId': {
    ask: (ids) => ({ path: `${one(ids)}/deliveries/${ids.delivery}` }),
  },
  'POST /v1/webhooks/:webhookId/deliveries/:deliveryId/replay': {
    ask: (ids) => ({ path: `${one(ids)}/deliveries/${ids.delivery}/replay` }),
    bodiless: true,
  },
  'GET /v1/projects/:id/events': {
    ask: (ids) => ({ path: `/v1/projects/${ids.project}/events?follow=false` }),
  },
};
