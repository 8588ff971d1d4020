import { hash } from '@node-rs/argon2';
import type { Records } from '../../platform/records/records.ts';
import { Problem } from '../../problem.ts';
import type { Audit } from '../audit/index.ts';
import { spendToken, tokenUser } from './one-time-links.ts';

/** Argon2id as OWASP's password storage cheat sheet names it: 19 MiB, 2 passes. */
const argon2id = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** NIST SP 800-63B §5.1.1: length is what counts; no rules of composition. */
export const passwordLengthMin = 10;
export const passwordLengthMax = 256;

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
    const user = await tokenUser(this.#records.read, token);
    if (!user) throw linkUsedUp();
    return user;
  }

  /** Uses up the link and stores the password's hash. */
  async set(token: string, password: string, requestId: string): Promise<void> {
    await this.whose(token);
    const password_hash = await hash(password.normalize('NFKC'), argon2id);
    await this.#records.transact(async (tx) => {
      const userId = await spendToken(tx, token);
      if (!userId) throw linkUsedUp();
      await tx.updateTable('users').set({ password_hash }).where('id', '=', userId).execute();
      const accounts = await tx
        .selectFrom('group_members')
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
