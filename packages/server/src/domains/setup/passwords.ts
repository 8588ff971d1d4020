import { isUniqueViolation } from '../../platform/records/errors.ts';
import type { Reader, Records, Transaction } from '../../platform/records/records.ts';
import { Problem } from '../../problem.ts';
import type { Audit } from '../audit/index.ts';
import { accountsOf } from '../groups/index.ts';
import { hashPassword } from '../passwords/index.ts';
import { findUser, ownEmail, proveEmail } from '../users/index.ts';
import { findToken, type LinkPurpose, spendToken, spendTokensOf } from './one-time-links.ts';

const linkUsedUp = () =>
  new Problem(
    403,
    'LINK_INVALID',
    'This link is not valid any more. Ask for a new one: "Forgotten your password?" on the sign-in page, or whoever runs the service.',
  );

/** Both lead to the same page; the one that came by mail proves the address as well. */
const purposes = ['first-password', 'new-password'] as const satisfies LinkPurpose[];
type Purpose = (typeof purposes)[number];

/** Sets passwords through one-time links. */
export class Passwords {
  readonly #records: Records;
  readonly #audit: Audit;
  /** What else happens when a link has set a password, in the same transaction: what was signed in before ends. */
  readonly changed: ((tx: Transaction, userId: string) => Promise<void>)[] = [];

  constructor(records: Records, audit: Audit) {
    this.#records = records;
    this.#audit = audit;
  }

  /** The e-mail address behind a link that still works; Problem 403 otherwise. */
  async whose(token: string): Promise<string> {
    return (await this.#find(token)).email;
  }

  /** Uses up the link and stores the password's hash. Further links of the user stop working. Answers his id. */
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
      // The address, which only an identity provider vouched for, has become somebody else's meanwhile.
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
