import { Problem } from '../../../base/problem.ts';
import type { Records, Transaction } from '../../../platform/records/records.ts';
import { newToken } from '../../../platform/secrets/secret-token.ts';
import { type Audit, type ChainReport, verifyChains } from '../../audit/index.ts';
import { createAccount } from '../../identity/accounts/index.ts';
import {
  addMember,
  findGroup,
  findMember,
  findUserFor,
  isMember,
  lockAccount,
} from '../../identity/groups/index.ts';
import { createUser, findNamesakes, findUser } from '../../identity/users/index.ts';
import type { Keys } from '../keys/index.ts';
import { storeToken } from './one-time-links.ts';

/** Operations on the host: access to the data folder is the credential, and each is an audit event. */
export class Admin {
  readonly #records: Records;
  readonly #keys: Keys;
  readonly #audit: Audit;

  constructor(deps: { records: Records; keys: Keys; audit: Audit }) {
    this.#records = deps.records;
    this.#keys = deps.keys;
    this.#audit = deps.audit;
  }

  /** Creates an account, and its owner if unknown. */
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

  /** Adds a user to a group of an account, creating an unknown one. Returns the token of a one-time link. */
  async addUser(input: {
    email: string;
    name?: string;
    account: string;
    group: string;
  }): Promise<{ id: string; token: string }> {
    const linkLifeMs = 7 * 86_400_000;
    return this.#records.transact(async (tx) => {
      const group = await findGroup(tx, input.account, input.group);
      if (!group) throw await missingGroup(tx, input);
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

  /** Creates an API key for a user; the value is returned this once. */
  async addKey(input: {
    user: string;
    account: string;
    name: string;
    expireInDays: number;
  }): Promise<string> {
    const { read } = this.#records;
    if ((await findNamesakes(read, input.user)).length === 0)
      throw missing(`There is no user ${input.user}: \`ploidy admin users add\` creates one.`);
    const { account, name, expireInDays } = input;
    // A key works only for members of the account.
    const user = await findMember(read, account, input.user);
    if (!user) {
      const remedy = '`ploidy admin users add` adds a user to a group of an account';
      throw missing(`${input.user} is no member of an account ${account}: ${remedy}.`);
    }
    const key = await this.#keys.sign({ userId: user.id, account, name, expireInDays });
    await this.#records.transact(async (tx) => {
      // A concurrent end of the membership waits, and then finds the key.
      await lockAccount(tx, account);
      if (!(await isMember(tx, account, user.id)))
        throw missing(`${input.user} is no member of an account ${account} any more.`);
      await key.store(tx);
      const resource = { type: 'key' as const, id: key.key.id };
      const event = { account, userId: user.id, via: 'host', resource, outcome: 'done' as const };
      await this.#audit.append(tx, { ...event, action: 'admin.addKey' });
    });
    return key.value;
  }

  /** Verifies the hash chain of every account. */
  async verifyAudit(): Promise<ChainReport[]> {
    return verifyChains(this.#records.read);
  }
}

async function missingGroup(
  tx: Transaction,
  { account, group }: Record<'account' | 'group', string>,
): Promise<Problem> {
  const rows = await tx
    .selectFrom('groups')
    .select('name')
    .where('account_id', '=', account)
    .orderBy('name')
    .execute();
  const names = rows.map(({ name }) => name).join(', ');
  if (names === '') return missing(`There is no account ${account}.`);
  return missing(`The account ${account} has no group ${group}: its groups are ${names}.`);
}

function missing(message: string): Problem {
  return new Problem(404, 'NOT_FOUND', message);
}
