import type { Pages } from '../../../api/paging.ts';
import type { Route } from '../../../api/route.ts';
import type { Jobs } from '../../../platform/jobs/index.ts';
import type { PlatformLog } from '../../../platform/records/log.ts';
import { type Remover, rowsOf } from '../../deletion/index.ts';
import type { Projects } from '../../files/projects/index.ts';
import type { Callers } from '../../identity/callers/index.ts';
import { EventStreams, eventStreamRoute } from './event-stream.ts';
import { Deliveries } from './webhooks/deliveries.ts';
import { deliveryRoutes } from './webhooks/delivery-routes.ts';
import { webhookRoutes } from './webhooks/routes.ts';
import { sendDeliveries } from './webhooks/send.ts';
import { spreadEvents } from './webhooks/spread.ts';
import { type WebhookDeps, Webhooks } from './webhooks/webhooks.ts';

export { sealedWebhooks } from './webhooks/webhook.ts';

interface EventDeps extends WebhookDeps {
  jobs: Jobs;
  log: PlatformLog;
  callers: Callers;
  pages: Pages;
  projects: Projects;
}

/** Removes the webhooks of an account. Those of a project stay until it is gone, and report its end. */
export const webhookRemovers: readonly Remover[] = [
  rowsOf('account', 'webhook_deliveries'),
  rowsOf('account', 'webhooks'),
];

/** Connects the events: webhooks, the job that sends to them, and streams. */
export function openEvents(deps: EventDeps): {
  routes: Route[];
  watch: (signal: AbortSignal) => Promise<void>;
  sweep: (signal: AbortSignal) => Promise<void>;
  endWaits: () => void;
} {
  const webhooks = new Webhooks(deps);
  const deliveries = new Deliveries(deps);
  const streams = new EventStreams(deps);
  deps.jobs.handle(sendDeliveries({ ...deps, deliveries }));
  return {
    routes: [
      ...webhookRoutes({ ...deps, webhooks }),
      ...deliveryRoutes({ ...deps, webhooks, deliveries }),
      eventStreamRoute(streams, deps.projects),
    ],
    watch: (signal) => spreadEvents({ ...deps, deliveries }, signal),
    sweep: (signal) => deliveries.sweep(signal),
    endWaits: () => streams.end(),
  };
}
