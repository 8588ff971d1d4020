import { isJson, type Json } from './json.ts';
import type { Attributes } from './policy.ts';

/** Finds an attribute; `undefined` without one. The value may have any type: see `present`. */
export type Reader = (attributes: Attributes) => unknown;

const arrayIndex = /^(?:0|[1-9]\d{0,9})$/;

/**
 * Compiles a path such as `user.customAttributes.sites.0`: dots separate fields, digits are indexes of lists. Only own
 * properties are read, never the prototype, and nothing inside texts (no `length`). A field whose name holds a dot has no path.
 */
export function reader(path: string): Reader {
  const [first = '', second = '', ...more] = path.split('.');
  if (second === '') return (attributes) => own(attributes, first);
  if (more.length === 0) return (attributes) => own(own(attributes, first), second);
  return (attributes) => more.reduce(own, own(own(attributes, first), second));
}

function own(holder: unknown, name: string): unknown {
  if (typeof holder !== 'object' || holder === null || !Object.hasOwn(holder, name)) return undefined;
  if (Array.isArray(holder) && !arrayIndex.test(name)) return undefined;
  return (holder as Record<string, unknown>)[name];
}

/**
 * Returns the value of an attribute for comparing, or `undefined` when it counts as missing: absent, `null`, or not JSON
 * (`NaN`, dates, functions, cycles). A missing attribute never allows anything, also when the comparison is negated.
 */
export function present(value: unknown): Json | undefined {
  return value !== undefined && value !== null && isJson(value) ? value : undefined;
}
