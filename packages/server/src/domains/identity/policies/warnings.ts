import { nearest } from '@ploidy/formats/nearest';
import {
  type Comparison,
  type Json,
  type Operator,
  type Policy,
  type Rule,
  type SingleComparison,
  sidesOf,
} from '@ploidy/policy';
import { type Operation, operations, privileges } from '../../../access/operations.ts';
import { resourceTypes } from '../../../access/resource.ts';
import { nameKey } from '../../../base/names.ts';
import type { Reader } from '../../../platform/records/records.ts';

/** Doubt about a valid policy: a part without effect, or with more than it seems to have. */
export interface PolicyWarning {
  code: 'UNKNOWN_PRIVILEGE' | 'UNKNOWN_ATTRIBUTE' | 'UNKNOWN_GROUP' | 'NEVER_HOLDS' | 'ALWAYS_HOLDS';
  /** Place in the document, such as `rules.readData[0]["resource.dataset"]`. */
  path: string;
  message: string;
}

/** Names of the groups of an account by id. */
export type GroupNames = ReadonlyMap<string, string>;

/** Attributes of users and resources; those of `user.customAttributes` have further names. */
export const attributes = [
  'user.id',
  'user.email',
  'user.groups',
  'user.customAttributes',
  'resource.account',
  'resource.dataset',
  'resource.type',
  'resource.id',
  'resource.ownerId',
  'resource.subject',
];
/** Attributes that every decision has. */
const alwaysPresent = ['user.id', 'user.email', 'user.groups', 'resource.account', 'resource.type'];
/** Privileges that are about no project. */
const accountWide = ['accessAdmin', 'auditRead', 'apiKeyUser'];
/** Typing errors that a proposal may assume. */
const changesMax = 3;
const warningsMax = 50;
/** Longest name that is compared with known ones, or shown. */
const lengthMax = 80;

