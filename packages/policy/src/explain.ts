import { present, reader } from './attributes.ts';
import { meanings } from './comparisons.ts';
import { type Condition, conditionHolds, conditionsOfRule } from './conditions.ts';
import type { Json } from './json.ts';
import type { Attributes, Policy, Rule } from './policy.ts';
import { conditionsOf, reducePolicy } from './reduce.ts';
import { isValidPolicy, validatePolicy } from './validate.ts';

/** A decision and, for people, why. */
export interface Explanation {
  allowed: boolean;
  /** When allowed, each rule that allows; when denied, the missing conditions of each rule that could have allowed. */
  reasons: string[];
}

export interface NamedPolicy {
  name: string;
  policy: Policy;
}

const reasonsMax = 100;
const valueLengthMax = 80;

/**
 * Explains why an operation is allowed or denied under these policies: "allowed by policy P, rule 2", or the missing conditions
 * of a rule. Names values of the policies, never those of the attributes. At most 100 reasons. `settledRoots` (`['user']`)
 * leaves out reasons that can never hold for these attributes below the roots. The rest reveals no more than the reduced
 * policy: callers without access to the policies may read it.
 */
export function explain(
  policies: readonly NamedPolicy[],
  operation: string,
  attributes: Attributes,
  settledRoots: readonly string[] = [],
): Explanation {
  const verdicts = policies.flatMap((named) => verdictsOf(named, operation, attributes, settledRoots));
  const allowing = verdicts.filter((verdict) => verdict.allows);
  const allowed = allowing.length > 0;
  const reasons = (allowed ? allowing : verdicts).map((verdict) => verdict.reason);
  if (reasons.length === 0) reasons.push(`denied: no policy has a rule for ${operation}`);
  if (reasons.length > reasonsMax) {
    reasons.splice(reasonsMax, reasons.length, `… and ${reasons.length - reasonsMax} more`);
  }
  return { allowed, reasons };
}

interface Verdict {
  allows: boolean;
  reason: string;
}

function verdictsOf(
  { name, policy }: NamedPolicy,
  operation: string,
  attributes: Attributes,
  settledRoots: readonly string[],
): Verdict[] {
  if (!isValidPolicy(policy)) {
    if (settledRoots.length > 0) return [];
    const [fault] = validatePolicy(policy);
    return [
      { allows: false, reason: `denied: policy ${name} is not valid: ${fault?.path} ${fault?.message}` },
    ];
  }
  const grant = Object.hasOwn(policy.rules, operation) ? policy.rules[operation] : undefined;
  if (grant === undefined) return [];
  if (grant === true) return [{ allows: true, reason: `allowed by policy ${name}, without conditions` }];
  return grant.flatMap((rule, index) => {
    if (settledRoots.length > 0 && !mayHold(rule, attributes, settledRoots)) return [];
    return verdictOfRule(rule, `policy ${name}, rule ${index + 1}`, attributes);
  });
}

/** Reports whether any resource satisfies the rule. */
function mayHold(rule: Rule, attributes: Attributes, settledRoots: readonly string[]): boolean {
  return conditionsOf(reducePolicy({ rules: { it: [rule] } }, attributes, settledRoots), 'it') !== false;
}

function verdictOfRule(rule: Rule, place: string, attributes: Attributes): Verdict {
  const failed = conditionsOfRule(rule).filter((condition) => !conditionHolds(condition, attributes));
  if (failed.length === 0) return { allows: true, reason: `allowed by ${place}` };
  const failures = failed.map((condition) => failure(condition, attributes));
  return { allows: false, reason: `denied: ${failures.join(', and ')} (${place})` };
}

function failure(condition: Condition, attributes: Attributes): string {
  if (condition.kind === 'constant') return `\`${condition.path}\` is set to never hold`;
  if (isMissing(condition.path, attributes)) return `\`${condition.path}\` is missing`;
  if (condition.kind === 'target' && isMissing(condition.target, attributes)) {
    return `\`${condition.target}\` is missing`;
  }
  if (condition.kind === 'exists') return `\`${condition.path}\` is missing`;
  const other = condition.kind === 'value' ? shortened(condition.value) : `\`${condition.target}\``;
  return `\`${condition.path}\` ${meanings[condition.operator].failure} ${other}`;
}

function isMissing(path: string, attributes: Attributes): boolean {
  return present(reader(path)(attributes)) === undefined;
}

function shortened(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > valueLengthMax ? `${text.slice(0, valueLengthMax)}…` : text;
}
