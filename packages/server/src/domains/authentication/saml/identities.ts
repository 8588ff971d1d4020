import type { Problem } from '../../../base/problem.ts';
import { isUniqueViolation } from '../../../platform/records/errors.ts';
import type { Reader, Records, Transaction } from '../../../platform/records/records.ts';
import type { Audit } from '../../audit/index.ts';
import { addMember, findGroup, isMember, lockAccount, lockGroup } from '../../identity/groups/index.ts';
import { createUser, findNamesakes, findUserById, type User } from '../../identity/users/index.ts';
import type { ProvidedPerson } from './messages/attributes.ts';
import { refused } from './messages/refusal.ts';
import { followGroups } from './provided-groups.ts';
import { idOf } from './requests.ts';

/** Group of new users of an identity provider, with access to their own data. */
const firstGroup = 'Subjects';

/** Origin of a provided user. */
export interface Origin {
  account: string;
  entityId: string;
  client: string;
  requestId: string;
  /** `groupOfProvider=group` each, as the client is configured. */
  groupMapping: readonly string[];
}

/** User whom a provider vouches for. */
export interface Vouched {
  /** Absent for a new user, who is created later. */
  userId: string | undefined;
  email: string;
  /** True when the address counts in this account only. */
  claimed: boolean;
}

/**
 * Users of the persons whom an account's identity provider vouches for. A provider acts for its account
 * alone: its operator can make it assert anything, so its assertions never reach users outside the account.
 */
export class Identities {
  readonly #records: Records;
  readonly #audit: Audit;

  constructor(records: Records, audit: Audit) {
    this.#records = records;
    this.#audit = audit;
  }

  /** Returns the user, created or linked at the first sign-in. Throws 403 when the user may not sign in. */
  async userOf(person: ProvidedPerson, origin: Origin): Promise<string> {
    try {
      return await this.#records.transact((tx) => this.#userOf(tx, person, origin));
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      // A concurrent first sign-in has created the user.
      return this.#records.transact((tx) => this.#userOf(tx, person, origin));
    }
  }

  /** Finds the user that `userOf` would return, without creating or linking. Throws 403 likewise. */
  async find(
    person: ProvidedPerson,
    { account, entityId }: Pick<Origin, 'account' | 'entityId'>,
  ): Promise<Vouched> {
    const { read } = this.#records;
    const { id } = named(person, { account, entityId });
    const email = person.email ?? '';
    const present = (await known(read, id, account)) ?? (await this.#present(read, person, account));
    const user = present === undefined ? undefined : await findUserById(read, present);
    if (user) return { userId: user.id, email: user.email, claimed: user.claimedBy !== undefined };
    return { userId: undefined, email, claimed: true };
  }

  async #userOf(tx: Transaction, person: ProvidedPerson, origin: Origin): Promise<string> {
    const { account, entityId } = origin;
    const { id, subject } = named(person, origin);
    const now = Date.now();
    const userKnown = await known(tx, id, account);
    if (userKnown !== undefined) {
      await tx.updateTable('saml_identities').set({ seen_at: now }).where('id', '=', id).execute();
      await this.#follow(tx, userKnown, person, origin);
      return userKnown;
    }
    // The link of an invitation may create the user at this moment: it waits for the same lock.
    await lockAccount(tx, account);
    const present = await this.#present(tx, person, account);
    const userId = present ?? (await this.#newUser(tx, person, account));
    const made = { account_id: account, entity_id: entityId, subject, user_id: userId };
    await tx
      .insertInto('saml_identities')
      .values({ ...made, id, created_at: now, seen_at: now })
      .execute();
    await this.#follow(tx, userId, person, origin);
    await this.#record(tx, userId, origin, present === undefined);
    return userId;
  }

  /** Gives a user whose last group is of the provider the first one, which the account's administrators may take. */
  async #follow(tx: Transaction, id: string, { groups }: ProvidedPerson, origin: Origin): Promise<void> {
    const { groupMapping, account } = origin;
    if (groupMapping.length === 0) return;
    const group = await findGroup(tx, account, firstGroup);
    if (group && groups?.length === 0) await addMember(tx, group, id);
    await followGroups(
      tx,
      { records: this.#records, audit: this.#audit },
      { id, groups },
      groupMapping,
      origin,
    );
  }

  /**
   * Finds the user of the address in this account: the one it claims the address for, or the member who owns
   * it. Users outside the account are ignored. Throws 403 for a former member.
   */
  async #present(
    tx: Reader | Transaction,
    { email }: ProvidedPerson,
    account: string,
  ): Promise<string | undefined> {
    if (email === undefined) throw unnamed();
    const namesakes = await findNamesakes(tx, email);
    if (namesakes.some(({ type }) => type !== 'person')) throw uninvited();
    const own = namesakes.find(({ claimedBy }) => claimedBy === account);
    const owner = namesakes.find(({ claimedBy }) => claimedBy === undefined);
    for (const user of [own, owner]) if (user && (await isMember(tx, account, user.id))) return user.id;
    if (own || (owner && (await cameBefore(tx, account, owner)))) throw uninvited();
    return undefined;
  }

