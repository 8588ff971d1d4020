import { conditionsOfRule } from './conditions.ts';
import { joinConditions } from './join-conditions.ts';
import { withoutRepeats } from './merge.ts';
import type { Policy, Rule } from './policy.ts';
import { isValidPolicy } from './validate.ts';

/** Rules of one operation at most: each rule of one policy meets each of the other. */
const rulesMax = 100_000;

/**
 * Builds the policy that allows what both allow. Rules that contradict each other are dropped. An operation with more than
 * 100,000 joined rules is left out, so that it allows less; an invalid policy allows nothing.
 */
export function intersectPolicies(one: Policy, other: Policy): Policy {
  if (!isValidPolicy(one) || !isValidPolicy(other)) return { rules: {} };
  const operations: [string, true | Rule[]][] = [];
  for (const [operation, grant] of Object.entries(one.rules)) {
    const second = Object.hasOwn(other.rules, operation) ? other.rules[operation] : undefined;
    if (second === undefined) continue;
    const both = grant === true ? second : second === true ? grant : joined(grant, second);
    if (both === true || both.length > 0) operations.push([operation, both]);
  }
  return { rules: Object.fromEntries(operations) };
}

function joined(rules: readonly Rule[], others: readonly Rule[]): Rule[] {
  if (rules.length * others.length > rulesMax) return [];
  return withoutRepeats(
    rules.flatMap((rule) =>
      others.map((other) => joinedRule(rule, other)).filter((both) => both !== undefined),
    ),
  );
}

function joinedRule(rule: Rule, other: Rule): Rule | undefined {
  const conditions = [...conditionsOfRule(rule), ...conditionsOfRule(other)];
  if (conditions.some((condition) => condition.kind === 'constant' && !condition.holds)) return undefined;
  const open = conditions.filter((condition) => condition.kind !== 'constant');
  // A rule without conditions has a constant.
  return open.length > 0 ? joinConditions(open) : rule;
}
