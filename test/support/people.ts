import type { Privilege } from '../../packages/server/src/access/operations.ts';
import { type Core, closeCore, openCore } from '../../packages/server/src/app/core.ts';
import { newId } from '../../packages/server/src/base/ids.ts';
import { readConfig } from '../../packages/server/src/config/config.ts';
import { Admin } from '../../packages/server/src/domains/authentication/setup/index.ts';
import { insertPolicy } from '../../packages/server/src/domains/identity/policies/index.ts';
import { openLog } from '../../packages/server/src/platform/log/log.ts';
import type { Transaction } from '../../packages/server/src/platform/records/records.ts';
import { until } from './until.ts';

/** A user with an API key. */
export interface Person {
  userId: string;
  key: string;
  account: string;
}

/** Makes people and accounts in the records of a service. */
export class People {
  readonly #core: Core;
  readonly #admin: Admin;
  readonly #isHeard: ((key: string) => Promise<boolean>) | undefined;

  private constructor(core: Core, isHeard: ((key: string) => Promise<boolean>) | undefined) {
    this.#core = core;
    this.#isHeard = isHeard;
    this.#admin = new Admin(core);
  }

  /** Users of a service in this process, which sees them at once. */
  static within(core: Core): People {
    return new People(core, undefined);
  }

  /**
   * People of a service in another process, over connections of their own. `settings` are those of the service; `isHeard` asks
   * it whether a new key works yet, since it receives a change in a moment.
   */
  static async open(
    settings: Record<string, string>,
    isHeard?: (key: string) => Promise<boolean>,
  ): Promise<People> {
    return new People(await openCore(readConfig(settings), openLog('silent')), isHeard);
  }

  get records(): Core['records'] {
    return this.#core.records;
  }

  /** Returns the owner of a new account. */
  async owner(account: string): Promise<Person> {
    const { user } = await this.#admin.addAccount({
      id: account,
      name: account,
      owner: `owner@${account}.test`,
    });
    return this.#withKey(user, account);
  }

  /**
   * Returns a member of an account with exactly these privileges, reading own files, and `apiKeyUser` so that the key works.
   */
  async member(account: string, privileges: Privilege[], rule: object = {}): Promise<Person> {
    const email = `${newId()}@${account}.test`;
    const user = await this.#admin.addUser({ email, account, group: 'Subjects' });
    const mine = { 'user.id': { comparison: 'equals', value: user.id }, ...rule };
    const rules = Object.fromEntries(privileges.map((name) => [name, [mine]]));
    const keys = { apiKeyUser: [{ 'user.id': { comparison: 'equals', value: user.id } }] };
    await this.#core.records.transact(async (tx) => {
      await limitSubjects(tx, account);
      await insertPolicy(tx, account, email, { rules: { ...rules, ...keys } } as never);
      await this.#core.records.announce(tx, `access:${account}`);
    });
    return this.#withKey(user.id, account);
  }

  /** Revokes all privileges of a `member`. */
  async withdraw({ account, userId }: Person): Promise<void> {
    await this.#core.records.transact(async (tx) => {
      await tx
        .deleteFrom('policies')
        .where('account_id', '=', account)
        .where('document', 'like', `%${userId}%`)
        .execute();
      await this.#core.records.announce(tx, `access:${account}`);
    });
  }

  /** A new user with the one-time link that sets the first password. */
  link(email: string): Promise<{ id: string; token: string }> {
    return this.#admin.addUser({ email, account: 'main', group: 'Users' });
  }

  /** Creates a user's key for an account of the user. */
  key(user: string, account: string): Promise<string> {
    return this.#admin.addKey({ user, account, name: 'test', expireInDays: 1 });
  }

  async #withKey(userId: string, account: string): Promise<Person> {
    const key = await this.key(userId, account);
    if (this.#isHeard) await until(async () => (await this.#isHeard?.(key)) === true, 'a new key works');
    return { userId, key, account };
  }

  async close(): Promise<void> {
    await closeCore(this.#core);
  }
}

/** Reduces the rights of Subjects, the group of all members in tests, to reading. */
async function limitSubjects(tx: Transaction, account: string): Promise<void> {
  const subjects = tx
    .selectFrom('policies')
    .select(['id', 'document'])
    .where('account_id', '=', account)
    .where('name', '=', 'Subject Access');
  for (const { id, document } of await subjects.execute()) {
    const { readData } = JSON.parse(document).rules;
    const limited = JSON.stringify({ rules: { readData } });
    await tx.updateTable('policies').set({ document: limited }).where('id', '=', id).execute();
  }
}
