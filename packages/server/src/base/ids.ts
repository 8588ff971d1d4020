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

/** First and last instant that RFC 3339 can write (§5.6: years of four digits). */
const firstInstant = Date.parse('0000-01-01T00:00:00.000Z');
const lastInstant = Date.parse('9999-12-31T23:59:59.999Z');

/** Formats RFC 3339, UTC, milliseconds: every timestamp of the core API. An instant beyond its years is the nearest one. */
export function timestamp(epochMs: number): string {
  return new Date(Math.max(firstInstant, Math.min(lastInstant, epochMs))).toISOString();
}
