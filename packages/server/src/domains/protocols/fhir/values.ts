import { invalidInput, type Problem } from '../../../base/problem.ts';

/** Comparison of a date or quantity (R4 §3.1.1.4.5). */
export type Prefix = 'eq' | 'ne' | 'gt' | 'lt' | 'ge' | 'le' | 'sa' | 'eb' | 'ap';

/** Range of time from a date of some precision: its end is not part of it. Microseconds since 1970, UTC. */
export interface TimeRange {
  prefix: Prefix;
  from: bigint;
  to: bigint;
}

/** Number with the half of its last digit: `5.4` means 5.35 to 5.45. */
export interface QuantityValue {
  prefix: Prefix;
  number: number;
  half: number;
  system: string | undefined;
  /** Code or unit. */
  unit: string | undefined;
}

/** Code with its system; `''`: without a system, undefined: of any. */
interface TokenValue {
  system: string | undefined;
  code: string | undefined;
}

/** Builds the problem of a parameter whose value cannot be read. */
export const wrongValue = (name: string, message: string): Problem =>
  invalidInput([{ path: `query/${name}`, message }]);

/** Splits a value at a character that no backslash precedes (R4 §3.1.1.4.1). Parts stay escaped. */
export function splitAt(text: string, separator: ',' | '|' | '$'): string[] {
  const parts = [''];
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === separator) parts.push('');
    else {
      if (character === '\\' && at + 1 < text.length) parts[parts.length - 1] += text.charAt(at++);
      parts[parts.length - 1] += text.charAt(at);
    }
  }
  return parts;
}

/** Removes the backslashes of a part. */
export const unescaped = (text: string): string => text.replace(/\\([,|$\\])/g, '$1');

/** Reads `code`, `system|code`, `|code` or `system|`. */
export function tokenIn(text: string): TokenValue {
  const [first = '', ...rest] = splitAt(text, '|').map(unescaped);
  if (rest.length === 0) return { system: undefined, code: first };
  const code = rest.join('|');
  return { system: first, code: code === '' ? undefined : code };
}

const prefixed = /^(eq|ne|gt|lt|ge|le|sa|eb|ap)?(.*)$/s;
const dateForm = /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?)?)?$/;

/** Reads a date with a prefix. A time without a zone is in UTC. */
export function timeRangeIn(name: string, text: string): TimeRange {
  const [, prefix = 'eq', date = ''] = prefixed.exec(text) ?? [];
  const parts = dateForm.exec(date);
  if (!parts) throw wrongValue(name, 'must be a date: 2024, 2024-05, 2024-05-17 or 2024-05-17T10:00:00Z');
  const [, year = '', month, day, hour, minute, second, fraction, zone = 'Z'] = parts;
  const clock = `${hour ?? '00'}:${minute ?? '00'}:${second ?? '00'}`;
  const start = Date.parse(`${year}-${month ?? '01'}-${day ?? '01'}T${clock}${zone}`);
  // Date.parse takes 31 April for 1 May.
  const isDay =
    day === undefined || Number(day) <= new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  if (Number.isNaN(start) || !isDay) throw wrongValue(name, 'must be a date that exists');
  const microseconds = BigInt((fraction ?? '.0').slice(1, 7).padEnd(6, '0'));
  const from = BigInt(start) * 1000n + microseconds;
  return { prefix: prefix as Prefix, from, to: endOf(from, { month, day, hour, second, fraction }) };
}

type Given = Record<'month' | 'day' | 'hour' | 'second' | 'fraction', string | undefined>;

function endOf(from: bigint, { month, day, hour, second, fraction }: Given): bigint {
  if (fraction !== undefined) return from + 1n;
  if (second !== undefined) return from + 1_000_000n;
  if (hour !== undefined) return from + 60_000_000n;
  if (day !== undefined) return from + 86_400_000_000n;
  const date = new Date(Number(from / 1000n));
  const [years, months] = month === undefined ? [1, 0] : [0, 1];
  date.setUTCFullYear(date.getUTCFullYear() + years, date.getUTCMonth() + months);
  return BigInt(date.getTime()) * 1000n;
}

/** Reads `number`, `number|system|code` or `number||unit` with a prefix. */
export function quantityIn(name: string, text: string): QuantityValue {
  const [, prefix = 'eq', rest = ''] = prefixed.exec(text) ?? [];
  const [number = '', system, unit] = splitAt(rest, '|').map(unescaped);
  const parts = /^[+-]?\d+(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/.exec(number);
  if (!parts) throw wrongValue(name, 'must be a number: 5.4, gt5.4 or 5.4|http://unitsofmeasure.org|mg');
  const digits = Number(parts[2] ?? 0) - (parts[1]?.length ?? 0);
  return {
    prefix: prefix as Prefix,
    number: Number(number),
    half: 0.5 * 10 ** digits,
    system: system === '' ? undefined : system,
    unit: unit === '' ? undefined : unit,
  };
}
