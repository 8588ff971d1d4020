import { canonicalJson, copyJson } from './json.ts';
import type { Policy, Rule } from './policy.ts';
import { isValidPolicy } from './validate.ts';

/**
 * Builds the policy that allows the union of the given ones. `true` wins over rules; equal rules are kept once; invalid
 * policies add nothing. The result shares nothing with the input and may be larger than a saved policy.
 */
export function mergePolicies(policies: readonly Policy[]): Policy {
  const merged = new Map<string, true | Rule[]>();
  for (const policy of policies) {
    if (!isValidPolicy(policy)) continue;
    for (const [operation, grant] of Object.entries(policy.rules)) {
      const before = merged.get(operation);
      if (grant === true || before === true) merged.set(operation, true);
      else if (before === undefined) merged.set(operation, grant.slice());
      else for (const rule of grant) before.push(rule);
    }
  }
  const rules = [...merged].map(([operation, grant]): [string, true | Rule[]] => [
    operation,
    grant === true ? true : withoutRepeats(grant).map(copyRule),
  ]);
  return { rules: Object.fromEntries(rules) };
}

/** Removes rules that equal an earlier one; the order of fields does not matter. */
export function withoutRepeats(rules: readonly Rule[]): Rule[] {
  if (rules.length < 2) return rules.slice();
  const distinct = new Map<string, Rule>();
  for (const rule of rules) {
    const text = canonicalJson({ ...rule });
    if (!distinct.has(text)) distinct.set(text, rule);
  }
  return [...distinct.values()];
}

function copyRule(rule: Rule): Rule {
  // A rule is JSON, and so is its copy.
  return copyJson({ ...rule }) as Rule;
}
