import type { Records } from '../../platform/records/records.ts';
import { Problem } from '../../problem.ts';
import type { Audit } from '../audit/index.ts';
import { findUser } from '../users/index.ts';
import { findToken, spendToken } from './one-time-links.ts';
import { hashPassword } from './password-form.ts';

const linkUsedUp = () =>
  new Problem(
    403,
    'LINK_INVALID',
    'This link is not valid any more. Ask for a new one: ploidy admin users add.',
  );

/** Sets passwords through one-time links. */
export class Passwords {
  readonly #records: Records;
  readonly #audit: Audit;

  constructor(records: Records, audit: Audit) {
    this.#records = records;
    this.#audit = audit;
  }

  /** The e-mail address behind a link that still works; Problem 403 otherwise. */
  async whose(token: string): Promise<string> {
    const { read } = this.#records;
    const found = await findToken(read, token, 'first-password');
    const user = found && !found.used && !found.expired && (await findUser(read, found.subject));
    if (!user) throw linkUsedUp();
    return user.email;
  }

  /** Uses up the link and stores the password's hash. */
  async set(token: string, password: string, requestId: string): Promise<void> {
    await this.whose(token);
    const password_hash = await hashPassword(password);
    await this.#records.transact(async (tx) => {
      const userId = await spendToken(tx, token, 'first-password');
      if (!userId) throw linkUsedUp();
      await tx.updateTable('users').set({ password_hash }).where('id', '=', userId).execute();
      const accounts = await tx
        .selectFrom('group_members')
        .innerJoin('accounts', 'accounts.id', 'group_members.account_id')
        .select('account_id')
        .distinct()
        .where('user_id', '=', userId)
        .orderBy('account_id')
        .execute();
      for (const { account_id } of accounts) {
        const resource = { type: 'account' as const, id: account_id };
        const event = { account: account_id, userId, via: 'link', resource, requestId };
        await this.#audit.append(tx, { ...event, action: 'setup.password', outcome: 'done' });
      }
    });
  }
}
