import { conditionsOf, type Policy, type Rule, reducePolicy, type SingleComparison } from '@ploidy/policy';
import type { ResourceAttributes } from './resource.ts';

/** What a rule asks of the patient whom a row is about; all of them must hold. */
export type SubjectTest = readonly SingleComparison[];

/** Which rows of the tables of a project are open: all, none, or those whose patient passes one of the tests. */
export type Rows = boolean | readonly SubjectTest[];

/** The one attribute of a row: the id of the patient whom it is about. A row without a patient has none. */
const subject = 'resource.subject';
/** What is known of all rows alike. Tables belong to nobody and have no id: who asks for these asks in vain. */
const knownPaths = ['account', 'dataset', 'type', 'id', 'ownerId'].map((name) => `resource.${name}`);

/** The tables of the project in which a thing lies, as policies see them. */
export function tablesAround({ account, dataset }: ResourceAttributes): ResourceAttributes {
  return { account, type: 'table', ...(dataset !== undefined && { dataset }) };
}

/**
 * Which rows a privilege opens. A rule counts when it asks nothing that is still unknown but the patient of the row; one
 * that asks more, or compares the patient with another attribute of the row, opens none.
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

/** The rows that either opens. */
export function eitherRows(one: Rows, other: Rows): Rows {
  if (one === true || other === true) return true;
  if (one === false) return other;
  return other === false ? one : [...one, ...other];
}

function testOf(rule: Rule): SubjectTest | undefined {
  const [[path, comparison] = ['', true], second] = Object.entries(rule);
  if (path !== subject || second !== undefined || typeof comparison === 'boolean') return undefined;
  const singles = comparison.comparison === 'all' ? comparison.of : [comparison];
  return singles.some((single) => 'target' in single) ? undefined : singles;
}
