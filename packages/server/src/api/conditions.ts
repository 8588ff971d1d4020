import { Problem } from '../base/problem.ts';

/** Version of a resource. */
export interface State {
  /** Strong tag with its quotation marks. */
  etag: string;
  /** Epoch milliseconds; absent if responses carry no `Last-Modified`. */
  modifiedAt?: number;
}

/** Headers of a request; names in lower case. */
export type Conditions = Record<string, string | string[] | undefined>;

/**
 * Throws Problem 412 unless the resource matches the preconditions (RFC 9110 §13.2.2, steps 1 and 2).
 * `mayRead` false keeps the tag, which could reveal contents, out of the problem.
 */
export function requireState(headers: Conditions, state: State, message: string, mayRead = true): void {
  if (isAsWanted(headers, state)) return;
  throw new Problem(412, 'PRECONDITION_FAILED', message, mayRead ? { headers: { etag: state.etag } } : {});
}

/** Reports whether the client has the current version (RFC 9110 §13.2.2, steps 3 and 4), for GET and HEAD. */
export function isKnown(headers: Conditions, { etag, modifiedAt }: State): boolean {
  const tags = tagsIn(headers['if-none-match']);
  // Weak comparison (§13.1.2).
  if (tags) return tags.some((tag) => tag === '*' || tag.replace(/^W\//, '') === etag);
  const since = dateIn(headers['if-modified-since']);
  return since !== undefined && modifiedAt !== undefined && inSeconds(modifiedAt) <= since;
}

function isAsWanted(headers: Conditions, { etag, modifiedAt }: State): boolean {
  const tags = tagsIn(headers['if-match']);
  // Strong comparison (§13.1.1): a weak tag never matches.
  if (tags) return tags.some((tag) => tag === '*' || tag === etag);
  const since = dateIn(headers['if-unmodified-since']);
  return since === undefined || modifiedAt === undefined || inSeconds(modifiedAt) <= since;
}

function tagsIn(value: string | string[] | undefined): string[] | undefined {
  return value === undefined ? undefined : `${value}`.split(',').map((tag) => tag.trim());
}

/** Truncates to seconds, the precision of `Last-Modified`. */
function inSeconds(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}

/** Date formats of RFC 9110 §5.6.7: IMF-fixdate, RFC 850, and asctime, which names no zone. */
const dateForms = [
  /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/,
];

/** Parses an HTTP date to epoch milliseconds. Invalid dates are ignored (§13.1.3, §13.1.4). */
function dateIn(value: string | string[] | undefined): number | undefined {
  if (typeof value !== 'string' || !dateForms.some((form) => form.test(value))) return undefined;
  const time = Date.parse(value.endsWith('GMT') ? value : `${value} GMT`);
  return Number.isNaN(time) ? undefined : time;
}
