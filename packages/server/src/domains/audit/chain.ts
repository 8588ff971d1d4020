import { hash } from 'node:crypto';
import type { AuditEventsTable } from '../../platform/records/schema.ts';

/** What the first event of an account's chain follows. */
export const chainStart = '0'.repeat(64);

/** SHA-256 over the previous hash and every field of the event, in a fixed order: a changed or missing event shows. */
export function eventHash(event: Omit<AuditEventsTable, 'hash'>): string {
  const fields = [
    event.previous_hash,
    event.account_id,
    event.sequence,
    event.at,
    event.user_id,
    event.via,
    event.action,
    event.resource_type,
    event.resource_id,
    event.project_id,
    event.outcome,
    event.details,
    event.request_id,
  ];
  return hash('sha256', JSON.stringify(fields), 'hex');
}
