import type { Caller } from '../../../access/caller.ts';
import { inView } from '../../../access/view.ts';
import { timestamp } from '../../../base/ids.ts';
import { Problem } from '../../../base/problem.ts';
import type { Records } from '../../../platform/records/records.ts';
import type { Secrets } from '../../../platform/secrets/secrets.ts';
import { type Audit, actor } from '../../audit/index.ts';
import type { CallerCache } from '../callers/index.ts';
import { findMember } from '../groups/index.ts';
import type { User } from '../users/index.ts';

/** Life of a view, in milliseconds. */
const lifeMs = 3_600_000;

interface View {
  account: string;
  userId: string;
  /** Epoch milliseconds. */
  until: number;
}

interface ViewDeps {
  records: Records;
  audit: Audit;
  secrets: Secrets;
  cache: CallerCache;
}

/**
 * Views of an account as one of its members sees it. A view is a sealed token beside the credential that asked for it. A token
 * removes rights and adds none, so nothing is stored.
 */
export class Views {
  readonly #deps: ViewDeps;

  constructor(deps: ViewDeps) {
    this.#deps = deps;
  }

  /** Finds a member by id or e-mail address. */
  async member(account: string, idOrEmail: string): Promise<User | undefined> {
    return findMember(this.#deps.records.read, account, idOrEmail);
  }

  /** Begins a view, and records it. */
  async begin(
    account: string,
    user: User,
    by: { caller: Caller; requestId: string },
  ): Promise<{ token: string; until: string }> {
    const { records, audit, secrets } = this.#deps;
    const view: View = { account, userId: user.id, until: Date.now() + lifeMs };
    const until = timestamp(view.until);
    await records.transact((tx) =>
      audit.append(tx, {
        account,
        ...actor(by.caller, by.requestId),
        action: 'users.view',
        resource: { type: 'user', id: user.id },
        outcome: 'done',
        details: { until },
      }),
    );
    return { token: secrets.seal(JSON.stringify(view), contextOf(by.caller)), until };
  }

  /**
   * Returns the caller of a request that brings a token of a view. Problem 403 once the view has ended: by its time, with the right
   * of the one who looks, or with the membership of the other.
   */
  async callerIn(token: string, viewer: Caller): Promise<Caller> {
    const { secrets, cache } = this.#deps;
    const view = viewIn(token, secrets, viewer);
    if (!view || view.until <= Date.now() || !mayView(viewer, view.account)) throw viewEnded();
    const { account, userId } = view;
    const seen = await cache.resolve(`view ${account} ${userId}`, async () => ({
      principal: { userId, via: 'view', keyAccount: undefined, onlyAccount: account },
      expiresAt: view.until,
    }));
    const caller = seen && inView(viewer, seen, account);
    if (!caller) throw viewEnded();
    return caller;
  }
}

/** Reports whether a caller may look as others: the profiles of these show too. */
function mayView(caller: Caller, account: string): boolean {
  return (
    caller.resource === undefined &&
    caller.mayUseKey() &&
    caller.may('users.view', { account, type: 'user' }) &&
    caller.may('members.readAttributes', { account, type: 'user' })
  );
}

const contextOf = ({ userId, via }: Caller): string => `view:${userId}:${via}`;

function viewIn(token: string, secrets: Secrets, viewer: Caller): View | undefined {
  try {
    return JSON.parse(secrets.open(token, contextOf(viewer))) as View;
  } catch {
    // Refuses a token of another credential, or a changed one.
    return undefined;
  }
}

function viewEnded(): Problem {
  const message = 'You no longer look as the other person: begin again on the page of people.';
  return new Problem(403, 'VIEW_ENDED', message);
}
