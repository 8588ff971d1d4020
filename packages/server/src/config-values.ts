import { statSync } from 'node:fs';
import { isIP } from 'node:net';
import { dirname } from 'node:path';
import { isId } from './ids.ts';
import { reasonOf } from './reason.ts';

/** How the texts of settings are read. Each throws with the name of the variable and what it should hold. */

/** A setting that is wrong or unknown: the start stops with this sentence. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/** One setting: its variable, how its text is read, its default, and why one would change it. */
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

/** One of a few words. */
export function readWord<const T extends string>(words: readonly T[]): Read<T> {
  return (text, variable) =>
    words.find((word) => word === text) ?? wrong(variable, text, `one of ${words.join(', ')}`);
}

/** An address to which paths are added; empty: none. With a path of its own, pages and cookies would not find each other. */
export const readWebAddress: Read<string> = (text, variable) =>
  text === '' || (/^https?:\/\/[^/?#@]+\/?$/.test(text) && URL.canParse(text))
    ? text
    : wrong(
        variable,
        text,
        'an address such as https://ploidy.example.org, without a path: give the service a name of its own',
      );

/** A path of a folder, which may have to be made. */
export const readFolder: Read<string> = (text, variable) => {
  try {
    if (!isInFile(text)) return text;
  } catch (error) {
    throw new ConfigError(`${variable} names a folder that cannot be looked at: ${reasonOf(error)}.`);
  }
  return wrong(variable, text, 'a folder');
};

/** Whether a file stands where a folder would have to be. */
function isInFile(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found) return !found.isDirectory();
  return dirname(path) !== path && isInFile(dirname(path));
}

/** Where PostgreSQL is; empty: nowhere. What is wrong may hold a password and is not repeated. */
export const readDatabaseUrl: Read<string> = (text, variable) => {
  if (text === '' || (/^postgres(?:ql)?:\/\//.test(text) && URL.canParse(text))) return text;
  throw new ConfigError(`${variable} should be an address such as postgres://user@host/database, or empty.`);
};

/** A project's id; empty: none. */
export const readProjectId: Read<string> = (text, variable) =>
  text === '' || isId(text) ? text : wrong(variable, text, 'the id of a project');

export const readNames: Read<string[]> = (text) =>
  text
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '');

/** Headers that mean something else already: whoever sends them names no account. */
const takenHeaders = [
  'authorization',
  'content-length',
  'content-type',
  'cookie',
  'host',
  'idempotency-key',
  'proxy-authorization',
];

/** Names of headers (RFC 9110 §5.6.2) that are free to name an account. */
export const readHeaderNames: Read<string[]> = (text, variable) => {
  const names = readNames(text, variable);
  for (const name of names) {
    if (/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name) && !takenHeaders.includes(name)) continue;
    wrong(variable, name, 'names of headers, such as X-Tenant');
  }
  return names;
};

/** Origins of the web: a scheme, a host and perhaps a port. */
export const readOrigins: Read<string[]> = (text, variable) => {
  const origins = readNames(text, variable);
  for (const origin of origins) {
    const isOrigin = /^https?:/.test(origin) && URL.canParse(origin) && new URL(origin).origin === origin;
    if (!isOrigin) wrong(variable, origin, 'origins such as https://app.example.org, without a path');
  }
  return origins;
};

/** Addresses and networks of IP, and the names that stand for some (`proxy-addr`). Not the network of all: then anybody would be believed. */
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

export function readInteger(least: number, most: number): Read<number> {
  return (text, variable) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    return value >= least && value <= most
      ? value
      : wrong(variable, text, `a whole number from ${least} to ${most}`);
  };
}

const sizeUnits: Record<string, number> = { '': 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40 };

function sizeOf(text: string): number {
  const [, number, unit] = /^(\d+(?:\.\d+)?) ?([KMGT]iB)?$/.exec(text) ?? [];
  return Math.floor(Number(number) * (sizeUnits[unit ?? ''] ?? Number.NaN));
}

/** `65536`, `64KiB`, `1.5GiB` → bytes, from `least` (in the same words) to as many as a number tells exactly. */
export function readSize(least: string): Read<number> {
  return (text, variable) => {
    const bytes = sizeOf(text);
    const isIn = bytes >= sizeOf(least) && bytes <= Number.MAX_SAFE_INTEGER;
    return isIn ? bytes : wrong(variable, text, `a size such as 512MiB or 2GiB, at least ${least}`);
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

/** The longest that a timer of Node waits (2^31 - 1 ms), in whole days. */
export const timerMost = '24d';
/** Where nothing but a calendar limits it. */
export const calendarMost = '36500d';

/** `14d`, `36h`, `5s`, `250ms` or ISO 8601 (`P14D`, `PT36H`) → milliseconds, from `least` to `most` (in the same words). */
export function readDuration(least: string, most: string): Read<number> {
  return (text, variable) => {
    const ms = durationOf(text);
    const isIn = ms >= durationOf(least) && ms <= durationOf(most);
    const wanted = `a duration such as 14d, 36h, 5s or P14D, from ${least} to ${most}`;
    return isIn ? ms : wrong(variable, text, wanted);
  };
}
