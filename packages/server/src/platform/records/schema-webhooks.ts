/** Epoch milliseconds. */
type Time = number;

/** Receiver of events of an account (domains/protocols/events/webhooks). */
export interface WebhooksTable {
  id: string;
  account_id: string;
  /** User with whose rights events are sent. */
  creator_id: string;
  name: string;
  url: string;
  /** JSON: kinds of events, and the project that they must be of; without either: all. */
  filter: string;
  state: 'active' | 'disabled';
  /** Reason in a sentence, if the service has disabled it. */
  disabled_why: string | null;
  secret_sealed: string;
  /** Secret before the last change, which signs as well until `former_until`. */
  former_secret_sealed: string | null;
  former_until: Time | null;
  /** Number of the last audit event that was considered. */
  position: number;
  /** Time since which every attempt has failed. */
  failing_since: Time | null;
  created_at: Time;
  updated_at: Time;
}

/** Event that was sent to a webhook, or waits to be. */
export interface WebhookDeliveriesTable {
  /** Id of the delivery, and `webhook-id` of its message in each attempt. */
  id: string;
  webhook_id: string;
  account_id: string;
  /** Action of the audit event, which names the right that it needs; '' of a test. */
  action: string;
  kind: string;
  /** Message as it is sent: ids, no health data. */
  body: string;
  /** `withheld`: the maker of the webhook may not know of it any more. */
  state: 'waiting' | 'delivered' | 'failed' | 'withheld';
  attempts: number;
  /** Status of the last answer; null: no answer. */
  status: number | null;
  /** Reason of the last failure in a sentence. */
  failure: string | null;
  took_ms: number | null;
  created_at: Time;
  sent_at: Time | null;
  next_at: Time | null;
}

/** The tables of webhooks; the `Database` of the domains extends it. */
export interface WebhookTables {
  webhooks: WebhooksTable;
  webhook_deliveries: WebhookDeliveriesTable;
}
