import { fits, isOperator, isUniversal, meanings, operators } from './comparisons.ts';
import { isPlainObject, type Json, jsonDepthMax, jsonSizeMax } from './json.ts';
import { type Mistake, Mistakes } from './mistakes.ts';
import type { Policy } from './policy.ts';

/** Limits of a written policy. Merged and reduced policies may be larger. */
export const policyLimits = {
  operationsMax: 200,
  rulesMax: 1000,
  /** Comparisons in a rule, and in an `all`. */
  comparisonsMax: 50,
  /** Depth of a compared value. */
  depthMax: 8,
  /** Parts of all rules and compared values together. */
  sizeMax: 100_000,
  mistakesMax: 100,
};

type Limits = typeof policyLimits;

const unlimited: Limits = {
  operationsMax: Number.POSITIVE_INFINITY,
  rulesMax: Number.POSITIVE_INFINITY,
  comparisonsMax: Number.POSITIVE_INFINITY,
  depthMax: jsonDepthMax,
  sizeMax: Number.POSITIVE_INFINITY,
  mistakesMax: 1,
};

const operationName = /^(?!__proto__$)[^\s\p{Cc}][^\p{Cc}]{0,127}$/u;
const pathLengthMax = 256;

/**
 * Lists every error of a policy document with its path, such as `rules.readData[0]["resource.dataset"].value`; empty when it
 * may be saved. Strict: unknown fields are errors, and so is an empty rule, which would allow every caller. Never throws.
 */
export function validatePolicy(value: unknown): Mistake[] {
  return errorsOf(value, policyLimits);
}

/** Reports whether a policy of any size is well-formed: written, merged or reduced. Others allow nothing. */
export function isValidPolicy(value: unknown): value is Policy {
  return errorsOf(value, unlimited).length === 0;
}

function errorsOf(value: unknown, limits: Limits): Mistake[] {
  const mistakes = new Mistakes(limits.mistakesMax, limits.sizeMax);
  if (!isPlainObject(value) || !Object.hasOwn(value, 'rules')) {
    mistakes.add('rules', 'is missing: a policy is an object {"rules": {…}}');
    return mistakes.found;
  }
  mistakes.unknownFields('', value, ['rules']);
  if (!isPlainObject(value['rules']))
    mistakes.add('rules', 'must be an object of operations and their rules');
  else checkOperations(value['rules'], limits, mistakes);
  return mistakes.found;
}

function checkOperations(rules: Record<string, unknown>, limits: Limits, mistakes: Mistakes): void {
  const operations = Object.keys(rules);
  if (operations.length > limits.operationsMax) {
    mistakes.add('rules', `must not have more than ${limits.operationsMax} operations`);
    return;
  }
  for (const operation of operations) {
    if (mistakes.full) return;
    const path = mistakes.field('rules', operation);
    const grant = rules[operation];
    if (!operationName.test(operation)) {
      mistakes.add(path, 'is no name of an operation: 1 to 128 characters, none of them a control character');
    }
    if (grant === true) continue;
    if (!Array.isArray(grant)) mistakes.add(path, 'must be true or a list of rules');
    else if (grant.length === 0)
      mistakes.add(path, 'must not be empty: remove the operation to allow nobody');
    else if (grant.length > limits.rulesMax) {
      mistakes.add(path, `must not have more than ${limits.rulesMax} rules`);
    } else checkRules(grant, path, limits, mistakes);
  }
}

function checkRules(rules: unknown[], path: string, limits: Limits, mistakes: Mistakes): void {
  for (let index = 0; index < rules.length && !mistakes.full; index++) {
    checkRule(rules[index], `${path}[${index}]`, limits, mistakes);
  }
}

function checkRule(rule: unknown, path: string, limits: Limits, mistakes: Mistakes): void {
  mistakes.spend(1);
  if (!isPlainObject(rule)) {
    mistakes.add(path, 'must be an object of attributes and comparisons');
    return;
  }
  const attributes = Object.keys(rule);
  if (attributes.length === 0) mistakes.add(path, 'must not be empty: an empty rule would allow everybody');
  if (attributes.length > limits.comparisonsMax) {
    mistakes.add(path, `must not have more than ${limits.comparisonsMax} comparisons`);
    return;
  }
  for (const attribute of attributes) {
    if (mistakes.full) return;
    const at = mistakes.field(path, attribute);
    const problem = pathProblem(attribute);
    if (problem !== undefined) mistakes.add(at, problem);
    const comparison = rule[attribute];
    if (typeof comparison === 'boolean') mistakes.spend(1);
    else checkComparison(comparison, at, limits, mistakes);
  }
}

function checkComparison(value: unknown, path: string, limits: Limits, mistakes: Mistakes): void {
  if (isPlainObject(value) && Object.hasOwn(value, 'comparison') && value['comparison'] === 'all') {
    const parts = Object.hasOwn(value, 'of') ? value['of'] : undefined;
    mistakes.unknownFields(path, value, ['comparison', 'of']);
    if (!Array.isArray(parts) || parts.length === 0 || parts.length > limits.comparisonsMax) {
      mistakes.add(`${path}.of`, `must be a list of 1 to ${limits.comparisonsMax} comparisons`);
      return;
    }
    for (let index = 0; index < parts.length && !mistakes.full; index++) {
      checkSingle(parts[index], `${path}.of[${index}]`, limits, mistakes);
    }
  } else checkSingle(value, path, limits, mistakes);
}

function checkSingle(value: unknown, path: string, limits: Limits, mistakes: Mistakes): void {
  mistakes.spend(1);
  if (!isPlainObject(value)) {
    mistakes.add(path, 'must be a comparison, such as {"comparison": "equals", "value": "…"}, or a boolean');
    return;
  }
  const comparison = Object.hasOwn(value, 'comparison') ? value['comparison'] : undefined;
  if (comparison === 'exists') {
    mistakes.unknownFields(path, value, ['comparison']);
    return;
  }
  if (!isOperator(comparison)) {
    mistakes.add(`${path}.comparison`, `must be one of ${['exists', ...operators].join(', ')}`);
    return;
  }
  mistakes.unknownFields(path, value, ['comparison', 'value', 'target']);
  const hasValue = Object.hasOwn(value, 'value');
  if (hasValue === Object.hasOwn(value, 'target')) {
    mistakes.add(path, 'must have either "value" or "target"');
  } else if (hasValue) {
    const problem = mistakes.spendOnValue(value['value'], limits.depthMax, jsonSizeMax);
    if (problem !== undefined) mistakes.add(`${path}.value`, problem);
    else if (!fits(comparison, value['value'] as Json))
      mistakes.add(`${path}.value`, wanted[meanings[comparison].takes]);
    // Reduced policies may contain it: there it follows from an attribute, not from an error.
    else if (limits === policyLimits && isUniversal(comparison, value['value']))
      mistakes.add(`${path}.value`, 'must not be empty: the comparison would hold for everybody');
  } else {
    const problem = pathProblem(value['target']);
    if (problem !== undefined) mistakes.add(`${path}.target`, problem);
  }
}

const wanted = {
  list: 'must be a list',
  text: 'must be a text',
  any: 'must not be null: a missing attribute never allows',
};

function pathProblem(path: unknown): string | undefined {
  if (typeof path !== 'string') return 'must be the path of an attribute, such as resource.dataset';
  if (path.length > pathLengthMax) return `must not be longer than ${pathLengthMax} characters`;
  const steps = path.split('.');
  if (steps.includes('')) return 'is no path of an attribute: it has an empty step';
  if (steps.includes('__proto__')) return 'is no path of an attribute: "__proto__" cannot be one';
  return undefined;
}
