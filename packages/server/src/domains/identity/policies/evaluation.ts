import { bindPolicy, explain, mergePolicies, type Policy, validatePolicy } from '@ploidy/policy';
import type { Caller } from '../../../access/caller.ts';
import { attributesOfUser, evaluatePolicy, ownerPolicy, type Subject } from '../../../access/evaluate.ts';
import type { ResourceAttributes } from '../../../access/resource.ts';
import { rowsOf, tablesAround } from '../../../access/rows.ts';
import { notFound } from '../../../base/problem.ts';
import type { Records } from '../../../platform/records/records.ts';
import { mergedPolicy, mergeNamed, type NamedPolicy, namedPolicies } from './policies.ts';
import { findSubject } from './subjects.ts';
import {
  type GroupNames,
  groupNames,
  isPrivilege,
  type PolicyWarning,
  unknownAttribute,
  unknownPrivilege,
  warningsOf,
} from './warnings.ts';

/** Operation to explain. */
export interface Question {
  /** Name of an operation of policies. */
  privilege: string;
  resource: Record<string, unknown>;
}

interface Reasons {
  allowed: boolean;
  because: string[];
  /** Doubts about the question and, for readers of policies, about rules that concern it. */
  warnings: PolicyWarning[];
}

/** Types of resources whose owner is the user who makes them, by the privilege to make them. */
const ownedTypes: Readonly<Record<string, readonly unknown[]>> = {
  createData: ['file', 'ingestion', 'readGroupSet', 'cohort'] satisfies ResourceAttributes['type'][],
  accountAdmin: ['ehr'] satisfies ResourceAttributes['type'][],
};

/** Completes the attributes as a route would: a resource to be made has its owner, a new query its tables. */
function asDecided({ privilege, resource }: Question, { id }: Subject): Record<string, unknown> {
  const { type, dataset } = resource;
  if (resource['id'] !== undefined) return resource;
  if (type === 'query' && privilege.startsWith('read')) return { dataset, type: 'table' };
  return ownedTypes[privilege]?.includes(type) ? { ownerId: id, ...resource } : resource;
}

/** Lists doubts about the names of a question, and about rules for its privilege or a misspelt one. */
function doubtsAbout(
  { privilege, resource }: Question,
  policies: readonly NamedPolicy[],
  groups: GroupNames,
): PolicyWarning[] {
  const asked = [
    ...(isPrivilege(privilege) ? [] : [unknownPrivilege('privilege', privilege)]),
    ...Object.keys(resource).flatMap((name) => unknownAttribute(`resource.${name}`, `resource.${name}`)),
  ];
  const ofRules = policies.flatMap(({ name, policy }) => {
    if (validatePolicy(policy).length > 0) return [];
    const rules = Object.fromEntries(
      Object.entries(policy.rules).filter(([other]) => other === privilege || !isPrivilege(other)),
    );
    return warningsOf({ rules }, groups).map((one) => ({ ...one, path: `policy ${name}: ${one.path}` }));
  });
  return [...asked, ...ofRules].slice(0, warningsMax);
}

const warningsMax = 50;
const quoted = /"([0-9a-f-]{36})"/g;

/** Adds the names of groups to their ids in a reason. */
function withNames(reason: string, groups: GroupNames): string {
  return reason.replace(quoted, (text, id: string) => {
    const name = groups.get(id);
    return name === undefined ? text : `${text} (${name})`;
  });
}

/** Types of questions about rows; a question without a type may be one. */
const rowTypes: readonly unknown[] = ['table', 'query', undefined];

/** Reports whether rules open rows of some patients, where the question names no patient. */
function opensRows(
  policies: readonly NamedPolicy[],
  privilege: string,
  { account, type, dataset, subject: patient }: Record<string, unknown>,
  subject: Subject,
): boolean {
  if (!rowTypes.includes(type) || patient !== undefined) return false;
  if (privilege !== 'readData' && privilege !== 'readMaskedData') return false;
  const tables = tablesAround({
    account: String(account),
    type: 'table',
    ...(typeof dataset === 'string' && { dataset }),
  });
  return rowsOf(evaluatePolicy(mergeNamed(policies), subject), privilege, tables) !== false;
}

/** Evaluation of policies: remaining rules of a user, and reasons. */
export class Evaluation {
  readonly #records: Records;

  constructor(records: Records) {
    this.#records = records;
  }

  /**
   * Returns the caller's policy in one account or in all. The rules of each account test for that account, so that they do not
   * apply in another.
   */
  ofCaller(caller: Caller, account: string): Policy {
    const named = caller.accounts.get(account);
    if (named) return named.policy;
    const accesses = [...caller.accounts.values()];
    const [only] = accesses;
    if (only && accesses.length === 1) return only.policy;
    return mergePolicies(
      accesses.map((access) => bindPolicy(access.policy, 'resource.account', access.account)),
    );
  }

  /** Returns the policy of another member in the account. Throws 404 for other users. */
  async ofMember(account: string, idOrEmail: string): Promise<Policy> {
    const subject = await this.#subject(account, idOrEmail);
    return evaluatePolicy(await mergedPolicy(this.#records.read, account), subject);
  }

  /**
   * Explains why a member may perform an operation, or may not. `whole` includes all rules, for callers who
   * may read the policies; others see what their own evaluated policy shows.
   */
  async explain(account: string, idOrEmail: string, question: Question, whole: boolean): Promise<Reasons> {
    const subject = await this.#subject(account, idOrEmail);
    const policies = await namedPolicies(this.#records.read, account);
    if (subject.owner) policies.push({ id: '', name: 'of the owner (built in)', policy: ownerPolicy });
    const resource = { ...asDecided(question, subject), account };
    const attributes = { ...attributesOfUser(subject), resource };
    const settled = whole ? [] : ['user'];
    const { allowed, reasons } = explain(policies, question.privilege, attributes, settled);
    const groups = whole ? await groupNames(this.#records.read, account) : new Map<string, string>();
    const warnings = doubtsAbout(question, whole ? policies : [], groups);
    if (!allowed && opensRows(policies, question.privilege, resource, subject)) {
      if (question.resource['type'] === undefined) {
        const hint = 'rows of some patients are open to this user: ask with `type` "table"';
        return { allowed, because: [hint], warnings };
      }
      const because = ['allowed for rows of some patients, by rules on `resource.subject`'];
      return { allowed: true, because, warnings };
    }
    return { allowed, because: reasons.map((reason) => withNames(reason, groups)), warnings };
  }

  async #subject(account: string, idOrEmail: string): Promise<Subject> {
    const subject = await findSubject(this.#records.read, account, idOrEmail);
    if (!subject) throw notFound();
    return subject;
  }
}
