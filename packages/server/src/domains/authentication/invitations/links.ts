import { conflict, Problem } from '../../../base/problem.ts';
import { isUniqueViolation } from '../../../platform/records/errors.ts';
import type { Reader, Records, Transaction } from '../../../platform/records/records.ts';
import { findUserFor, lockAccount } from '../../identity/groups/index.ts';
import { createUser, findUser, proveEmail } from '../../identity/users/index.ts';
import { findToken, spendToken } from '../setup/index.ts';
import { hashPassword } from '../sign-in/passwords/index.ts';
import { type Invitation, refusalOf, statusOf } from './invitation.ts';
import type { Invitations } from './invitations.ts';
import { findInvitation } from './store.ts';

/** Target of a link, while it is valid. */
export interface LinkedInvitation {
  invitation: Invitation;
  /** Reports whether the address has a user; otherwise accepting creates one and needs a password. */
  hasUser: boolean;
}

interface LinkAnswer {
  accept: boolean;
  /** Required for an address without a user. */
  password?: string;
  requestId: string;
}

const linkInvalid = () =>
  new Problem(403, 'LINK_INVALID', 'This link is not valid. Ask for a new invitation.');
const linkReplaced = () =>
  conflict('LINK_REPLACED', 'This link was replaced by a newer one. Use the link in the last mail.');

/** Invitations answered by the link in their mail, which proves access to the mailbox. */
export class InvitationLinks {
  readonly #records: Records;
  readonly #invitations: Invitations;

  constructor(records: Records, invitations: Invitations) {
    this.#records = records;
    this.#invitations = invitations;
  }

  /**
   * Returns the target of a link. Changes nothing: mail scanners fetch links. Throws 403 or 409 with the
   * reason when it is invalid.
   */
  find(token: string): Promise<LinkedInvitation> {
    return linked(this.#records.read, token);
  }

  /**
   * Accepts or rejects, and uses up the link. For an address without a user, one transaction sets the
   * password, the user, the membership and the status.
   */
  async answer(token: string, answer: LinkAnswer): Promise<Invitation> {
    const { hasUser } = await this.find(token);
    const passwordHash = answer.accept && !hasUser ? await hashPassword(answer.password ?? '') : undefined;
    try {
      return await this.#answer(token, answer, passwordHash);
    } catch (error) {
      if (isUniqueViolation(error, 'users')) throw userAppeared();
      throw error;
    }
  }

  #answer(token: string, answer: LinkAnswer, passwordHash: string | undefined): Promise<Invitation> {
    return this.#records.transact(async (tx) => {
      if (!(await spendToken(tx, token, 'invitation'))) throw await refusal(tx, token);
      const { invitation } = await linked(tx, token, true);
      // A first sign-in by the identity provider at this moment waits for the same lock.
      await lockAccount(tx, invitation.account);
      const user = await findUserFor(tx, invitation.account, invitation.email);
      // A link sets the password of a new user only: for others it would bypass theirs.
      if (user && passwordHash !== undefined) throw userAppeared();
      const userId = user?.id ?? (answer.accept ? await newUser(tx, invitation.email, passwordHash) : null);
      // A member known by the address may not own it: then the owner of the address stays unchanged.
      const owner = await findUser(tx, invitation.email);
      const free = owner === undefined || owner.id === userId;
      if (answer.accept && userId !== null && free) await proveEmail(tx, userId);
      const by = { userId, via: 'link', requestId: answer.requestId };
      await this.#invitations.end(tx, invitation, answer.accept ? 'ACCEPTED' : 'REJECTED', by);
      return invitation;
    });
  }
}

async function newUser(tx: Transaction, email: string, passwordHash: string | undefined): Promise<string> {
  // The user existed when the form was checked and is gone now.
  if (passwordHash === undefined) throw conflict('USER_GONE', 'Open the link in your mail again.');
  const { id } = await createUser(tx, email);
  await tx.updateTable('users').set({ password_hash: passwordHash }).where('id', '=', id).execute();
  return id;
}

function userAppeared(): Problem {
  const message = 'A user with your address was created meanwhile. Open the link in your mail again.';
  return conflict('USER_EXISTS', message);
}

async function linked(
  read: Reader | Transaction,
  token: string,
  justSpent = false,
): Promise<LinkedInvitation> {
  const known = await findToken(read, token, 'invitation');
  const invitation = known && (await findInvitation(read, known.subject));
  if (!known || !invitation) throw linkInvalid();
  const status = statusOf(invitation);
  if (status !== 'AWAITING') throw refusalOf(status);
  if ((known.used && !justSpent) || known.expired) throw linkReplaced();
  return {
    invitation,
    hasUser: (await findUserFor(read, invitation.account, invitation.email)) !== undefined,
  };
}

/** Explains why a link that cannot be spent is invalid. */
async function refusal(tx: Transaction, token: string): Promise<unknown> {
  return linked(tx, token).then(linkReplaced, (error: unknown) => error);
}
