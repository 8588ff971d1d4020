import { randomUUIDv7 } from 'node:crypto';

/** Returns a new UUIDv7 in lower case: ids sort by time of creation (RFC 9562 §5.7). */
export function newId(): string {
  return randomUUIDv7();
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Reports whether a string is a UUID as the service writes it. */
export function isId(text: string): boolean {
  return uuid.test(text);
}

/** Formats RFC 3339, UTC, milliseconds: every timestamp of the core API. */
export function timestamp(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
