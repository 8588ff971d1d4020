import { present, reader } from './attributes.ts';
import { fits, meanings } from './comparisons.ts';
import { type Condition, conditionHolds, conditionsOfRule } from './conditions.ts';
import { joinConditions } from './join-conditions.ts';
import { copyJson, type Json } from './json.ts';
import { withoutRepeats } from './merge.ts';
import type { Attributes, Operator, Policy, Rule } from './policy.ts';
import { isValidPolicy } from './validate.ts';

/**
 * Reduces a policy by known attributes, by default all those below the roots of `known`. `knownRoots` names the roots
 * (`['user']`): attributes that are absent there are missing for good. Rules that cannot hold are dropped, and comparisons that
 * hold. Where only the other side is unknown a comparison is turned round (`user.patients includes target resource.subject`
 * becomes `resource.subject in […]`). An operation that always holds becomes `true`, one that never can disappears. For all
 * attributes that agree with `known` the result decides as the policy does, without needing `known`.
 */
export function reducePolicy(
  policy: Policy,
  known: Attributes,
  knownRoots: readonly string[] = Object.keys(known),
): Policy {
  if (!isValidPolicy(policy)) return { rules: {} };
  const isKnown = (path: string): boolean =>
    knownRoots.some((root) => path === root || path.startsWith(`${root}.`));
  const operations: [string, true | Rule[]][] = [];
  for (const [operation, grant] of Object.entries(policy.rules)) {
    const reduced = grant === true ? true : reduceRules(grant, known, isKnown);
    if (reduced === true || reduced.length > 0) operations.push([operation, reduced]);
  }
  return { rules: Object.fromEntries(operations) };
}

/** Requirement of an operation under a (reduced) policy: always allowed, never allowed, or one of these rules. */
export function conditionsOf(policy: Policy, operation: string): boolean | Rule[] {
  if (!isValidPolicy(policy) || !Object.hasOwn(policy.rules, operation)) return false;
  return policy.rules[operation] ?? false;
}

type IsKnown = (path: string) => boolean;
type Open = Exclude<Condition, { kind: 'constant' }>;

function reduceRules(rules: readonly Rule[], known: Attributes, isKnown: IsKnown): true | Rule[] {
  const reduced: Rule[] = [];
  for (const rule of rules) {
    const open = reduceRule(rule, known, isKnown);
    if (open === undefined) continue;
    if (open.length === 0) return true;
    const joined = joinConditions(open);
    if (joined !== undefined) reduced.push(joined);
  }
  return withoutRepeats(reduced);
}

/** Returns the conditions of a rule that are still open; `undefined` when one cannot hold. */
function reduceRule(rule: Rule, known: Attributes, isKnown: IsKnown): Open[] | undefined {
  const open: Open[] = [];
  for (const condition of conditionsOfRule(rule)) {
    const reduced = reduceCondition(condition, known, isKnown);
    if (reduced === false) return undefined;
    if (reduced !== true) open.push(reduced);
  }
  return open;
}

function reduceCondition(condition: Condition, known: Attributes, isKnown: IsKnown): boolean | Open {
  if (condition.kind === 'constant') return condition.holds;
  const pathKnown = isKnown(condition.path);
  if (condition.kind === 'exists') return pathKnown ? conditionHolds(condition, known) : condition;
  if (condition.kind === 'value') {
    if (pathKnown) return conditionHolds(condition, known);
    return comparisonWith(condition.path, condition.operator, condition.value);
  }
  const targetKnown = isKnown(condition.target);
  if (pathKnown && targetKnown) return conditionHolds(condition, known);
  if (pathKnown) {
    const { converse } = meanings[condition.operator];
    return comparisonWith(condition.target, converse, present(reader(condition.path)(known)));
  }
  if (!targetKnown) return condition;
  return comparisonWith(condition.path, condition.operator, present(reader(condition.target)(known)));
}

/** Returns the open comparison with a known value, or `false` when it cannot hold for any attribute. */
function comparisonWith(path: string, operator: Operator, value: Json | undefined): false | Open {
  if (value === undefined || !fits(operator, value)) return false;
  if (operator === 'in' && Array.isArray(value) && value.length === 0) return false;
  return { kind: 'value', path, operator, value: copyJson(value) };
}
