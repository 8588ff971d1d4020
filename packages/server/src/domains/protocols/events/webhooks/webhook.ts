import { Type } from 'typebox';
import type { ResourceAttributes } from '../../../../access/resource.ts';
import { countOf, idOf, optionalText, textOf, timestampShape } from '../../../../api/shapes.ts';
import { timestamp } from '../../../../base/ids.ts';
import type { WebhookDeliveriesTable, WebhooksTable } from '../../../../platform/records/schema-webhooks.ts';
import { sealedColumn } from '../../../../platform/secrets/sealed-column.ts';
import type { EventKind } from '../event-kinds.ts';
import { kindShape, type Message, messageShape } from '../feed.ts';

/** Events that a webhook asks for. */
export interface Filter {
  /** Empty: all kinds. */
  events: EventKind[];
  /** Absent: of all projects, and of the account. */
  datasetId?: string;
}

/** Contexts of the sealed secrets of a webhook. */
export const secretContext = (id: string): string => `webhook:${id}`;
export const formerContext = (id: string): string => `webhook:${id}:former`;

/** Sealed columns of webhooks. */
export const sealedWebhooks = [
  sealedColumn('webhooks', 'secret_sealed', secretContext),
  sealedColumn('webhooks', 'former_secret_sealed', formerContext),
];

/** Longest life of a replaced secret, in hours. */
export const formerHoursMax = 7 * 24;

/** Schema of the kinds of events that a webhook asks for. */
export const eventsShape = Type.Array(kindShape, {
  maxItems: 100,
  uniqueItems: true,
  description: 'Kinds of events; empty: all',
});

const webhookFields = {
  id: textOf('Id of the webhook'),
  name: textOf('Name for people'),
  url: textOf('Address that receives the events'),
  events: eventsShape,
  datasetId: optionalText('Project of the events; absent: all projects, and the account'),
  state: Type.String({ enum: ['active', 'disabled'], description: '`disabled`: nothing is sent' }),
  disabledReason: optionalText('Reason for which the service has disabled it'),
  failingSince: Type.Optional(
    Type.String({ format: 'date-time', description: 'Time since which every attempt has failed' }),
  ),
  formerSecretUntil: Type.Optional(
    Type.String({ format: 'date-time', description: 'End of the replaced secret, which signs as well' }),
  ),
  creatorId: textOf('Id of the user with whose rights events are sent'),
  created: timestampShape,
  updated: timestampShape,
};

/** Webhook in the API document. */
export const webhookShape = Type.Object(webhookFields, { title: 'Webhook' });

/** Webhook with its secret, which is shown once. */
export const madeWebhookShape = Type.Object(
  { ...webhookFields, secret: textOf('Secret of the signatures, `whsec_…`, shown this once') },
  { title: 'WebhookWithSecret' },
);

/** Delivery in the API document. */
export const deliveryShape = Type.Object(
  {
    id: textOf('Id of the delivery, and `webhook-id` of its messages'),
    webhookId: textOf('Id of the webhook'),
    state: Type.String({
      enum: ['waiting', 'delivered', 'failed', 'withheld'],
      description: '`withheld`: the maker of the webhook may not know of the event any more',
    }),
    message: messageShape,
    attempts: countOf('Attempts so far'),
    status: Type.Optional(countOf('HTTP status of the last answer; absent: no answer')),
    failure: optionalText('Reason of the last failure'),
    tookMs: Type.Optional(countOf('Milliseconds of the last attempt')),
    created: timestampShape,
    sent: Type.Optional(Type.String({ format: 'date-time', description: 'Time of the last attempt' })),
    next: Type.Optional(Type.String({ format: 'date-time', description: 'Time of the next attempt' })),
  },
  { title: 'WebhookDelivery' },
);

export const webhookParam = Type.Object({ webhookId: idOf('Id of the webhook') });

export function attributesOfWebhook({
  account_id: account,
  id,
}: Pick<WebhooksTable, 'account_id' | 'id'>): ResourceAttributes {
  return { account, type: 'webhook', id };
}

/** Reads the filter of a webhook. */
export function filterOf({ filter }: Pick<WebhooksTable, 'filter'>): Filter {
  return JSON.parse(filter) as Filter;
}

/** Shows a webhook, without its secrets. */
export function viewOfWebhook(row: WebhooksTable, now = Date.now()) {
  return {
    id: row.id,
    name: row.name,
    url: row.url,
    ...filterOf(row),
    state: row.state,
    ...(row.disabled_why !== null && { disabledReason: row.disabled_why }),
    ...(row.failing_since !== null && { failingSince: timestamp(row.failing_since) }),
    ...(row.former_until !== null &&
      row.former_until > now && { formerSecretUntil: timestamp(row.former_until) }),
    creatorId: row.creator_id,
    created: timestamp(row.created_at),
    updated: timestamp(row.updated_at),
  };
}

/** Shows a delivery with the message that it carries. */
export function viewOfDelivery(row: WebhookDeliveriesTable) {
  return {
    id: row.id,
    webhookId: row.webhook_id,
    state: row.state,
    message: JSON.parse(row.body) as Message,
    attempts: row.attempts,
    ...(row.status !== null && { status: row.status }),
    ...(row.failure !== null && { failure: row.failure }),
    ...(row.took_ms !== null && { tookMs: row.took_ms }),
    created: timestamp(row.created_at),
    ...(row.sent_at !== null && { sent: timestamp(row.sent_at) }),
    ...(row.state === 'waiting' && row.next_at !== null && { next: timestamp(row.next_at) }),
  };
}
