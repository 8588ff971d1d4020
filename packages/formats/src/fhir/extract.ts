import { dateOf } from './dates.ts';
import { isObject, type JsonObject, type JsonValue } from './json.ts';
import { type FullUrls, fullUrlKey, readReference, type Target } from './reference.ts';

/** A value of a column; undefined is NULL. */
export type Value = string | number | boolean | undefined;

/** Context for reading a resource. */
export interface Reading {
  resourceType: string;
  fullUrls: FullUrls;
  /** Reports a field that is present but invalid in FHIR; its column stays empty. Paths and types only, never values. */
  unreadable(path: string, expected: string): void;
  /** Elements of a list that no column has, since others of it are. */
  further(path: string, count: number): void;
  /** A primitive that is there without a value: an extension has the reason, or the value in another form. */
  unknown(path: string): void;
  /** Set if the resource may have extensions of primitives (R4 JSON, `_birthDate`). */
  hasExtended?: boolean;
  /** Set by a reader of a code that found words in its place. The reader of a row checks it for each value. */
  isWords?: boolean;
}

/** Reads the value of one column from a resource, or from the part of it that the row is about. */
export type Extract = (scope: JsonObject, reading: Reading) => Value;

export type Path = readonly string[];
export type Leaf<T> = (value: JsonValue, path: Path, reading: Reading) => T | undefined;

/**
 * Reader of a leaf at a path. In a list the first element with a readable rest of the path counts: where versions of FHIR
 * differ in "one" or "many", both are read. Names that every object inherits are no steps.
 */
function read<T>(
  from: JsonValue | undefined,
  path: Path,
  taken: number,
  leaf: Leaf<T>,
  reading: Reading,
): T | undefined {
  let value = from;
  for (let index = taken; ; index += 1) {
    if (Array.isArray(value)) {
      if (value.length !== 1) return readFirst(value, path, index, leaf, reading);
      value = value[0];
    }
    if (value === undefined || value === null) return undefined;
    if (index === path.length) return leaf(value, path, reading);
    if (!isObject(value)) return refuse(reading, path.slice(0, index), 'an object');
    const key = path[index] as string;
    if (reading.hasExtended) noteUnknown(value, key, path, index, reading);
    value = value[key];
  }
}

/** Returns whether a primitive is there, be it without a value that is known. */
export function isPresent(scope: JsonObject, key: string): boolean {
  const value = scope[key];
  return (value !== undefined && value !== null) || isObject(scope[`_${key}`]);
}

/** Notes a primitive without a value. */
export function noteUnknown(
  scope: JsonObject,
  key: string,
  path: Path,
  index: number,
  reading: Reading,
): void {
  const value = scope[key];
  if (value !== undefined && value !== null) return;
  if (isPresent(scope, key)) reading.unknown(path.slice(0, index + 1).join('.'));
}

/** FHIR has no lists of lists: not following them bounds the recursion by the length of the path. */
function readFirst<T>(
  list: JsonValue[],
  path: Path,
  taken: number,
  leaf: Leaf<T>,
  reading: Reading,
): T | undefined {
  for (const element of list) {
    const found = Array.isArray(element)
      ? refuse(reading, path.slice(0, taken), 'an object')
      : read(element, path, taken, leaf, reading);
    if (found !== undefined) return found;
  }
  return undefined;
}

function refuse(reading: Reading, path: Path, expected: string): undefined {
  reading.unreadable(path.join('.'), expected);
}

/** Reads the first of the paths with a readable value. */
export function first<T>(paths: readonly string[], leaf: Leaf<T>) {
  const steps = paths.map((path) => ({ key: path.split('.', 1)[0] as string, path: path.split('.') }));
  return (scope: JsonObject, reading: Reading): T | undefined => {
    for (const { key, path } of steps) {
      const value = scope[key];
      // Most are absent.
      if (value === undefined || value === null) {
        if (reading.hasExtended) noteUnknown(scope, key, path, 0, reading);
        continue;
      }
      const found = read(value, path, 1, leaf, reading);
      if (found !== undefined) return found;
    }
    return undefined;
  };
}

// R4 §2.24.0.1: strings shall not exceed 1,048,576 characters.
export const textLengthMax = 1_048_576;

/** Reads a string that is present and not empty. */
export function readText(value: JsonValue, path: string | Path, reading: Reading): string | undefined {
  if (typeof value === 'string' && value.length <= textLengthMax) return value === '' ? undefined : value;
  const name = typeof path === 'string' ? path : path.join('.');
  reading.unreadable(
    name,
    typeof value === 'string' ? `a text of at most ${textLengthMax} characters` : 'a text',
  );
  return undefined;
}

const textLeaf: Leaf<string> = (value, path, reading) => readText(value, path, reading);

const numberLeaf: Leaf<number> = (value, path, reading) =>
  typeof value === 'number' && Number.isFinite(value) ? value : refuse(reading, path, 'a number');

// R5 writes integer64 (Attachment.size) as text.
const integerLeaf: Leaf<number> = (value, path, reading) => {
  const number = typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
  return Number.isSafeInteger(number) ? Number(number) : refuse(reading, path, 'a whole number');
};

const booleanLeaf: Leaf<boolean> = (value, path, reading) =>
  typeof value === 'boolean' ? value : refuse(reading, path, 'true or false');

