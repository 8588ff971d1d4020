import { readInteger } from '../../../base/numbers.ts';

/** Parses seconds or a date (RFC 9110 §10.2.3). */
export function retryAfterMs(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const seconds = readInteger(value.trim(), { min: 0, max: 999_999_999 });
  if (seconds !== undefined) return seconds * 1000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}
