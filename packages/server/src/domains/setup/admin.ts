import type { Records } from '../../platform/records/records.ts';
import { Problem } from '../../problem.ts';
import { newToken } from '../../secret-token.ts';
import { createAccount } from '../accounts/index.ts';
import { type Audit, type ChainReport, verifyChains } from '../audit/index.ts';
import { addMember, findGroup, findMember, findUserFor, isMember, lockAccount } from '../groups/index.ts';
import type { Keys } from '../keys/index.ts';
import { createUser, findNamesakes, findUser } from '../users/index.ts';
import { storeToken } from './one-time-links.ts';

/** What may be done on the host, by whoever can read the data folder: no credentials, but an audit event each. */
export class Admin {
  readonly #records: Records;
  readonly #keys: Keys;
  readonly #audit: Audit;

  constructor(parts: { records: Records; keys: Keys; audit: Audit }) {
    this.#records = parts.records;
    this.#keys = parts.keys;
    this.#audit = parts.audit;
  }

  /** Makes an account; its owner is made too when he does not exist. */
  async addAccount(input: {
    id?: string;
    name: string;
    owner: string;
  }): Promise<{ id: string; user: string }> {
    return this.#records.transact(async (tx) => {
      const user = (await findUser(tx, input.owner)) ?? (await createUser(tx, input.owner));
      const account = await createAccount(tx, input, user);
      await this.#records.announce(tx, `user:${user.id}`);
      const resource = { type: 'account' as const, id: account.id };
      const event = { account: account.id, userId: user.id, via: 'host', resource, outcome: 'done' as const };
      await this.#audit.append(tx, { ...event, action: 'admin.addAccount' });
      return { id: account.id, user: user.id };
    });
  }

  /** Makes a user, or takes the one there is, and puts him into a group of an account. Answers his one-time link's token. */
  async addUser(input: {
    email: string;
    name?: string;
    account: string;
    group: string;
  }): Promise<{ id: string; token: string }> {
    const linkLifeMs = 7 * 86_400_000;
    return this.#records.transact(async (tx) => {
      const group = await findGroup(tx, input.account, input.group);
      if (!group) {
        throw new Problem(
          404,
          'NOT_FOUND',
          `There is no group ${input.group} in an account ${input.account}.`,
        );
      }
      const found = await findUserFor(tx, input.account, input.email);
      const user = found ?? (await createUser(tx, input.email, input.name ? { name: input.name } : {}));
      await addMember(tx, group, user.id);
      await this.#records.announce(tx, `user:${user.id}`);
      const resource = { type: 'account' as const, id: input.account };
      const event = {
        account: input.account,
        userId: user.id,
        via: 'host',
        resource,
        outcome: 'done' as const,
      };
      await this.#audit.append(tx, { ...event, action: 'admin.addUser', details: { group: group.id } });
      const token = newToken();
      await storeToken(tx, token, { purpose: 'first-password', subject: user.id, lifeMs: linkLifeMs });
      return { id: user.id, token };
    });
  }

  /** Makes an API key for a user; the value is shown this once. */
  async addKey(input: {
    user: string;
    account: string;
    name: string;
    expireInDays: number;
  }): Promise<string> {
    const { read } = this.#records;
    if ((await findNamesakes(read, input.user)).length === 0)
      throw new Problem(404, 'NOT_FOUND', `There is no user ${input.user}.`);
    const { account, name, expireInDays } = input;
    // A key of somebody who is no member of the account would work nowhere.
    const user = await findMember(read, account, input.user);
    if (!user) throw new Problem(404, 'NOT_FOUND', `${input.user} is no member of an account ${account}.`);
    const key = await this.#keys.sign({ userId: user.id, account, name, expireInDays });
    await this.#records.transact(async (tx) => {
      // Whoever takes him out of the account at this moment waits, and finds the key.
      await lockAccount(tx, account);
      if (!(await isMember(tx, account, user.id)))
        throw new Problem(404, 'NOT_FOUND', `${input.user} is no member of an account ${account} any more.`);
      await key.store(tx);
      const resource = { type: 'key' as const, id: key.key.id };
      const event = { account, userId: user.id, via: 'host', resource, outcome: 'done' as const };
      await this.#audit.append(tx, { ...event, action: 'admin.addKey' });
    });
    return key.value;
  }

  /** Walks the hash chain of every account. */
  async verifyAudit(): Promise<ChainReport[]> {
    return verifyChains(this.#records.read);
  }
}
