import { statSync } from 'node:fs';
import { isIP } from 'node:net';
import { dirname } from 'node:path';
import { isId } from '../base/ids.ts';
import { reasonOf } from '../base/reason.ts';

/** Parsers of settings. Each throws with the variable and its expected value. */

/** Wrong or unknown setting: its message is printed and the start stops. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/** Setting: its variable, parser, default, unit, and the reason to change it. */
export interface Setting<T> {
  variable: string;
  read: (text: string, variable: string) => T;
  default: string;
  unit: string;
  reason: string;
}

export const setting = <T>(
  variable: string,
  read: Setting<T>['read'],
  byDefault: string,
  unit: string,
  reason: string,
): Setting<T> => ({ variable, read, default: byDefault, unit, reason });

type Read<T> = (text: string, variable: string) => T;

const wrong = (variable: string, text: string, wanted: string): never => {
  throw new ConfigError(`${variable} is "${text}"; it should be ${wanted}.`);
};

export const readText: Read<string> = (text) => text;

/** Reads one of several words. */
export function readWord<const T extends string>(words: readonly T[]): Read<T> {
  return (text, variable) =>
    words.find((word) => word === text) ?? wrong(variable, text, `one of ${words.join(', ')}`);
}

/**
 * Reads a base address; empty: none. Its path, if any, has the characters that a cookie, a header and every proxy leave as they are.
 * Clients take `/v1` and `/api/v1` at the end for that of the API.
 */
export const readWebAddress: Read<string> = (text, variable) => {
  const address = text.replace(/\/$/, '');
  const isAddress =
    /^https?:\/\/[^/?#@]+(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)*$/.test(address) && URL.canParse(address);
  if (text === '' || (isAddress && !/\/(?:api|v1)(?:\/|$)/.test(address))) return address;
  return wrong(
    variable,
    text,
    'an address such as https://ploidy.example.org or https://example.org/ploidy, without /v1 or /api in its path',
  );
};

/** Reads the path of a folder, which need not exist. */
export const readFolder: Read<string> = (text, variable) => {
  try {
    if (!isInFile(text)) return text;
  } catch (error) {
    throw new ConfigError(`${variable} names a folder that cannot be read: ${reasonOf(error)}.`);
  }
  return wrong(variable, text, 'a folder');
};

/** Reports whether the path or one of its parents is a file. */
function isInFile(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found) return !found.isDirectory();
  return dirname(path) !== path && isInFile(dirname(path));
}

/**
 * Reads the address of PostgreSQL; empty: SQLite. Errors do not repeat the value, as it may hold a password.
 */
export const readDatabaseUrl: Read<string> = (text, variable) => {
  if (text === '' || (/^postgres(?:ql)?:\/\//.test(text) && URL.canParse(text))) return text;
  throw new ConfigError(`${variable} should be an address such as postgres://user@host/database, or empty.`);
};

/** Reads the id of a project; empty: none. */
export const readProjectId: Read<string> = (text, variable) =>
  text === '' || isId(text) ? text : wrong(variable, text, 'the id of a project');

export const readNames: Read<string[]> = (text) =>
  text
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '');

/** Headers with another meaning, which cannot name an account. */
const takenHeaders = [
  'authorization',
  'content-length',
  'content-type',
  'cookie',
  'host',
  'idempotency-key',
  'proxy-authorization',
];

/** Reads names of headers (RFC 9110 §5.6.2) that may name an account. */
export const readHeaderNames: Read<string[]> = (text, variable) => {
  const names = readNames(text, variable);
  for (const name of names) {
    if (/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name) && !takenHeaders.includes(name)) continue;
    wrong(variable, name, 'names of headers, such as X-Tenant');
  }
  return names;
};

/** Reads web origins: scheme, host and optional port. */
export const readOrigins: Read<string[]> = (text, variable) => {
  const origins = readNames(text, variable);
  for (const origin of origins) {
    const isOrigin = /^https?:/.test(origin) && URL.canParse(origin) && new URL(origin).origin === origin;
    if (!isOrigin) wrong(variable, origin, 'origins such as https://app.example.org, without a path');
  }
  return origins;
};

/**
 * Reads IP addresses, networks and names of networks (`proxy-addr`). Refuses the network of all addresses,
 * which would trust every client.
 */
export const readNetworks: Read<string[]> = (text, variable) => {
  const names = readNames(text, variable);
  for (const name of names) {
    const [address = '', bits = '1', ...more] = name.split('/');
    const named = ['loopback', 'linklocal', 'uniquelocal'].includes(name);
    const bitsMax = isIP(address) === 6 ? 128 : 32;
    const valid =
      isIP(address) !== 0 && /^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= bitsMax && more.length === 0;
    if (!named && !valid) wrong(variable, name, 'addresses or networks such as 127.0.0.1, 10.0.0.0/8');
  }
  return names;
};

export const readSwitch: Read<boolean> = (text, variable) =>
  text === 'true' ? true : text === 'false' ? false : wrong(variable, text, '`true` or `false`');

export function readInteger(min: number, max: number): Read<number> {
  return (text, variable) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max
      ? value
      : wrong(variable, text, `a whole number from ${min} to ${max}`);
  };
}

/** Reads a whole number; empty: none. */
export function readOptionalInteger(min: number, max: number): Read<number | undefined> {
  const read = readInteger(min, max);
  return (text, variable) => (text === '' ? undefined : read(text, variable));
}

const sizeUnits: Record<string, number> = { '': 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40 };

function sizeOf(text: string): number {
  const [, number, unit] = /^(\d+(?:\.\d+)?) ?([KMGT]iB)?$/.exec(text) ?? [];
  return Math.floor(Number(number) * (sizeUnits[unit ?? ''] ?? Number.NaN));
}

/**
 * Reads `65536`, `64KiB` or `1.5GiB` as bytes, from `min` (in the same form) to the largest exact integer.
 */
export function readSize(min: string): Read<number> {
  return (text, variable) => {
    const bytes = sizeOf(text);
    const isIn = bytes >= sizeOf(min) && bytes <= Number.MAX_SAFE_INTEGER;
    return isIn ? bytes : wrong(variable, text, `a size such as 512MiB or 2GiB, at least ${min}`);
  };
}

const durationUnits: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const isoDuration = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;

function durationOf(text: string): number {
  const [, number, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text) ?? [];
  const factor = durationUnits[unit ?? ''];
  if (number && factor) return Math.floor(Number(number) * factor);
  const parts = isoDuration.exec(text);
  if (parts && /\d/.test(text)) {
    const [d = 0, h = 0, m = 0, s = 0] = parts.slice(1).map((part) => Number(part ?? 0));
    return Math.floor((((d * 24 + h) * 60 + m) * 60 + s) * 1000);
  }
  return Number.NaN;
}

/** Maximum delay of a Node timer (2^31 - 1 ms), in whole days. */
export const timerMax = '24d';
/** Maximum duration where only the calendar limits it. */
export const calendarMax = '36500d';

/**
 * Reads `14d`, `36h`, `5s`, `250ms` or ISO 8601 (`P14D`, `PT36H`) as milliseconds, from `min` to `max` (in
 * the same form).
 */
export function readDuration(min: string, max: string): Read<number> {
  return (text, variable) => {
    const ms = durationOf(text);
    const isIn = ms >= durationOf(min) && ms <= durationOf(max);
    const wanted = `a duration such as 14d, 36h, 5s or P14D, from ${min} to ${max}`;
    return isIn ? ms : wrong(variable, text, wanted);
  };
}
