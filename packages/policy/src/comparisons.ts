import { type Json, membership, sameJson } from './json.ts';
import type { Operator } from './policy.ts';

interface Meaning {
  /** Equivalent comparison with both sides exchanged. */
  converse: Operator;
  /** Kind of the right side; any other kind never holds. */
  takes: 'any' | 'list' | 'text';
  /** Set if an empty list or text on the right side would hold for everybody. */
  emptyHolds?: true;
  /** Compares a present attribute with a present value. */
  holds(attribute: Json, value: Json): boolean;
  /** Words for a comparison that does not hold. */
  failure: string;
}

/**
 * Meaning of each comparison. Sides of the wrong kind (a string for `includes`, a number for `startsWith`) never hold, also in
 * the negated ones: an impossible comparison denies. For every operator, `holds(a, b)` is `converse.holds(b, a)`.
 */
export const meanings: Readonly<Record<Operator, Meaning>> = {
  equals: { converse: 'equals', takes: 'any', holds: sameJson, failure: 'is not equal to' },
  notEquals: {
    converse: 'notEquals',
    takes: 'any',
    holds: (a, b) => !sameJson(a, b),
    failure: 'is equal to',
  },
  includes: { converse: 'in', takes: 'any', holds: (a, b) => contains(a, b), failure: 'does not include' },
  notIncludes: {
    converse: 'notIn',
    takes: 'any',
    holds: (a, b) => Array.isArray(a) && !contains(a, b),
    failure: 'is not a list or includes',
  },
  in: { converse: 'includes', takes: 'list', holds: (a, b) => contains(b, a), failure: 'is not in' },
  notIn: {
    converse: 'notIncludes',
    takes: 'list',
    holds: (a, b) => Array.isArray(b) && !contains(b, a),
    failure: 'is in',
    emptyHolds: true,
  },
  superset: {
    converse: 'subset',
    takes: 'list',
    holds: (a, b) => covers(a, b),
    failure: 'does not include all of',
    emptyHolds: true,
  },
  subset: {
    converse: 'superset',
    takes: 'list',
    holds: (a, b) => covers(b, a),
    failure: 'is not all within',
  },
  startsWith: { ...text('prefixOf', 'does not start with', (a, b) => a.startsWith(b)), emptyHolds: true },
  prefixOf: text('startsWith', 'is not the beginning of', (a, b) => b.startsWith(a)),
  endsWith: { ...text('suffixOf', 'does not end with', (a, b) => a.endsWith(b)), emptyHolds: true },
  suffixOf: text('endsWith', 'is not the end of', (a, b) => b.endsWith(a)),
};

/** Names of all comparisons that take a `value` or a `target`. */
export const operators = Object.keys(meanings) as readonly Operator[];

/** Kinds of the two sides of a comparison; a side of another kind never holds. */
export function sidesOf(operator: Operator): { attribute: Meaning['takes']; value: Meaning['takes'] } {
  const { converse, takes } = meanings[operator];
  return { attribute: meanings[converse].takes, value: takes };
}

/** Reports whether a comparison holds for everybody: with an empty list or text. */
export function isUniversal(operator: Operator, value: unknown): boolean {
  const isEmpty = value === '' || (Array.isArray(value) && value.length === 0);
  return isEmpty && meanings[operator].emptyHolds === true;
}

/** Reports whether a name is one of the comparisons that take a `value` or a `target`. */
export function isOperator(name: unknown): name is Operator {
  return typeof name === 'string' && Object.hasOwn(meanings, name);
}

/** Reports whether a value is valid on the right side of a comparison. */
export function fits(operator: Operator, value: Json): boolean {
  const { takes } = meanings[operator];
  if (takes === 'list') return Array.isArray(value);
  return takes === 'text' ? typeof value === 'string' : value !== null;
}

function text(converse: Operator, failure: string, holds: (a: string, b: string) => boolean): Meaning {
  return {
    converse,
    takes: 'text',
    holds: (a, b) => typeof a === 'string' && typeof b === 'string' && holds(a, b),
    failure,
  };
}

function contains(list: Json, item: Json): boolean {
  return Array.isArray(list) && list.some((other) => sameJson(other, item));
}

function covers(list: Json, items: Json): boolean {
  return Array.isArray(list) && Array.isArray(items) && items.every(membership(list));
}