/** Returns the names of an account's groups. */
export async function groupNames(read: Reader, account: string): Promise<GroupNames> {
  const rows = await read
    .selectFrom('groups')
    .select(['id', 'name'])
    .where('account_id', '=', account)
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Lists what a valid policy probably does not mean, with proposals. */
export function warningsOf(policy: Policy, groups: GroupNames): PolicyWarning[] {
  // Lazily, since a large policy may be wrong everywhere.
  return warningsIn(policy, idsByName(groups)).take(warningsMax).toArray();
}

function* warningsIn(policy: Policy, groups: Groups): Generator<PolicyWarning> {
  for (const [privilege, grant] of Object.entries(policy.rules)) {
    const path = fieldOf('rules', privilege);
    if (!isPrivilege(privilege)) yield unknownPrivilege(path, privilege);
    else if (grant !== true)
      for (const [index, rule] of grant.entries())
        yield* warningsOfRule(rule, privilege, `${path}[${index}]`, groups);
  }
}

/** Groups of an account: their ids, and ids by name. */
interface Groups {
  names: GroupNames;
  ids: ReadonlyMap<string, string>;
}

function idsByName(names: GroupNames): Groups {
  return { names, ids: new Map([...names].map(([id, name]) => [nameKey(name), id])) };
}

/** Lists the groups that the rules of a policy name, for people. */
export function groupsIn(policy: Policy, names: GroupNames): { id: string; name: string }[] {
  const found = new Map<string, string>();
  for (const grant of Object.values(policy.rules))
    for (const rule of grant === true ? [] : grant)
      for (const single of singlesOf(Object.hasOwn(rule, 'user.groups') ? rule['user.groups'] : undefined))
        for (const id of 'value' in single ? [single.value].flat() : []) {
          const name = names.get(String(id));
          if (name !== undefined) found.set(String(id), name);
        }
  return [...found].map(([id, name]) => ({ id, name }));
}

function singlesOf(comparison: Comparison | boolean | undefined): readonly SingleComparison[] {
  if (typeof comparison !== 'object') return [];
  return comparison.comparison === 'all' ? comparison.of : [comparison];
}

/** Warns about a name that is no privilege here. */
export function unknownPrivilege(path: string, name: string): PolicyWarning {
  const proposal = didYouMean(proposed(name, privileges));
  const message = `${shortened(name)} is no privilege of this service and permits nothing in it.${proposal}`;
  return { code: 'UNKNOWN_PRIVILEGE', path, message };
}

export function isPrivilege(name: string): boolean {
  return (privileges as readonly string[]).includes(name);
}

/** Warns about an attribute that no decision has. */
export function unknownAttribute(path: string, name: string): PolicyWarning[] {
  if (attributes.includes(name) || name.startsWith('user.customAttributes.')) return [];
  const message = `${shortened(name)} is no attribute of a decision, so this never holds.${didYouMean(proposed(name, attributes))}`;
  return [{ code: 'UNKNOWN_ATTRIBUTE', path, message }];
}

function* warningsOfRule(
  rule: Rule,
  privilege: string,
  path: string,
  groups: Groups,
): Generator<PolicyWarning> {
  const conditions = Object.entries(rule);
  const isAlways = conditions.every(
    ([name, comparison]) =>
      comparison === true ||
      (typeof comparison === 'object' && comparison.comparison === 'exists' && alwaysPresent.includes(name)),
  );
  if (isAlways) {
    const message = 'The rule holds for everybody. Write true in place of the rules if you mean that.';
    yield { code: 'ALWAYS_HOLDS', path, message };
  }
  for (const [name, comparison] of conditions) {
    const at = fieldOf(path, name);
    if (comparison === false)
      yield never(at, 'A false never holds, so the rule permits nothing. Remove the rule.');
    if (typeof comparison === 'boolean') continue;
    yield* unknownAttribute(at, name);
    if (name === 'resource.dataset' && accountWide.includes(privilege))
      yield never(at, `${privilege} is about the account, never about a project. Leave the project out.`);
    for (const single of singlesOf(comparison))
      yield* warningsOfComparison(name, single, { privilege, at, groups });
  }
}

function* warningsOfComparison(
  name: string,
  single: SingleComparison,
  { privilege, at, groups }: { privilege: string; at: string; groups: Groups },
): Generator<PolicyWarning> {
  const { comparison } = single;
  if ('target' in single) yield* unknownAttribute(`${at}.target`, single.target);
  if (comparison === 'exists' || !attributes.includes(name) || name === 'user.customAttributes') return;
  const isList = name === 'user.groups';
  const { attribute } = sidesOf(comparison);
  if (!isList && attribute === 'list')
    yield never(at, `${name} is no list, so ${comparison} never holds. Use equals or in.`);
  else if (isList && attribute !== 'list' && comparison !== 'notEquals')
    yield never(at, `${name} is a list, so ${comparison} never holds for a group. Use includes or superset.`);
  else if ('value' in single) yield* warningsOfValues(name, single, { privilege, at, groups });
}

function* warningsOfValues(
  name: string,
  { comparison, value }: { comparison: Operator; value: Json },
  { privilege, at, groups }: { privilege: string; at: string; groups: Groups },
): Generator<PolicyWarning> {
  const values = [value].flat();
  if (comparison === 'in' && values.length === 0)
    yield never(at, 'Nothing is in an empty list, so the rule permits nothing.');
  if (name === 'user.groups') for (const id of values) yield* warningsOfGroup(id, at, groups);
  if (name !== 'resource.type' || (comparison !== 'equals' && comparison !== 'in')) return;
  const known = typesOf(privilege);
  for (const type of values) yield* warningsOfType(type, known, privilege, at);
}

function* warningsOfGroup(id: Json, path: string, { names, ids }: Groups): Generator<PolicyWarning> {
  if (typeof id !== 'string' || names.has(id)) return;
  const meant = ids.get(nameKey(id));
  const message =
    meant === undefined
      ? `The account has no group ${shortened(id)}.`
      : `${shortened(id)} is the name of a group; policies compare ids. Write "${meant}".`;
  yield { code: 'UNKNOWN_GROUP', path, message };
}

/** Warns about types that no operation of a privilege is decided on. */
function* warningsOfType(
  type: Json,
  known: readonly string[],
  privilege: string,
  path: string,
): Generator<PolicyWarning> {
  if (known.length === 0 || known.some((one) => one === type)) return;
  const isType = (resourceTypes as readonly unknown[]).includes(type);
  const proposal = isType ? '' : didYouMean(proposed(String(type), resourceTypes));
  const message = `${privilege} is never decided on ${shortened(type)}, but on ${known.join(', ')}.`;
  yield never(path, `${message}${proposal}`);
}

function shortened(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > lengthMax ? `${text.slice(0, lengthMax)}…` : text;
}

function proposed(given: string, known: readonly string[]): string | undefined {
  return given.length > lengthMax ? undefined : nearest(given, known, changesMax);
}

function typesOf(privilege: string): string[] {
  const found = Object.values<Operation>(operations).flatMap(({ needs, on }) =>
    on !== undefined && Array.isArray(needs) && (needs as string[]).includes(privilege) ? [on] : [],
  );
  return [...new Set(found)].sort();
}

function never(path: string, message: string): PolicyWarning {
  return { code: 'NEVER_HOLDS', path, message };
}

function didYouMean(name: string | undefined): string {
  return name === undefined ? '' : ` Did you mean ${name}?`;
}

function fieldOf(path: string, name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? `${path}.${name}` : `${path}[${JSON.stringify(name)}]`;
}
