import { fits, isOperator, isUniversal, meanings, operators } from './comparisons.ts';
import { type Fault, Faults } from './faults.ts';
import { isPlainObject, type Json, jsonDepthMax, jsonSizeMax } from './json.ts';
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
  faultsMax: 100,
};

type Limits = typeof policyLimits;

const unlimited: Limits = {
  operationsMax: Number.POSITIVE_INFINITY,
  rulesMax: Number.POSITIVE_INFINITY,
  comparisonsMax: Number.POSITIVE_INFINITY,
  depthMax: jsonDepthMax,
  sizeMax: Number.POSITIVE_INFINITY,
  faultsMax: 1,
};

const operationName = /^(?!__proto__$)[^\s\p{Cc}][^\p{Cc}]{0,127}$/u;
const pathLengthMax = 256;

/**
 * Lists every error of a policy document with its path, such as `rules.readData[0]["resource.dataset"].value`; empty when it
 * may be saved. Strict: unknown fields are errors, and so is an empty rule, which would allow every caller. Never throws.
 */
export function validatePolicy(value: unknown): Fault[] {
  return errorsOf(value, policyLimits);
}

/** Reports whether a policy of any size is well-formed: written, merged or reduced. Others allow nothing. */
export function isValidPolicy(value: unknown): value is Policy {
  return errorsOf(value, unlimited).length === 0;
}

function errorsOf(value: unknown, limits: Limits): Fault[] {
  const faults = new Faults(limits.faultsMax, limits.sizeMax);
  if (!isPlainObject(value) || !Object.hasOwn(value, 'rules')) {
    faults.add('rules', 'is missing: a policy is an object {"rules": {…}}');
    return faults.found;
  }
  faults.unknownFields('', value, ['rules']);
  if (!isPlainObject(value['rules'])) faults.add('rules', 'must be an object of operations and their rules');
  else checkOperations(value['rules'], limits, faults);
  return faults.found;
}

function checkOperations(rules: Record<string, unknown>, limits: Limits, faults: Faults): void {
  const operations = Object.keys(rules);
  if (operations.length > limits.operationsMax) {
    faults.add('rules', `must not have more than ${limits.operationsMax} operations`);
    return;
  }
  for (const operation of operations) {
    if (faults.full) return;
    const path = faults.field('rules', operation);
    const grant = rules[operation];
    if (!operationName.test(operation)) {
      faults.add(path, 'is no name of an operation: 1 to 128 characters, none of them a control character');
    }
    if (grant === true) continue;
    if (!Array.isArray(grant)) faults.add(path, 'must be true or a list of rules');
    else if (grant.length === 0) faults.add(path, 'must not be empty: remove the operation to allow nobody');
    else if (grant.length > limits.rulesMax) {
      faults.add(path, `must not have more than ${limits.rulesMax} rules`);
    } else checkRules(grant, path, limits, faults);
  }
}

function checkRules(rules: unknown[], path: string, limits: Limits, faults: Faults): void {
  for (let index = 0; index < rules.length && !faults.full; index++) {
    checkRule(rules[index], `${path}[${index}]`, limits, faults);
  }
}

function checkRule(rule: unknown, path: string, limits: Limits, faults: Faults): void {
  faults.spend(1);
  if (!isPlainObject(rule)) {
    faults.add(path, 'must be an object of attributes and comparisons');
    return;
  }
  const attributes = Object.keys(rule);
  if (attributes.length === 0) faults.add(path, 'must not be empty: an empty rule would allow everybody');
  if (attributes.length > limits.comparisonsMax) {
    faults.add(path, `must not have more than ${limits.comparisonsMax} comparisons`);
    return;
  }
  for (const attribute of attributes) {
    if (faults.full) return;
    const at = faults.field(path, attribute);
    const problem = pathProblem(attribute);
    if (problem !== undefined) faults.add(at, problem);
    const comparison = rule[attribute];
    if (typeof comparison === 'boolean') faults.spend(1);
    else checkComparison(comparison, at, limits, faults);
  }
}

function checkComparison(value: unknown, path: string, limits: Limits, faults: Faults): void {
  if (isPlainObject(value) && Object.hasOwn(value, 'comparison') && value['comparison'] === 'all') {
    const parts = Object.hasOwn(value, 'of') ? value['of'] : undefined;
    faults.unknownFields(path, value, ['comparison', 'of']);
    if (!Array.isArray(parts) || parts.length === 0 || parts.length > limits.comparisonsMax) {
      faults.add(`${path}.of`, `must be a list of 1 to ${limits.comparisonsMax} comparisons`);
      return;
    }
    for (let index = 0; index < parts.length && !faults.full; index++) {
      checkSingle(parts[index], `${path}.of[${index}]`, limits, faults);
    }
  } else checkSingle(value, path, limits, faults);
}

function checkSingle(value: unknown, path: string, limits: Limits, faults: Faults): void {
  faults.spend(1);
  if (!isPlainObject(value)) {
    faults.add(path, 'must be a comparison, such as {"comparison": "equals", "value": "…"}, or a boolean');
    return;
  }
  const comparison = Object.hasOwn(value, 'comparison') ? value['comparison'] : undefined;
  if (comparison === 'exists') {
    faults.unknownFields(path, value, ['comparison']);
    return;
  }
  if (!isOperator(comparison)) {
    faults.add(`${path}.comparison`, `must be one of ${['exists', ...operators].join(', ')}`);
    return;
  }
  faults.unknownFields(path, value, ['comparison', 'value', 'target']);
  const hasValue = Object.hasOwn(value, 'value');
  if (hasValue === Object.hasOwn(value, 'target')) {
    faults.add(path, 'must have either "value" or "target"');
  } else if (hasValue) {
    const problem = faults.spendOnValue(value['value'], limits.depthMax, jsonSizeMax);
    if (problem !== undefined) faults.add(`${path}.value`, problem);
    else if (!fits(comparison, value['value'] as Json))
      faults.add(`${path}.value`, wanted[meanings[comparison].takes]);
    // Reduced policies may contain it: there it follows from an attribute, not from an error.
    else if (limits === policyLimits && isUniversal(comparison, value['value']))
      faults.add(`${path}.value`, 'must not be empty: the comparison would hold for everybody');
  } else {
    const problem = pathProblem(value['target']);
    if (problem !== undefined) faults.add(`${path}.target`, problem);
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
