import { meanings } from './comparisons.ts';
import { type Condition, conditionsOfRule, toComparison } from './conditions.ts';
import { canonicalJson, type Json, membership } from './json.ts';
import type { Policy, Rule, SingleComparison } from './policy.ts';
import { isValidPolicy } from './validate.ts';

type Open = Exclude<Condition, { kind: 'constant' }>;

/**
 * Writes conditions that must all hold as one rule; `undefined` when they contradict each other. Several of one attribute
 * become one comparison where possible (`in […]` keeps the items that the others allow), else an `all`.
 */
export function joinConditions(conditions: readonly Open[]): Rule | undefined {
  const byPath = new Map<string, Open[]>();
  for (const condition of conditions) {
    const others = byPath.get(condition.path);
    if (others) others.push(condition);
    else byPath.set(condition.path, [condition]);
  }
  const rule: [string, Rule[string]][] = [];
  for (const [path, ofPath] of byPath) {
    const comparisons = joinOfPath(ofPath);
    const [only, ...more] = comparisons;
    if (only === undefined) return undefined;
    rule.push([path, more.length === 0 ? only : { comparison: 'all', of: comparisons }]);
  }
  return Object.fromEntries(rule);
}

/** Joins comparisons of one attribute; empty when they contradict each other. */
function joinOfPath(conditions: readonly Open[]): SingleComparison[] {
  const comparisons = distinct(conditions.map(toComparison));
  // Every other comparison holds only for an attribute that exists.
  const asked = comparisons.filter((comparison) => comparison.comparison !== 'exists');
  if (comparisons.length === 1 || asked.length === 0) return comparisons.slice(0, 1);
  const listed = asked.map(acceptedValues).find((values) => values !== undefined);
  if (listed === undefined) return asked;
  const tests = asked.map(itemTest);
  const accepted = listed.filter((item) => item !== null && tests.every((test) => test(item)));
  const [only] = accepted;
  if (only === undefined || only === null) return [];
  const needsTarget = asked.filter((comparison) => 'target' in comparison);
  const joined: SingleComparison =
    accepted.length === 1 ? { comparison: 'equals', value: only } : { comparison: 'in', value: accepted };
  return [joined, ...needsTarget];
}

function distinct(comparisons: readonly SingleComparison[]): SingleComparison[] {
  return [...new Map(comparisons.map((one) => [canonicalJson({ ...one }), one])).values()];
}

function acceptedValues(comparison: SingleComparison): Json[] | undefined {
  if (!('value' in comparison)) return undefined;
  if (comparison.comparison === 'equals') return [comparison.value];
  return comparison.comparison === 'in' && Array.isArray(comparison.value) ? comparison.value : undefined;
}

/** Returns a test of an item by a comparison with a value; one with a target remains open. */
function itemTest(comparison: SingleComparison): (item: Json) => boolean {
  if (!('value' in comparison)) return () => true;
  const values = acceptedValues(comparison);
  if (values !== undefined) return membership(values);
  const { holds } = meanings[comparison.comparison];
  return (item) => holds(item, comparison.value);
}

/**
 * Restricts a policy to where an attribute equals a value: each rule asks that too, and
 * `true` becomes a rule that asks nothing else. Rules that this contradicts are dropped. An invalid policy allows nothing.
 */
export function bindPolicy(policy: Policy, path: string, value: Json): Policy {
  if (!isValidPolicy(policy)) return { rules: {} };
  const operations: [string, Rule[]][] = [];
  for (const [operation, grant] of Object.entries(policy.rules)) {
    const rules: Rule[] = grant === true ? [{ [path]: true }] : grant;
    const bound = rules.map((rule) => boundRule(rule, path, value)).filter((rule) => rule !== undefined);
    if (bound.length > 0) operations.push([operation, bound]);
  }
  return { rules: Object.fromEntries(operations) };
}

function boundRule(rule: Rule, path: string, value: Json): Rule | undefined {
  const conditions = conditionsOfRule(rule);
  if (conditions.some((condition) => condition.kind === 'constant' && !condition.holds)) return undefined;
  const open = conditions.filter((condition) => condition.kind !== 'constant');
  return joinConditions([...open, { kind: 'value', path, operator: 'equals', value }]);
}
