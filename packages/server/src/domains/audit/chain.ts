import { hash } from 'node:crypto';
import type { AuditEventsTable } from '../../platform/records/schema.ts';

/** Predecessor hash of the first event in a chain. */
export const chainStart = '0'.repeat(64);

/**
 * Hashes the previous hash and every field of the event in a fixed order (SHA-256): changes and gaps are
 * detected.
 */
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
