import type { Json } from './json.ts';

/** Comparisons of an attribute with a `value` or with another attribute, the `target`. */
export type Operator =
  | 'equals'
  | 'notEquals'
  | 'includes'
  | 'notIncludes'
  | 'in'
  | 'notIn'
  | 'superset'
  | 'subset'
  | 'startsWith'
  | 'endsWith'
  | 'prefixOf'
  | 'suffixOf';

/** One comparison; its attribute is its key in the rule. */
export type SingleComparison =
  | { comparison: Operator; value: Json }
  | { comparison: Operator; target: string }
  | { comparison: 'exists' };

/**
 * Condition of a rule on one attribute. `all` joins several comparisons of the same attribute by AND: a rule has one entry
 * for each attribute, and reducing may leave two comparisons of one (`startsWith` of the rule, a reversed `endsWith`).
 */
export type Comparison = SingleComparison | { comparison: 'all'; of: SingleComparison[] };

/** Attribute path → its condition; all of them must hold. A bare boolean is a constant. */
export type Rule = Record<string, Comparison | boolean>;

/** Operation name → `true` (always allowed) or rules, one of which must hold. There is no deny. */
export interface Policy {
  rules: Record<string, true | Rule[]>;
}

/** Attributes of caller and resource: `{user: {…}, resource: {…}}`. */
export type Attributes = Readonly<Record<string, unknown>>;
