import { bindPolicy, explain, mergePolicies, type Policy } from '@ploidy/policy';
import type { Caller } from '../../access/caller.ts';
import { attributesOfUser, evaluatePolicy, ownerPolicy, type Subject } from '../../access/evaluate.ts';
import type { Records } from '../../platform/records/records.ts';
import { notFound } from '../../problem.ts';
import { mergedPolicy, namedPolicies } from './policies.ts';
import { findSubject } from './subjects.ts';

/** What somebody would like to know the reason of. */
export interface Question {
  /** The name of an operation of policies. */
  privilege: string;
  resource: Record<string, unknown>;
}

export interface Reasons {
  allowed: boolean;
  because: string[];
}

/** What the policies leave for whom, and why. */
export class Evaluation {
  readonly #records: Records;

  constructor(records: Records) {
    this.#records = records;
  }

  /**
   * What the caller may do, in one account or in all of his. Of several accounts each one's rules ask for that account, so
   * that nothing of one counts in another.
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

  /** What another member of the account may do there. Problem 404 when he is none. */
  async ofMember(account: string, idOrEmail: string): Promise<Policy> {
    const subject = await this.#subject(account, idOrEmail);
    return evaluatePolicy(await mergedPolicy(this.#records.read, account), subject);
  }

  /**
   * Why a member may do something, or may not. Who may read the policies (`whole`) is told all of it, others only what
   * their own evaluated policy says anyway.
   */
  async explain(account: string, idOrEmail: string, question: Question, whole: boolean): Promise<Reasons> {
    const subject = await this.#subject(account, idOrEmail);
    const policies = await namedPolicies(this.#records.read, account);
    if (subject.owner) policies.push({ id: '', name: 'of the owner (built in)', policy: ownerPolicy });
    const attributes = { ...attributesOfUser(subject), resource: { ...question.resource, account } };
    const settled = whole ? [] : ['user'];
    const { allowed, reasons } = explain(policies, question.privilege, attributes, settled);
    return { allowed, because: reasons };
  }

  async #subject(account: string, idOrEmail: string): Promise<Subject> {
    const subject = await findSubject(this.#records.read, account, idOrEmail);
    if (!subject) throw notFound();
    return subject;
  }
}
