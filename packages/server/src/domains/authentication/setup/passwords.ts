import { Problem } from '../../../base/problem.ts';
import { isUniqueViolation } from '../../../platform/records/errors.ts';
import type { Reader, Records, Transaction } from '../../../platform/records/records.ts';
import type { Audit } from '../../audit/index.ts';
import { accountsOf } from '../../identity/groups/index.ts';
import { findUser, ownEmail, proveEmail } from '../../identity/users/index.ts';
import { hashPassword } from '../sign-in/passwords/index.ts';
import { findToken, type LinkPurpose, spendToken, spendTokensOf } from './one-time-links.ts';

const linkUsedUp = () =>
  new Problem(
    403,
    'LINK_INVALID',
    'This link is no longer valid. Ask for a new one: "Forgotten your password?" on the sign-in page, or the operator of the service.',
  );

/** Both lead to the same page; a link sent by mail also proves the address. */
const purposes = ['first-password', 'new-password'] as const satisfies LinkPurpose[];
type Purpose = (typeof purposes)[number];

/** Setting of passwords by one-time links. */
export class Passwords {
  readonly #records: Records;
  readonly #audit: Audit;
  /** Listeners in the transaction in which a link sets a password. */
  readonly changed: ((tx: Transaction, userId: string) => Promise<void>)[] = [];

  constructor(records: Records, audit: Audit) {
    this.#records = records;
    this.#audit = audit;
  }

  /** Returns the e-mail address of a valid link; throws 403 otherwise. */
  async emailOf(token: string): Promise<string> {
    return (await this.#find(token)).email;
  }

  /**
   * Uses up the link and stores the password's hash. Other links of the user become void. Returns the user's
   * id.
   */
  async set(token: string, password: string, requestId: string): Promise<string> {
    const { purpose } = await this.#find(token);
    const password_hash = await hashPassword(password);
    const setNow = async (tx: Transaction): Promise<string> => {
      const userId = await spendToken(tx, token, purpose);
      if (!userId) throw linkUsedUp();
      for (const other of purposes) await spendTokensOf(tx, userId, other);
      await tx.updateTable('users').set({ password_hash }).where('id', '=', userId).execute();
      await (purpose === 'new-password' ? proveEmail : ownEmail)(tx, userId);
      await this.#records.announce(tx, `user:${userId}`);
      for (const listener of this.changed) await listener(tx, userId);
      for (const account of await accountsOf(tx, userId)) {
        const resource = { type: 'account' as const, id: account };
        const event = { account, userId, via: 'link', resource, requestId };
        await this.#audit.append(tx, { ...event, action: 'setup.password', outcome: 'done' });
      }
      return userId;
    };
    return this.#records.transact(setNow).catch((error: unknown) => {
      // Another user has meanwhile proven the address, which only an identity provider vouched for.
      throw isUniqueViolation(error, 'users') ? linkUsedUp() : error;
    });
  }

  async #find(token: string): Promise<{ email: string; purpose: Purpose }> {
    const { read } = this.#records;
    for (const purpose of purposes) {
      const email = await emailBehind(read, token, purpose);
      if (email !== undefined) return { email, purpose };
    }
    throw linkUsedUp();
  }
}

async function emailBehind(read: Reader, token: string, purpose: Purpose): Promise<string | undefined> {
  const found = await findToken(read, token, purpose);
  if (!found || found.used || found.expired) return undefined;
  return (await findUser(read, found.subject))?.email;
}
