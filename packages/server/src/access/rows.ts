import { conditionsOf, type Policy, type Rule, reducePolicy, type SingleComparison } from '@ploidy/policy';
import type { ResourceAttributes } from './resource.ts';

/** Conditions of a rule on the patient of a row; all must hold. */
export type SubjectTest = readonly SingleComparison[];

/** Readable rows of a project's tables: all, none, or those whose patient passes one of the tests. */
export type Rows = boolean | readonly SubjectTest[];

/** Only attribute of a row: the id of its patient. A row without a patient has none. */
const subject = 'resource.subject';
/**
 * Paths that are known for all rows alike. Tables have no owner and no id, so conditions on these never hold.
 */
const knownPaths = ['account', 'dataset', 'type', 'id', 'ownerId'].map((name) => `resource.${name}`);

/** Returns the attributes of the tables in the project of a resource. */
export function tablesAround({ account, dataset }: ResourceAttributes): ResourceAttributes {
  return { account, type: 'table', ...(dataset !== undefined && { dataset }) };
}

/**
 * Returns the rows that a privilege opens. A rule counts if its only unknown is the patient of the row. Rules
 * that compare the patient with another attribute open none.
 */
export function rowsOf(policy: Policy, privilege: string, tables: ResourceAttributes): Rows {
  const conditions = conditionsOf(policy, privilege);
  if (typeof conditions === 'boolean') return conditions;
  const reduced = reducePolicy({ rules: { [privilege]: conditions } }, { resource: tables }, knownPaths);
  const left = conditionsOf(reduced, privilege);
  if (typeof left === 'boolean') return left;
  const tests = left.map(testOf).filter((test) => test !== undefined);
  return tests.length > 0 && tests;
}

/** Returns the union of two sets of rows. */
export function eitherRows(one: Rows, other: Rows): Rows {
  if (one === true || other === true) return true;
  if (one === false) return other;
  return other === false ? one : [...one, ...other];
}

/** Reports whether a text can be an id: SQL ends at a NUL, and a lone surrogate would be replaced. */
export const isPossibleId = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

function testOf(rule: Rule): SubjectTest | undefined {
  const [[path, comparison] = ['', true], second] = Object.entries(rule);
  if (path !== subject || second !== undefined || typeof comparison === 'boolean') return undefined;
  const singles = comparison.comparison === 'all' ? comparison.of : [comparison];
  return singles.some((single) => 'target' in single) ? undefined : singles;
}
