import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { newId } from '../../../base/ids.ts';
import { readNumber } from '../../../base/numbers.ts';
import { type Answered, done } from './answered.ts';
import type { Command } from './commands.ts';
import { StatementFailed } from './failure.ts';
import { takesSegments } from './segments.ts';

type Headers = Record<string, string | string[] | undefined>;

/** Session of a client, which the client keeps and sends with each statement. */
export interface Session {
  /** Beginning of the names of headers, as the client writes it. */
  prefix: 'X-Trino' | 'X-Presto';
  catalog: string | undefined;
  schema: string | undefined;
  /** Program of the client, as it names itself. */
  source: string;
  properties: ReadonlyMap<string, string>;
  /** The client reads results in segments. */
  takesSegments: boolean;
  /** Prepared statements by name, as the client sends them. */
  prepared: ReadonlyMap<string, string>;
}

/** Catalogue of all projects. */
export const catalogName = 'ploidy';

/** Longest text of a statement: what the guard reads. */
export const textMaxBytes = 64 * 1024;
/** Length above which the text of a prepared statement travels compressed. */
const plainMax = 512;
const sourceMax = 100;
/** Characters of a wrong value that a message repeats. */
const shownMax = 100;

/** Returns the beginning of the names of the client's headers. */
export function prefixOf(headers: Headers): Session['prefix'] {
  const isPresto = headers['x-trino-user'] === undefined && headers['x-presto-user'] !== undefined;
  return isPresto ? 'X-Presto' : 'X-Trino';
}

/** Reads the session from the headers of a request. */
export function readSession(headers: Headers): Session {
  const prefix = prefixOf(headers);
  const text = (name: string): string | undefined => {
    const value = headers[`${prefix}-${name}`.toLowerCase()];
    return (Array.isArray(value) ? value.join(',') : value)?.trim() || undefined;
  };
  const prepared = [...readList(text('Prepared-Statement'))].map(
    ([name, sent]) => [decode(name), sent] as const,
  );
  return {
    prefix,
    catalog: text('Catalog')?.toLowerCase(),
    schema: text('Schema'),
    source: (text('Source') ?? '').slice(0, sourceMax),
    properties: readList(text('Session')),
    takesSegments: takesSegments(headers),
    prepared: new Map(prepared),
  };
}

/** Notice of the service about a statement that runs all the same. */
export interface Warning {
  warningCode: { code: number; name: string };
  message: string;
}

const namesOfUtc =
  /^(?:(?:etc\/)?(?:utc|uct|universal|zulu|gmt(?:[+-]?0)?|greenwich)|ut|z|[+-]00(?::?00)?)$/i;

/** Warns of a time zone that the client asks for: the service counts all times in UTC. */
export function zoneWarnings(headers: Headers): Warning[] {
  const sent = headers[`${prefixOf(headers)}-Time-Zone`.toLowerCase()];
  const zone = `${sent ?? ''}`.trim();
  if (zone === '' || namesOfUtc.test(zone)) return [];
  const message = `The time zone ${zone.slice(0, shownMax)} of the session has no effect: all times are UTC. Write at_timezone(t, 'Europe/Berlin') where others are wanted.`;
  return [{ warningCode: { code: 0x0900_0001, name: 'TIME_ZONE_IS_UTC' }, message }];
}

/** Reads a list `name=value,…` with encoded values. */
function readList(text = ''): Map<string, string> {
  const entries = text.split(',').flatMap((entry): [string, string][] => {
    const at = entry.indexOf('=');
    return at < 0 ? [] : [[entry.slice(0, at).trim(), decode(entry.slice(at + 1).trim())]];
  });
  return new Map(entries);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch (cause) {
    if (cause instanceof URIError)
      throw new StatementFailed('GENERIC_USER_ERROR', 'A header of the session is not encoded as a URL.');
    throw cause;
  }
}

const compressedMark = '$zstd:';

/** Returns the form in which the text of a prepared statement travels: headers have 16 KiB together. */
export function pack(text: string): string {
  if (text.length <= plainMax) return text;
  return compressedMark + zstdCompressSync(text).toString('base64url');
}

/** Returns the text of a prepared statement. Only the one that is used is unpacked: a few bytes may hold many. */
export function preparedText({ prepared }: Session, name: string): string {
  const sent = prepared.get(name);
  if (sent === undefined) throw new StatementFailed('NOT_FOUND', `Prepared statement not found: ${name}`);
  if (!sent.startsWith(compressedMark)) return sent;
  const bytes = Buffer.from(sent.slice(compressedMark.length), 'base64url');
  try {
    return zstdDecompressSync(bytes, {
      maxOutputLength: textMaxBytes,
      params: { [constants.ZSTD_d_windowLogMax]: 20 },
    }).toString();
  } catch (cause) {
    throw new StatementFailed(
      'GENERIC_USER_ERROR',
      `The prepared statement cannot be read: ${(cause as Error).message}`,
    );
  }
}

const units: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  ms: 1,
  s: 1e3,
  m: 60e3,
  h: 3600e3,
  d: 86_400e3,
};

/**
 * Returns the longest run of a statement in milliseconds, from `query_max_run_time` and `query_max_execution_time`, at most `limitMs`:
 * clients ask for a hundred days by default. A time that cannot be read, or counted exactly, fails the statement.
 */
export function runTimeMaxOf({ properties }: Session, limitMs: number): number | undefined {
  const limits = ['query_max_run_time', 'query_max_execution_time'].flatMap((name) => {
    const value = properties.get(name);
    if (value === undefined) return [];
    const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?)\s*(ns|us|ms|s|m|h|d)$/.exec(value) ?? [];
    const unitMs = units[unit] ?? 1;
    const time = readNumber(number, { min: 0, max: Number.MAX_SAFE_INTEGER / unitMs });
    if (time === undefined)
      throw new StatementFailed(
        'INVALID_SESSION_PROPERTY',
        `${name} is no duration: ${value.slice(0, shownMax)}`,
      );
    return [Math.ceil(time * unitMs)];
  });
  return limits.length === 0 ? undefined : Math.min(...limits, limitMs);
}

/** Answers statements that change the session, which the client keeps. */
export function changeOf(command: Command, session: Session): Answered {
  switch (command.kind) {
    case 'setSession':
      return done('SET SESSION', {
        'Set-Session': `${propertyOf(command.name)}=${encodeURIComponent(command.value)}`,
      });
    case 'resetSession':
      return done('RESET SESSION', { 'Clear-Session': propertyOf(command.name) });
    case 'prepare':
      return done('PREPARE', {
        'Added-Prepare': `${encodeURIComponent(command.name)}=${encodeURIComponent(pack(command.text))}`,
      });
    case 'deallocate':
      preparedText(session, command.name);
      return done('DEALLOCATE', { 'Deallocated-Prepare': encodeURIComponent(command.name) });
    case 'transaction':
      return done(
        command.word,
        command.word === 'START TRANSACTION'
          ? { 'Started-Transaction-Id': newId() }
          : { 'Clear-Transaction-Id': 'true' },
      );
    default:
      throw new StatementFailed('NOT_SUPPORTED', 'This statement is not supported');
  }
}

/** Names of properties go into headers as they are. */
function propertyOf(name: string): string {
  if (/^[\w.$-]{1,255}$/.test(name)) return name;
  throw new StatementFailed('INVALID_SESSION_PROPERTY', 'There is no session property of this name');
}