  /** Creates a user. The e-mail address is asserted, not proven: it counts in this account only. */
  async #newUser(tx: Transaction, { email = '', profile }: ProvidedPerson, account: string): Promise<string> {
    const group = await findGroup(tx, account, firstGroup);
    if (!group || !(await lockGroup(tx, this.#records.dialect, group))) throw uninvited();
    const { id } = await createUser(tx, email, profile, { claimedBy: account });
    await addMember(tx, group, id);
    await this.#records.announce(tx, `user:${id}`);
    return id;
  }

  async #record(tx: Transaction, userId: string, origin: Origin, made: boolean): Promise<void> {
    const { account, client, requestId } = origin;
    await this.#audit.append(tx, {
      account,
      userId,
      via: 'saml',
      action: made ? 'saml.makeUser' : 'saml.linkUser',
      resource: { type: 'client', id: client },
      outcome: 'done',
      requestId,
    });
  }
}

/** Returns the key of the person at the provider. Throws 403 without one. */
function named(
  { subject }: ProvidedPerson,
  { account, entityId }: Pick<Origin, 'account' | 'entityId'>,
): { id: string; subject: string } {
  if (subject === undefined) throw unnamed();
  return { id: idOf(account, entityId, subject), subject };
}

/** Finds the user that the provider signed in under this key before. Throws 403 for a former member. */
async function known(read: Reader | Transaction, id: string, account: string): Promise<string | undefined> {
  const row = await read
    .selectFrom('saml_identities')
    .select('user_id')
    .where('id', '=', id)
    .executeTakeFirst();
  if (row && !(await isMember(read, account, row.user_id))) throw uninvited();
  return row?.user_id;
}

/** Reports whether a user joined the account by its providers or an invitation before. Other ways leave no record. */
async function cameBefore(tx: Reader | Transaction, account: string, { id, email }: User): Promise<boolean> {
  const led = tx
    .selectFrom('saml_identities')
    .select('id')
    .where('account_id', '=', account)
    .where('user_id', '=', id);
  const invited = tx
    .selectFrom('invitations')
    .select('id')
    .where('account_id', '=', account)
    .where('email', '=', email)
    .where('status', '=', 'ACCEPTED');
  return (await led.unionAll(invited).executeTakeFirst()) !== undefined;
}

function unnamed(): Problem {
  return refused(
    'SAML_NO_EMAIL',
    'The identity provider does not send your e-mail address. Its administrator can send it as the attribute mail, or the administrator of the application can map another one.',
  );
}

function uninvited(): Problem {
  return refused(
    'SAML_INVITATION_NEEDED',
    'The identity provider alone does not admit you to this account. Ask one of its administrators for an invitation, accept it, and sign in again.',
  );
}
