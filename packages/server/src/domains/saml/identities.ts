import { isUniqueViolation } from '../../platform/records/errors.ts';
import type { Reader, Records, Transaction } from '../../platform/records/records.ts';
import type { Problem } from '../../problem.ts';
import type { Audit } from '../audit/index.ts';
import { addMember, findGroup, isMember, keepGroup, lockAccount } from '../groups/index.ts';
import { createUser, findNamesakes, findUserById, type User } from '../users/index.ts';
import type { ProvidedPerson } from './attributes.ts';
import { refused } from './refusal.ts';
import { idOf } from './requests.ts';

/** The group that people join who come through an identity provider: it sees what is its own. */
const firstGroup = 'Subjects';

/** Where somebody comes from. */
export interface Origin {
  account: string;
  entityId: string;
  client: string;
  requestId: string;
}

/** Somebody whom a provider vouches for, as this service knows him. */
export interface Vouched {
  /** Absent when he comes for the first time, and is made then. */
  userId: string | undefined;
  email: string;
  /** Whether the address is his in this account only. */
  claimed: boolean;
}

/**
 * Which user somebody is whom an account's identity provider vouches for. The provider speaks for its account alone: whoever sets
 * one up can let it say anything, so what it says never reaches a user who has nothing to do with the account.
 */
export class Identities {
  readonly #records: Records;
  readonly #audit: Audit;

  constructor(records: Records, audit: Audit) {
    this.#records = records;
    this.#audit = audit;
  }

  /** The user, made or linked when the person comes for the first time. Problem 403 when he may not come in. */
  async userOf(person: ProvidedPerson, origin: Origin): Promise<string> {
    try {
      return await this.#records.transact((tx) => this.#userOf(tx, person, origin));
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      // Somebody came twice at once for the first time: by now he is known.
      return this.#records.transact((tx) => this.#userOf(tx, person, origin));
    }
  }

  /** Whom `userOf` would answer, with nothing made or linked yet. Problem 403 as there. */
  async whom(person: ProvidedPerson, { account, entityId }: Origin): Promise<Vouched> {
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
      return userKnown;
    }
    // He may be made by the link of an invitation at this moment: it waits here too.
    await lockAccount(tx, account);
    const present = await this.#present(tx, person, account);
    const userId = present ?? (await this.#newUser(tx, person, account));
    const made = { account_id: account, entity_id: entityId, subject, user_id: userId };
    await tx
      .insertInto('saml_identities')
      .values({ ...made, id, created_at: now, seen_at: now })
      .execute();
    await this.#tell(tx, userId, origin, present === undefined);
    return userId;
  }

  /**
   * The user whom the address means in this account: the one for whom the account claims it itself, or the member whose address it is.
   * Users who have nothing to do with the account are as if they were not there. Problem 403 for somebody who has left it.
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

  /** His e-mail address is what the provider says, not proven: it counts in this account only, whoever else has it. */
  async #newUser(tx: Transaction, { email = '', profile }: ProvidedPerson, account: string): Promise<string> {
    const group = await findGroup(tx, account, firstGroup);
    if (!group || !(await keepGroup(tx, this.#records.dialect, group))) throw uninvited();
    const { id } = await createUser(tx, email, profile, { claimedBy: account });
    await addMember(tx, group, id);
    await this.#records.announce(tx, `user:${id}`);
    return id;
  }

  async #tell(tx: Transaction, userId: string, origin: Origin, made: boolean): Promise<void> {
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

/** Under what the provider knows him. Problem 403 when it does not say. */
function named(
  { subject }: ProvidedPerson,
  { account, entityId }: Pick<Origin, 'account' | 'entityId'>,
): { id: string; subject: string } {
  if (subject === undefined) throw unnamed();
  return { id: idOf(account, entityId, subject), subject };
}

/** The user whom the provider has led in under this before. Problem 403 for somebody who has left the account. */
async function known(read: Reader | Transaction, id: string, account: string): Promise<string | undefined> {
  const row = await read
    .selectFrom('saml_identities')
    .select('user_id')
    .where('id', '=', id)
    .executeTakeFirst();
  if (row && !(await isMember(read, account, row.user_id))) throw uninvited();
  return row?.user_id;
}

/** Whether this user was led into the account by its providers before, or by an invitation. Of other ways nothing is kept. */
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
    'The identity provider does not tell your e-mail address. Its administrator can send it as the attribute mail, or whoever set up the application can map another one.',
  );
}

function uninvited(): Problem {
  return refused(
    'SAML_INVITATION_NEEDED',
    'You cannot come into this account by the identity provider alone. Ask one of its administrators for an invitation, accept it, and sign in again.',
  );
}
