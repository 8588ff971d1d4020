/** Meaning of policies written as plainly as possible, for comparison with the engine. Accepts valid policies and JSON. */
import type { Attributes, Comparison, Policy } from './policy.ts';

export function allowsByReference(policy: Policy, operation: string, attributes: Attributes): boolean {
  const grant = Object.entries(policy.rules).find(([name]) => name === operation)?.[1];
  if (grant === undefined || grant === true) return grant === true;
  return grant.some((rule) =>
    Object.entries(rule).every(([path, comparison]) => holds(path, comparison, attributes)),
  );
}

function holds(path: string, comparison: Comparison | boolean, attributes: Attributes): boolean {
  if (typeof comparison === 'boolean') return comparison;
  if (comparison.comparison === 'all') return comparison.of.every((one) => holds(path, one, attributes));
  const left = find(path, attributes);
  if (left === undefined) return false;
  if (comparison.comparison === 'exists') return true;
  const right = 'target' in comparison ? find(comparison.target, attributes) : comparison.value;
  if (right === undefined) return false;
  const texts = typeof left === 'string' && typeof right === 'string';
  const has = (list: unknown[], item: unknown): boolean => list.some((other) => same(other, item));
  switch (comparison.comparison) {
    case 'equals':
      return same(left, right);
    case 'notEquals':
      return !same(left, right);
    case 'includes':
      return Array.isArray(left) && has(left, right);
    case 'notIncludes':
      return Array.isArray(left) && !has(left, right);
    case 'in':
      return Array.isArray(right) && has(right, left);
    case 'notIn':
      return Array.isArray(right) && !has(right, left);
    case 'superset':
      return Array.isArray(left) && Array.isArray(right) && right.every((item) => has(left, item));
    case 'subset':
      return Array.isArray(left) && Array.isArray(right) && left.every((item) => has(right, item));
    case 'startsWith':
      return texts && left.startsWith(right);
    case 'endsWith':
      return texts && left.endsWith(right);
    case 'prefixOf':
      return texts && right.startsWith(left);
    case 'suffixOf':
      return texts && right.endsWith(left);
  }
}

function find(path: string, attributes: Attributes): unknown {
  let found: unknown = attributes;
  for (const name of path.split('.')) {
    if (typeof found !== 'object' || found === null) return undefined;
    if (Array.isArray(found) && String(Number(name)) !== name) return undefined;
    found = new Map<string, unknown>(Object.entries(found)).get(name);
  }
  return found ?? undefined;
}

function same(a: unknown, b: unknown): boolean {
  return sorted(a) === sorted(b);
}

function sorted(value: unknown): string {
  return JSON.stringify(value, (_, field: unknown) =>
    typeof field === 'object' && field !== null && !Array.isArray(field)
      ? Object.entries(field).sort(([a], [b]) => (a < b ? -1 : 1))
      : field,
  );
}
