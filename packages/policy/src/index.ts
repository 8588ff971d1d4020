/**
 * The ABAC engine of Ploidy: a pure library without dependencies, clock or I/O.
 *
 * A policy names operations. Each is `true` (always allowed) or a list of rules, joined by OR; a rule compares several
 * attributes, joined by AND. There is no deny: several policies allow the union of their operations.
 *
 *     { "rules": {
 *         "apiKeyUser": true,
 *         "readData": [{
 *           "user.groups":      { "comparison": "includes", "value": "oncology" },
 *           "resource.dataset": { "comparison": "equals", "target": "user.customAttributes.project" } }] } }
 *
 * Comparisons, each with `value` or `target` (the path of another attribute): `equals`, `notEquals`; `includes`, `notIncludes`
 * (the attribute is a list that has the value, or has it not); `in`, `notIn`; `superset`, `subset`; `startsWith`, `endsWith`,
 * `prefixOf`, `suffixOf`. Without either: `exists`; `all` joins several of one attribute; a bare boolean is a constant.
 * Equality is deep and strict.
 *
 * Impossible comparisons do not allow. An attribute that is absent, `null` or no JSON counts as missing. A missing attribute or
 * target, or a side of the wrong kind, never holds, also when negated. An invalid policy allows nothing.
 *
 * Path of a request: policies of the account → `mergePolicies` → `reducePolicy` with the known attributes of the user (cached).
 * Then `compilePolicy` for single decisions, `conditionsOf` for conversion into SQL. `validatePolicy` before saving, `explain`
 * for people. No function changes its input or throws because of it.
 *
 * Semantics: specification, "Policy (ABAC)"; docs/api/policies.md.
 */
export { operators, sidesOf } from './comparisons.ts';
export { type CompiledPolicy, compilePolicy } from './compile.ts';
export { type Explanation, explain, type NamedPolicy } from './explain.ts';
export type { Fault } from './faults.ts';
export { intersectPolicies } from './intersect.ts';
export { bindPolicy } from './join-conditions.ts';
export { canonicalJson, type Json } from './json.ts';
export { mergePolicies } from './merge.ts';
export type { Attributes, Comparison, Operator, Policy, Rule, SingleComparison } from './policy.ts';
export { conditionsOf, reducePolicy } from './reduce.ts';
export { policyLimits, validatePolicy } from './validate.ts';
