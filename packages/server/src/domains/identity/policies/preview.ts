import { setImmediate as nextTurn } from 'node:timers/promises';
import { canonicalJson, type Policy, type Rule } from '@ploidy/policy';
import { evaluatePolicy, type Subject } from '../../../access/evaluate.ts';
import type { Records } from '../../../platform/records/records.ts';
import { applyChanges, type ProposedChange } from './changes.ts';
import { mergeNamed, namedPolicies } from './policies.ts';
import { allSubjects } from './subjects.ts';
import { type GroupNames, groupNames, type PolicyWarning, warningsOf } from './warnings.ts';

/** Change of one privilege of a user. `widened`, `narrowed`: rules are only added or removed. */
interface PrivilegeChange {
  privilege: string;
  change: 'gained' | 'widened' | 'changed' | 'narrowed' | 'lost';
  /** `false`: none; `true`: without conditions; else the rules, one of which must hold. */
  before: boolean | Rule[];
  after: boolean | Rule[];
}

export interface Preview {
  users: number;
  /** Compared members; fewer than all for very large policies and accounts. */
  examined: number;
  /** Compared members whose rights would change. */
  affected: number;
  /** True when all were examined and all affected are listed. */
  complete: boolean;
  items: { user: { id: string; email: string }; owner: boolean; privileges: PrivilegeChange[] }[];
  /** `path`: place in a proposed policy. */
  warnings: { code: string; message: string; path?: string }[];
}

/** Limits of a preview: characters of policy for each user to reduce, and size of the response. */
interface PreviewLimits {
  workMax: number;
  itemsMax: number;
  answerCharactersMax: number;
}

const defaultLimits: PreviewLimits = {
  workMax: 200_000_000,
  itemsMax: 1000,
  answerCharactersMax: 4_000_000,
};

/** Pause for other requests after each slice of this length. */
const turnMs = 5;

/** Previews of policy changes. One at a time in a process, because each uses all available time. */
export class Previews {
  readonly #records: Records;
  readonly #limits: PreviewLimits;
  #last: Promise<unknown> = Promise.resolve();

  constructor(records: Records, limits: PreviewLimits = defaultLimits) {
    this.#records = records;
    this.#limits = limits;
  }

  /** Computes a preview; nothing is stored. The caller and the owner are always examined. */
  async run(
    account: string,
    changes: ProposedChange[],
    callerId: string,
    signal: AbortSignal,
  ): Promise<Preview> {
    const mine = this.#last.then(() => this.#run(account, changes, callerId, signal));
    this.#last = mine.catch(() => undefined);
    return mine;
  }

