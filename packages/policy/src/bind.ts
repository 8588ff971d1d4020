import { conditionsOfRule } from './conditions.ts';
import { joinConditions } from './join-conditions.ts';
import type { Json } from './json.ts';
import type { Policy, Rule } from './policy.ts';
import { isValidPolicy } from './validate.ts';

/**
 * Builds a policy that allows the same as the given one where an attribute equals a value: each rule requires that too, and
 * `true` becomes a rule that requires nothing else. Rules that this contradicts are dropped. An invalid policy allows nothing.
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
