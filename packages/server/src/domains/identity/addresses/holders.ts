import type { Caller } from '../../../access/caller.ts';
import type { Transaction } from '../../../platform/records/records.ts';

/**
 * Credentials that hold addresses and grants of this service, by the name that `Caller.via` has. What a credential was given ends
 * with it.
 */
export interface Holders {
  /** Returns the caller of a credential as of now; `undefined` when the credential or its user is gone. */
  find(via: string): Promise<Caller | undefined>;
  /** `find`, with Problem 403 for a credential that has ended or may no longer be used. */
  require(via: string): Promise<Caller>;
  /** Requires in a transaction that the credential has not ended, and holds it until the commit. Problem 403. */
  hold(tx: Transaction, via: string): Promise<void>;
}