  async #run(
    account: string,
    changes: ProposedChange[],
    callerId: string,
    signal: AbortSignal,
  ): Promise<Preview> {
    signal.throwIfAborted();
    const { read } = this.#records;
    const stored = await namedPolicies(read, account);
    const { before, after, privileges } = differing(
      mergeNamed(stored),
      mergeNamed(applyChanges(stored, changes)),
    );
    const subjects = await allSubjects(read, account, signal);
    subjects.sort((one, other) => rank(one, callerId) - rank(other, callerId));
    const size = JSON.stringify([before, after]).length;
    const examinable = privileges.length === 0 ? subjects.length : Math.ceil(this.#limits.workMax / size);
    const examined = subjects.slice(0, Math.max(2, examinable));
    const result = new Result(this.#limits, callerId);
    let turnEnds = performance.now() + turnMs;
    for (const subject of privileges.length === 0 ? [] : examined) {
      const [was, willBe] = [evaluatePolicy(before, subject), evaluatePolicy(after, subject)];
      result.add(subject, changesOf(privileges, was, willBe), grantOf(willBe, 'accessAdmin') !== false);
      if (performance.now() < turnEnds) continue;
      await nextTurn();
      signal.throwIfAborted();
      turnEnds = performance.now() + turnMs;
    }
    const doubts = doubtsAbout(changes, await groupNames(read, account));
    return result.finish(subjects.length, examined.length, privileges.includes('accessAdmin'), doubts);
  }
}

const rank = (subject: Subject, callerId: string): number =>
  subject.owner ? 0 : subject.id === callerId ? 1 : 2;

/** Drops the operations in which both policies agree: they change for no user. */
function differing(before: Policy, after: Policy): { before: Policy; after: Policy; privileges: string[] } {
  const names = [...new Set([...Object.keys(before.rules), ...Object.keys(after.rules)])].sort();
  const privileges = names.filter((name) => !same(grantOf(before, name), grantOf(after, name)));
  const only = (policy: Policy): Policy => ({
    rules: Object.fromEntries(Object.entries(policy.rules).filter(([name]) => privileges.includes(name))),
  });
  return { before: only(before), after: only(after), privileges };
}

/** Returns the conditions as the engine's `conditionsOf`, for valid policies. */
function grantOf(policy: Policy, privilege: string): boolean | Rule[] {
  return Object.hasOwn(policy.rules, privilege) ? (policy.rules[privilege] ?? false) : false;
}

function textsOf(conditions: boolean | Rule[]): Set<string> {
  if (conditions === false) return new Set();
  return new Set(conditions === true ? ['true'] : conditions.map((rule) => canonicalJson({ ...rule })));
}

const same = (one: boolean | Rule[], other: boolean | Rule[]): boolean =>
  textsOf(one).symmetricDifference(textsOf(other)).size === 0;

function changesOf(privileges: string[], before: Policy, after: Policy): PrivilegeChange[] {
  return privileges.flatMap((privilege) => {
    const [was, willBe] = [grantOf(before, privilege), grantOf(after, privilege)];
    const change = kindOf(was, willBe);
    return change === undefined ? [] : [{ privilege, change, before: was, after: willBe }];
  });
}

function kindOf(before: boolean | Rule[], after: boolean | Rule[]): PrivilegeChange['change'] | undefined {
  const [was, willBe] = [textsOf(before), textsOf(after)];
  if (same(before, after)) return undefined;
  if (was.size === 0) return 'gained';
  if (willBe.size === 0) return 'lost';
  if (after === true || was.isSubsetOf(willBe)) return 'widened';
  return before === true || willBe.isSubsetOf(was) ? 'narrowed' : 'changed';
}

/** Lists the doubts about the proposed policies, with their places in the request. */
function doubtsAbout(changes: readonly ProposedChange[], groups: GroupNames): PolicyWarning[] {
  return changes.flatMap(({ create, replace }, at) => {
    const policy = create?.policy ?? replace?.policy;
    const place = `changes/${at}/${create ? 'create' : 'replace'}/policy.`;
    return policy ? warningsOf(policy, groups).map((one) => ({ ...one, path: place + one.path })) : [];
  });
}

/** Collector of results within the limits of a response. */
class Result {
  readonly #limits: PreviewLimits;
  readonly #callerId: string;
  readonly #items: Preview['items'] = [];
  #affected = 0;
  #characters = 0;
  #administrators = 0;
  #callerLoses: string[] = [];

  constructor(limits: PreviewLimits, callerId: string) {
    this.#limits = limits;
    this.#callerId = callerId;
  }

  add(subject: Subject, privileges: PrivilegeChange[], administers: boolean): void {
    const { id, email, owner } = subject;
    if (administers && !owner) this.#administrators++;
    if (privileges.length === 0) return;
    if (id === this.#callerId) {
      this.#callerLoses = privileges
        .filter(({ change }) => change === 'lost')
        .map(({ privilege }) => privilege);
    }
    this.#affected++;
    const item = { user: { id, email }, owner, privileges };
    this.#characters += JSON.stringify(item).length;
    if (this.#items.length < this.#limits.itemsMax && this.#characters <= this.#limits.answerCharactersMax)
      this.#items.push(item);
  }

  finish(
    users: number,
    examined: number,
    aboutAdministrators: boolean,
    doubts: Preview['warnings'],
  ): Preview {
    const warnings: Preview['warnings'] = [...doubts];
    if (aboutAdministrators && this.#administrators === 0) {
      const message = 'Only the owner of the account would have accessAdmin.';
      warnings.push({ code: 'ONLY_OWNER_ADMINISTERS', message });
    }
    if (this.#callerLoses.includes('accessAdmin')) {
      const message = 'You would lose accessAdmin yourself, and could not undo this.';
      warnings.push({ code: 'YOU_LOSE_ACCESS_ADMIN', message });
    }
    if (this.#callerLoses.includes('apiKeyUser')) {
      const message = 'You would lose apiKeyUser yourself: your API keys would be refused in this account.';
      warnings.push({ code: 'YOU_LOSE_API_KEYS', message });
    }
    const complete = users === examined && this.#items.length === this.#affected;
    return { users, examined, affected: this.#affected, complete, items: this.#items, warnings };
  }
}
