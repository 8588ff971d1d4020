import type { Caller } from '../../../access/caller.ts';
import { Problem } from '../../../base/problem.ts';
import type { Transaction } from '../../../platform/records/records.ts';
import type { Holders } from '../../identity/addresses/index.ts';
import type { CallerCache, Verified } from '../../identity/callers/index.ts';
import { isLive } from './valid-credential.ts';

/** Credentials of one kind, by id. */
interface CredentialKind {
  /** Looks a credential up; `undefined` for an unknown or expired one, or one that was ended. */
  present(id: string): Promise<Verified | undefined>;
}

/** Finds the present callers behind addresses and grants: one look-up, cached with the callers of requests. */
export class CredentialHolders implements Holders {
  readonly #cache: CallerCache;
  readonly #kinds: ReadonlyMap<string, CredentialKind>;

  /** `kinds`: by the word before the colon in `Caller.via`. */
  constructor(cache: CallerCache, kinds: Record<string, CredentialKind>) {
    this.#cache = cache;
    this.#kinds = new Map(Object.entries(kinds));
  }

  find(via: string): Promise<Caller | undefined> {
    const [kind = '', id = ''] = via.split(':');
    return this.#cache.resolve(`holder ${via}`, async () => this.#kinds.get(kind)?.present(id));
  }

  async require(via: string): Promise<Caller> {
    const caller = await this.find(via);
    if (!caller) throw credentialEnded();
    if (caller.mayUseKey()) return caller;
    const message =
      'The user who asked for this address may no longer read or write with an API key in this account.';
    throw new Problem(403, 'FORBIDDEN', message);
  }

  async hold(tx: Transaction, via: string): Promise<void> {
    if (!(await isLive(tx, via))) throw credentialEnded();
  }
}

function credentialEnded(): Problem {
  const message =
    'The key, token or sign-in that asked for this address has ended, and the address with it. Ask for a new one.';
  return new Problem(403, 'CREDENTIAL_ENDED', message);
}
