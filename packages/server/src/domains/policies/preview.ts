import { setImmediate as nextTurn } from 'node:timers/promises';
import { canonicalJson, type Policy, type Rule } from '@ploidy/policy';
import { evaluatePolicy, type Subject } from '../../access/evaluate.ts';
import type { Records } from '../../platform/records/records.ts';
import { applyChanges, type ProposedChange } from './changes.ts';
import { mergeNamed, namedPolicies } from './policies.ts';
import { allSubjects } from './subjects.ts';

/** How one privilege of a user would change. `widened` and `narrowed`: rules are added or fall away, the others stay. */
export interface PrivilegeChange {
  privilege: string;
  change: 'gained' | 'widened' | 'changed' | 'narrowed' | 'lost';
  /** `false`: not at all; `true`: without conditions; else the rules, one of which must hold. */
  before: boolean | Rule[];
  after: boolean | Rule[];
}

export interface Preview {
  /** Members of the account. */
  users: number;
  /** Members whose rights were compared; fewer than all where policies and account are very large. */
  examined: number;
  /** Those of them whose rights would change. */
  affected: number;
  /** Whether everybody was examined and everybody affected is listed. */
  complete: boolean;
  items: { user: { id: string; email: string }; owner: boolean; privileges: PrivilegeChange[] }[];
  warnings: { code: string; message: string }[];
}

/** What a preview takes at most: of reducing (characters of policy for each user) and of answering. */
export interface PreviewLimits {
  workMax: number;
  itemsMax: number;
  answerCharactersMax: number;
}

const defaultLimits: PreviewLimits = {
  workMax: 200_000_000,
  itemsMax: 1000,
  answerCharactersMax: 4_000_000,
};

/** Other requests get their turn after so long. */
const turnMs = 5;

/** Dry runs: whose rights a change of policies would change. One at a time in a process, because each takes all it gets. */
export class Previews {
  readonly #records: Records;
  readonly #limits: PreviewLimits;
  #last: Promise<unknown> = Promise.resolve();

  constructor(records: Records, limits: PreviewLimits = defaultLimits) {
    this.#records = records;
    this.#limits = limits;
  }

  /** Nothing is stored. `callerId` is examined in any case, as the owner is. */
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
    return result.finish(subjects.length, examined.length, privileges.includes('accessAdmin'));
  }
}

const rank = (subject: Subject, callerId: string): number =>
  subject.owner ? 0 : subject.id === callerId ? 1 : 2;

/** Both policies without the operations in which they do not differ: those change for nobody. */
function differing(before: Policy, after: Policy): { before: Policy; after: Policy; privileges: string[] } {
  const names = [...new Set([...Object.keys(before.rules), ...Object.keys(after.rules)])].sort();
  const privileges = names.filter((name) => !same(grantOf(before, name), grantOf(after, name)));
  const only = (policy: Policy): Policy => ({
    rules: Object.fromEntries(Object.entries(policy.rules).filter(([name]) => privileges.includes(name))),
  });
  return { before: only(before), after: only(after), privileges };
}

/** As the engine's `conditionsOf`, for policies that are known to be valid. */
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

/** Collects what is found, within the limits of an answer. */
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

  finish(users: number, examined: number, aboutAdministrators: boolean): Preview {
    const warnings: Preview['warnings'] = [];
    if (aboutAdministrators && this.#administrators === 0) {
      const message = 'Nobody but the owner of the account would have accessAdmin.';
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
