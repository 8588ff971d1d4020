import { present, type Reader, reader } from './attributes.ts';
import { meanings } from './comparisons.ts';
import { type Condition, conditionsOfRule } from './conditions.ts';
import { copyJson, type Json, membership } from './json.ts';
import type { Attributes, Policy } from './policy.ts';
import { isValidPolicy } from './validate.ts';

/** Policy prepared for many decisions. It ignores later changes of the original policy. */
export interface CompiledPolicy {
  /** Decides an operation. Never throws; operations that the policy does not name are denied. */
  allows(operation: string, attributes: Attributes): boolean;
}

type Test = (attributes: Attributes) => boolean;

const always: Test = () => true;
const never: Test = () => false;

/** Compiles a policy to closures. An invalid policy allows nothing. */
export function compilePolicy(policy: Policy): CompiledPolicy {
  const tests = new Map<string, Test>();
  if (isValidPolicy(policy)) {
    for (const [operation, grant] of Object.entries(policy.rules)) {
      tests.set(operation, grant === true ? always : compileRules(grant.map(conditionsOfRule)));
    }
  }
  return Object.freeze({
    allows(operation: string, attributes: Attributes): boolean {
      const test = tests.get(operation);
      return test?.(attributes) ?? false;
    },
  });
}

/** Combines rules, one of which must hold. Rules that only compare one attribute with constants become one look-up. */
function compileRules(rules: Condition[][]): Test {
  const accepted = new Map<string, Json[]>();
  const tests: Test[] = [];
  for (const rule of rules) {
    const [only, second] = rule;
    const values = second === undefined && only?.kind === 'value' ? acceptedValues(only) : undefined;
    if (only === undefined || values === undefined) {
      tests.push(compileRule(rule));
      continue;
    }
    const others = accepted.get(only.path) ?? [];
    accepted.set(only.path, others);
    for (const value of values) others.push(value);
  }
  for (const [path, values] of accepted) tests.unshift(isOneOf(reader(path), values));
  const [first = never, second, ...more] = tests;
  if (second === undefined) return first;
  if (more.length === 0) return (attributes) => first(attributes) || second(attributes);
  return (attributes) => {
    for (const test of tests) if (test(attributes)) return true;
    return false;
  };
}

function acceptedValues(condition: Condition & { kind: 'value' }): Json[] | undefined {
  if (condition.operator === 'equals') return [condition.value];
  return condition.operator === 'in' && Array.isArray(condition.value) ? condition.value : undefined;
}

/** Combines conditions, all of which must hold. */
function compileRule(conditions: Condition[]): Test {
  if (conditions.some((condition) => condition.kind === 'constant' && !condition.holds)) return never;
  const tests = conditions.filter((condition) => condition.kind !== 'constant').map(compileCondition);
  const [first = always, second, ...more] = tests;
  if (second === undefined) return first;
  if (more.length === 0) return (attributes) => first(attributes) && second(attributes);
  return (attributes) => {
    for (const test of tests) if (!test(attributes)) return false;
    return true;
  };
}

function compileCondition(condition: Exclude<Condition, { kind: 'constant' }>): Test {
  const read = reader(condition.path);
  if (condition.kind === 'exists') return (attributes) => present(read(attributes)) !== undefined;
  if (condition.kind === 'value') {
    const values = acceptedValues(condition);
    return values ? isOneOf(read, values) : compare(read, condition.operator, copyJson(condition.value));
  }
  const readTarget = reader(condition.target);
  const { holds } = meanings[condition.operator];
  return (attributes) => {
    const attribute = present(read(attributes));
    if (attribute === undefined) return false;
    const target = present(readTarget(attributes));
    return target !== undefined && holds(attribute, target);
  };
}

function compare(read: Reader, operator: keyof typeof meanings, value: Json): Test {
  const { holds } = meanings[operator];
  return (attributes) => {
    const attribute = present(read(attributes));
    return attribute !== undefined && holds(attribute, value);
  };
}

/** Compiles `equals` and `in`. Against plain values an attribute needs no check for being JSON: nothing else is equal to one. */
function isOneOf(read: Reader, values: readonly Json[]): Test {
  const wanted = values.map(copyJson);
  const isMember = membership(wanted);
  if (wanted.some((value) => typeof value === 'object')) {
    return (attributes) => {
      const attribute = present(read(attributes));
      return attribute !== undefined && isMember(attribute);
    };
  }
  const [first, second, ...more] = wanted;
  if (first === undefined) return never;
  if (second === undefined) return (attributes) => read(attributes) === first;
  const plain = new Set<unknown>(wanted);
  if (more.length > 0) return (attributes) => plain.has(read(attributes));
  return (attributes) => {
    const attribute = read(attributes);
    return attribute === first || attribute === second;
  };
}
