import { randomUUIDv7 } from 'node:crypto';

/** A new id: UUIDv7, lower case, so that ids sort by the time they were made (RFC 9562 §5.7). */
export function newId(): string {
  return randomUUIDv7();
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether a text is a UUID in the form that the service writes. */
export function isId(text: string): boolean {
  return uuid.test(text);
}

/** RFC 3339, UTC, milliseconds: the form of every timestamp of the core API. */
export function timestamp(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