/** First and last days of the calendars of programs, which stand for no date at all. */
const noDays: ReadonlySet<JsonValue | undefined> = new Set(['0001-01-01', '9999-12-31']);
export const isNoDay = (value: JsonValue | undefined): boolean =>
  noDays.has(typeof value === 'string' ? dateOf(value) : undefined);

const dateLeaf: Leaf<string> = (value, path, reading) => {
  const day = typeof value === 'string' ? dateOf(value) : undefined;
  return day === undefined || noDays.has(day) ? refuse(reading, path, 'a date') : day;
};

/** Reads the date as written. */
const writtenDateLeaf: Leaf<string> = (value, path, reading) =>
  dateLeaf(value, path, reading) && String(value);

const objectLeaf: Leaf<JsonObject> = (value, path, reading) =>
  isObject(value) ? value : refuse(reading, path, 'an object');

/** Remembers the previous reference, if it can be read (others may be long): resources of one patient mostly follow each other. */
function targetLeaf(): Leaf<Target> {
  let known: string | undefined;
  let target: Target | undefined;
  return (value, path, reading) => {
    const found = objectLeaf(value, path, reading) ?? {};
    const { reference: text, type } = found;
    if (text === undefined || text === null) {
      if (reading.hasExtended) noteUnknown(found, 'reference', [...path, 'reference'], path.length, reading);
      return undefined;
    }
    if (typeof text !== 'string') return refuse(reading, [...path, 'reference'], 'a text');
    const { size, idPrefix = '', isOfBundle } = reading.fullUrls;
    // The next file of the process uses the remembered target too.
    const isOther = isOfBundle && text !== fullUrlKey(text);
    if (size > 0 || idPrefix !== '' || isOther) return typed(readReference(text, reading.fullUrls), type);
    if (text !== known) target = readReference(text, reading.fullUrls);
    known = target && text;
    return typed(target, type);
  };
}

function typed(found: Target | undefined, type: JsonValue | undefined): Target | undefined {
  return found && found.type === undefined ? { ...found, type: typeSaid(type) } : found;
}

/** Returns the type that a reference itself states (R4 §2.3.0.1): a name, or the address of its definition. */
export function typeSaid(type: JsonValue | undefined): string | undefined {
  return typeof type === 'string' ? /^(?:https?:.*\/)?([A-Z][A-Za-z]{1,63})$/.exec(type)?.[1] : undefined;
}

/** The calendar days of a period. */
export interface Span {
  start: string | undefined;
  end: string | undefined;
}

const spanLeaf: Leaf<Span> = (value, path, reading) => {
  const period = objectLeaf(value, path, reading);
  if (!period) return undefined;
  const [start, end] = [endOf(period, 'start', path, reading), endOf(period, 'end', path, reading)];
  return start === undefined && end === undefined ? undefined : { start, end };
};

function endOf(period: JsonObject, key: keyof Span, path: Path, reading: Reading): string | undefined {
  const value = period[key];
  if (reading.hasExtended) noteUnknown(period, key, [...path, key], path.length, reading);
  return value === undefined || value === null ? undefined : dateLeaf(value, [...path, key], reading);
}

export const text = (...paths: string[]) => first(paths, textLeaf);

/** Notation of the codes of FHIR's required value sets. */
const codeStyle = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;

/** Reads a code that FHIR itself defines. Any other text is words. */
export function readCode(value: JsonValue, path: string | Path, reading: Reading): string | undefined {
  const found = readText(value, path, reading);
  if (found !== undefined && !codeStyle.test(found)) reading.isWords = true;
  return found;
}

export const number = (...paths: string[]) => first(paths, numberLeaf);
export const integer = (...paths: string[]) => first(paths, integerLeaf);
export const boolean = (...paths: string[]) => first(paths, booleanLeaf);
/** Reads the calendar day; a year or month counts as its first day. */
export const date = (...paths: string[]) => first(paths, dateLeaf);
export const writtenDate = (...paths: string[]) => first(paths, writtenDateLeaf);
/** Returns the object at a path; of a list the first. */
export const object = (...paths: string[]) => first(paths, objectLeaf);

/** Returns the first object with content by `tells`; without one, the first object. */
export function objectThat(tells: (found: JsonObject) => boolean, ...paths: string[]) {
  const telling = first(paths, (value) => (isObject(value) && tells(value) ? value : undefined));
  const any = object(...paths);
  return (scope: JsonObject, reading: Reading): JsonObject | undefined =>
    telling(scope, reading) ?? any(scope, reading);
}
export const target = (...paths: string[]) => first(paths, targetLeaf());
/** Reads the first period with a readable end, and both of its ends: the other end of another period would be of something else. */
export const span = (...paths: string[]) => first(paths, spanLeaf);

/** Reads the id that a reference to the given type names. */
export function reference(type: string, ...paths: string[]): Extract {
  const find = target(...paths);
  return (scope, reading) => {
    const found = find(scope, reading);
    return found && (found.type ?? type) === type ? found.id : undefined;
  };
}

/** Returns the objects of a list, or the single object in its place. */
export function objects(scope: JsonObject, key: string, reading: Reading): JsonObject[] {
  const value = scope[key];
  if (value === undefined || value === null) return [];
  if (isObject(value)) return [value];
  if (!Array.isArray(value)) {
    reading.unreadable(key, 'a list');
    return [];
  }
  const found = value.filter(isObject);
  if (found.length < value.length)
    reading.unreadable(`${key}[${value.findIndex((element) => !isObject(element))}]`, 'an object');
  return found;
}
