import { Problem } from './problem.ts';

/** What tells one state of a thing from the next. */
export interface State {
  /** With its quotation marks; strong. */
  etag: string;
  /** Epoch milliseconds; absent where answers carry no `Last-Modified`. */
  modifiedAt?: number;
}

/** Headers of a request; names in lower case. */
export type Conditions = Record<string, string | string[] | undefined>;

/**
 * Problem 412 unless the thing is in the state that the request is good for: steps 1 and 2 of RFC 9110, §13.2.2. `message` says
 * what was changed. `mayRead`: else its tag is not told, which may say what is in it.
 */
export function requireState(headers: Conditions, state: State, message: string, mayRead = true): void {
  if (isAsWanted(headers, state)) return;
  throw new Problem(412, 'PRECONDITION_FAILED', message, mayRead ? { headers: { etag: state.etag } } : {});
}

/** Whether the reader has what he asks for: steps 3 and 4 of RFC 9110, §13.2.2, for GET and HEAD. */
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

/** `Last-Modified` has no parts of a second. */
function inSeconds(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}

/** The forms of RFC 9110, §5.6.7: the one of today, that of RFC 850, that of asctime, which names no zone. */
const dateForms = [
  /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/,
];

/** Epoch milliseconds. What is no date of HTTP counts as not sent (§13.1.3, §13.1.4). */
function dateIn(value: string | string[] | undefined): number | undefined {
  if (typeof value !== 'string' || !dateForms.some((form) => form.test(value))) return undefined;
  const time = Date.parse(value.endsWith('GMT') ? value : `${value} GMT`);
  return Number.isNaN(time) ? undefined : time;
}
