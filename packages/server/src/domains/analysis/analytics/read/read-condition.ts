import type { Field } from '../fields.ts';
import {
  comparisons,
  limits,
  type Operator,
  operators,
  type RowTest,
  takesType,
  type Value,
} from '../query.ts';
import { type InputErrors, isObject } from './input-errors.ts';

/** Alternative spellings of operators. */
const synonyms: Record<string, Operator> = {
  '=': 'eq',
  '==': 'eq',
  '!=': 'ne',
  '<>': 'ne',
  neq: 'ne',
  '<': 'lt',
  '<=': 'lte',
  le: 'lte',
  '>': 'gt',
  '>=': 'gte',
  ge: 'gte',
  nin: 'notIn',
};

export function operatorNamed(name: string): Operator | undefined {
  const known = operators.find((operator) => operator === name);
  return known ?? (Object.hasOwn(synonyms, name) ? synonyms[name] : undefined);
}

/** Parses one or several `{operator, value}`, joined by OR. */
export function readConditions(
  value: unknown,
  field: Field,
  path: string,
  errors: InputErrors,
): RowTest | undefined {
  const listed = Array.isArray(value) ? value : [value];
  if (listed.length === 0) return errors.add(path, 'needs at least one {"operator", "value"}');
  const tests = listed.flatMap((one, at) => {
    const test = readCondition(one, field, Array.isArray(value) ? `${path}/${at}` : path, errors);
    return test ? [test] : [];
  });
  const [only, second] = tests;
  return second === undefined ? only : { kind: 'or', of: tests };
}

function readCondition(value: unknown, field: Field, path: string, errors: InputErrors): RowTest | undefined {
  if (!errors.enter(path, 0)) return undefined;
  if (!isObject(value) || typeof value['operator'] !== 'string') {
    return errors.add(path, 'must be {"operator", "value"}');
  }
  errors.requireKnown(value, ['operator', 'value'], path);
  const operator = operatorNamed(value['operator']);
  if (!operator) {
    return errors.add(`${path}/operator`, `must be one of ${operators.join(', ')}`);
  }
  return conditionOf(field, operator, value['value'], `${path}/value`, errors);
}

/** Validates a comparison: type and number of its values. */
export function conditionOf(
  field: Field,
  operator: Operator,
  value: unknown,
  path: string,
  errors: InputErrors,
): RowTest | undefined {
  const message = faultOf(field, operator, value);
  if (message !== undefined) return errors.add(path, message);
  const values = (Array.isArray(value) ? value : [value]) as Value[];
  return { kind: 'field', field, operator, values };
}

function faultOf(field: Field, operator: Operator, value: unknown): string | undefined {
  if (!takesType(operator, field.type))
    return `is compared with ${operator}, which is ${comparisons[operator] === 'text' ? 'for texts only' : 'not for true and false'}`;
  switch (operator) {
    case 'exists':
      return typeof value === 'boolean' ? undefined : 'must be true or false';
    case 'in':
    case 'notIn':
      if (!Array.isArray(value) || value.length === 0) return 'must be a list of values';
      if (value.length > limits.valuesMax) return `must have at most ${limits.valuesMax} values`;
      return firstFault(field, value);
    case 'between':
      if (!Array.isArray(value) || value.length !== 2) return 'must be a list of two values: from, to';
      return firstFault(field, value);
    case 'eq':
    case 'ne':
    case 'lt':
    case 'lte':
    case 'gt':
    case 'gte':
    case 'contains':
    case 'startsWith':
    case 'endsWith':
      return typeFault(field, value);
  }
}

function firstFault(field: Field, values: unknown[]): string | undefined {
  for (const value of values) {
    const fault = typeFault(field, value);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function typeFault({ type }: Field, value: unknown): string | undefined {
  switch (type) {
    case 'string':
      if (typeof value !== 'string') return 'must be a text';
      return value.includes('\u0000') ? 'must not hold the character U+0000' : undefined;
    case 'int':
      return Number.isSafeInteger(value) ? undefined : 'must be a whole number';
    case 'float':
      return typeof value === 'number' && Number.isFinite(value) ? undefined : 'must be a number';
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'must be true or false';
    case 'date':
      return isDate(value) ? undefined : 'must be a date: "2024-05-31"';
  }
}

function isDate(value: unknown): boolean {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(value)) return false;
  const time = Date.parse(`${value}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value);
}
