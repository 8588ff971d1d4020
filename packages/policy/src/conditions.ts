import { present, reader } from './attributes.ts';
import { meanings } from './comparisons.ts';
import type { Json } from './json.ts';
import type { Attributes, Comparison, Operator, Rule, SingleComparison } from './policy.ts';

/** One comparison of one attribute: the unit of rules once `all` is expanded. */
export type Condition =
  | { kind: 'constant'; path: string; holds: boolean }
  | { kind: 'exists'; path: string }
  | { kind: 'value'; path: string; operator: Operator; value: Json }
  | { kind: 'target'; path: string; operator: Operator; target: string };

/** Returns the conditions of a valid rule; all of them must hold. */
export function conditionsOfRule(rule: Rule): Condition[] {
  return Object.entries(rule).flatMap(([path, comparison]) => {
    if (typeof comparison === 'boolean') return { kind: 'constant', path, holds: comparison };
    return singles(comparison).map((single) => condition(path, single));
  });
}

function singles(comparison: Comparison): SingleComparison[] {
  return comparison.comparison === 'all' ? comparison.of : [comparison];
}

function condition(path: string, single: SingleComparison): Condition {
  if (single.comparison === 'exists') return { kind: 'exists', path };
  if (Object.hasOwn(single, 'target') && 'target' in single) {
    return { kind: 'target', path, operator: single.comparison, target: single.target };
  }
  if ('value' in single) return { kind: 'value', path, operator: single.comparison, value: single.value };
  return { kind: 'constant', path, holds: false };
}

/** Converts a condition into the form of a policy. */
export function toComparison(from: Exclude<Condition, { kind: 'constant' }>): SingleComparison {
  if (from.kind === 'exists') return { comparison: 'exists' };
  if (from.kind === 'value') return { comparison: from.operator, value: from.value };
  return { comparison: from.operator, target: from.target };
}

/** Evaluates a condition by interpretation, for reduce and explain; `compilePolicy` is faster. */
export function conditionHolds(condition: Condition, attributes: Attributes): boolean {
  if (condition.kind === 'constant') return condition.holds;
  const attribute = present(reader(condition.path)(attributes));
  if (attribute === undefined) return false;
  if (condition.kind === 'exists') return true;
  const value = condition.kind === 'value' ? condition.value : present(reader(condition.target)(attributes));
  return value !== undefined && meanings[condition.operator].holds(attribute, value);
}
