/** JSON values: recognising, copying and comparing them. */

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** Maximum depth: deeper values do not count as JSON; this also ends cyclic ones. */
export const jsonDepthMax = 16;
/** Maximum parts: larger values do not count as JSON; this also ends those that share parts exponentially. */
export const jsonSizeMax = 1_000_000;

/** Lists up to this length are searched faster one by one than through a set. */
const shortList = 8;
/** Characters of a string that count as one part. */
const charactersPerPart = 64;

/** Reports whether a value is a plain object: no array, no class instance. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Returns the number of parts of a JSON value; `undefined` when it is not JSON, deeper than `depthMax` or larger than `sizeMax`. */
export function jsonSize(value: unknown, depthMax: number, sizeMax: number): number | undefined {
  const left = spend(value, depthMax, sizeMax);
  return left < 0 ? undefined : sizeMax - left;
}

/** Reports whether a value is JSON within the limits of this module. `NaN`, infinities, holes and `undefined` are not. */
export function isJson(value: unknown): value is Json {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return true;
  if (typeof value === 'number') return Number.isFinite(value);
  return typeof value === 'object' && spend(value, jsonDepthMax, jsonSizeMax) >= 0;
}

/** Subtracts the parts of `value` from `left`; negative when it is not JSON or too large. */
function spend(value: unknown, depthLeft: number, left: number): number {
  switch (typeof value) {
    case 'string':
      return left - 1 - Math.floor(value.length / charactersPerPart);
    case 'boolean':
      return left - 1;
    case 'number':
      return Number.isFinite(value) ? left - 1 : -1;
    case 'object':
      return value === null ? left - 1 : spendNested(value, depthLeft, left);
    default:
      return -1;
  }
}

function spendNested(value: object, depthLeft: number, left: number): number {
  if (depthLeft === 0) return -1;
  let rest = left - 1;
  if (Array.isArray(value)) {
    if (value.length > rest) return -1;
    for (let index = 0; index < value.length && rest >= 0; index++) {
      rest = spend(value[index], depthLeft - 1, rest);
    }
    return rest;
  }
  if (!isPlainObject(value)) return -1;
  for (const name of Object.keys(value)) {
    rest = spend(value[name], depthLeft - 1, rest - Math.floor(name.length / charactersPerPart));
    if (rest < 0) break;
  }
  return rest;
}

/** Copies a value so that it shares nothing with the original. Safe with fields named `__proto__`. */
export function copyJson(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyJson);
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, copyJson(field)]));
}

/** Compares deeply and strictly: `1` is not `"1"`; the order of an object's fields does not matter. */
export function sameJson(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => sameJson(item, b[index]));
  }
  if (Array.isArray(b)) return false;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && sameJson(a[name], b[name]))
  );
}

/** Returns a string that is the same for equal values and different for others. */
export function canonicalJson(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value === 0 ? 0 : value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const fields = Object.entries(value).map(
    ([name, field]) => `${JSON.stringify(name)}:${canonicalJson(field)}`,
  );
  return `{${fields.sort().join(',')}}`;
}

/** Returns a test for being in `list`, in constant time for long lists of plain values. */
export function membership(list: readonly Json[]): (item: Json) => boolean {
  if (list.length <= shortList) return (item) => list.some((other) => sameJson(item, other));
  const nested = list.filter((item) => typeof item === 'object' && item !== null);
  const plain = new Set(list.filter((item) => typeof item !== 'object' || item === null));
  return (item) =>
    typeof item === 'object' && item !== null
      ? nested.some((other) => sameJson(item, other))
      : plain.has(item);
}
