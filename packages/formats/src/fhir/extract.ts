import { dateOf } from './dates.ts';
import { isObject, type JsonObject, type JsonValue } from './json.ts';
import { type FullUrls, readReference, type Target } from './reference.ts';

/** A value of a column; undefined is NULL. */
export type Value = string | number | boolean | undefined;

/** What reading a resource needs besides the resource. */
export interface Reading {
  resourceType: string;
  fullUrls: FullUrls;
  /** A field that is there but is not what FHIR says; its column stays empty. Paths and types only, never values. */
  unreadable(path: string, expected: string): void;
}

/** Reads the value of one column from a resource, or from the part of it that the row is about. */
export type Extract = (scope: JsonObject, reading: Reading) => Value;

type Path = readonly string[];
type Leaf<T> = (value: JsonValue, path: Path, reading: Reading) => T | undefined;

/**
 * The value at a path. A list stands for its first element: where versions of FHIR differ in "one" or "many", both are
 * read. No step is a name that every object inherits.
 */
function walk(scope: JsonObject, path: Path, reading: Reading): JsonValue | undefined {
  let value: JsonValue | undefined = scope;
  for (let index = 0; index < path.length; index += 1) {
    if (value === undefined || value === null) return undefined;
    if (!isObject(value)) return refuse(reading, path.slice(0, index), 'an object');
    value = firstOf(value[path[index] ?? '']);
  }
  return value ?? undefined;
}

function firstOf(value: JsonValue | undefined): JsonValue | undefined {
  return Array.isArray(value) ? value.find((element) => element !== null) : value;
}

function refuse(reading: Reading, path: Path, expected: string): undefined {
  reading.unreadable(path.join('.'), expected);
}

/** The first of the paths that holds something readable. */
function first<T>(paths: readonly string[], leaf: Leaf<T>) {
  const steps = paths.map((path) => path.split('.'));
  return (scope: JsonObject, reading: Reading): T | undefined => {
    for (const path of steps) {
      if (scope[path[0] ?? ''] === undefined) continue;
      const value = walk(scope, path, reading);
      const read = value === undefined ? undefined : leaf(value, path, reading);
      if (read !== undefined) return read;
    }
    return undefined;
  };
}

// R4 §2.24.0.1: strings shall not exceed 1,048,576 characters.
const textLengthMax = 1_048_576;

/** A text that is there and is not empty. */
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

const dateLeaf: Leaf<string> = (value, path, reading) =>
  (typeof value === 'string' ? dateOf(value) : undefined) ?? refuse(reading, path, 'a date');

const objectLeaf: Leaf<JsonObject> = (value, path, reading) =>
  isObject(value) ? value : refuse(reading, path, 'an object');

const targetLeaf: Leaf<Target> = (value, path, reading) => {
  const text = objectLeaf(value, path, reading)?.['reference'];
  if (text === undefined || text === null) return undefined;
  if (typeof text !== 'string') return refuse(reading, [...path, 'reference'], 'a text');
  return readReference(text, reading.fullUrls);
};

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
  return value === undefined || value === null ? undefined : dateLeaf(value, [...path, key], reading);
}

export const text = (...paths: string[]) => first(paths, textLeaf);
export const number = (...paths: string[]) => first(paths, numberLeaf);
export const integer = (...paths: string[]) => first(paths, integerLeaf);
export const boolean = (...paths: string[]) => first(paths, booleanLeaf);
/** The calendar day; a year or month counts as its first day. */
export const date = (...paths: string[]) => first(paths, dateLeaf);
/** The object there; of a list the first. */
export const object = (...paths: string[]) => first(paths, objectLeaf);
export const target = (...paths: string[]) => first(paths, targetLeaf);
/** The first period one of whose ends can be read, with both of them: the end of another one would be of something else. */
export const span = (...paths: string[]) => first(paths, spanLeaf);

/** The id that a reference to the given type names. */
export function reference(type: string, ...paths: string[]): Extract {
  const find = target(...paths);
  return (scope, reading) => {
    const found = find(scope, reading);
    return found && (found.type ?? type) === type ? found.id : undefined;
  };
}

/** The objects of a list (or the one object that stands there instead). */
export function objects(scope: JsonObject, key: string, reading: Reading): JsonObject[] {
  const value = scope[key];
  if (value === undefined || value === null) return [];
  if (isObject(value)) return [value];
  if (!Array.isArray(value)) {
    reading.unreadable(key, 'a list');
    return [];
  }
  const found = value.filter(isObject);
  if (found.length < value.length) reading.unreadable(key, 'a list of objects');
  return found;
}
