import type { Caller } from '../../../access/caller.ts';
import { onlyAccountOf } from '../../../access/only-account.ts';
import type { PageRequest } from '../../../api/paging.ts';
import { newId } from '../../../base/ids.ts';
import { emailKey } from '../../../base/names.ts';
import { conflict, notFound, Problem } from '../../../base/problem.ts';
import type { Records, Transaction } from '../../../platform/records/records.ts';
import { type Audit, type AuditAction, type AuditEvent, actor } from '../../audit/index.ts';
import { addMember, type Group, lockGroup } from '../../identity/groups/index.ts';
import { spendTokensOf } from '../setup/index.ts';
import { attributesOf, type Invitation, refusalOf, statusOf } from './invitation.ts';
import type { InvitationMails } from './mails.ts';
import {
  endInvitation,
  findInvitation,
  type InvitationList,
  insertInvitation,
  isInGroup,
  listInvitations,
  renewInvitation,
} from './store.ts';

/** Final statuses. */
type FinalStatus = 'ACCEPTED' | 'REJECTED' | 'REVOKED';

/** Actor, for the audit log. */
export type By = { caller: Caller; requestId: string };

type Actor = Pick<AuditEvent, 'userId' | 'via' | 'requestId'>;

const actions: Record<FinalStatus, AuditAction> = {
  ACCEPTED: 'invitations.accept',
  REJECTED: 'invitations.reject',
  REVOKED: 'invitations.revoke',
};

/** Invitations of users into groups. */
export class Invitations {
  readonly #records: Records;
  readonly #audit: Audit;
  readonly #mails: InvitationMails;
  readonly #lifeMs: number;

  constructor(deps: { records: Records; audit: Audit; mails: InvitationMails; lifeMs: number }) {
    this.#records = deps.records;
    this.#audit = deps.audit;
    this.#mails = deps.mails;
    this.#lifeMs = deps.lifeMs;
  }

  find(id: string): Promise<Invitation | undefined> {
    return findInvitation(this.#records.read, id);
  }

  list(caller: Caller, list: InvitationList, page: PageRequest): Promise<Invitation[]> {
    return listInvitations(this.#records.read, caller, list, page);
  }

  /**
   * Invites an address into a group and queues the mail. The result does not reveal whether the address has a
   * user. Throws 409 for a member or a second invitation; 429 above the limit of the account.
   */
  async create(group: Group, email: string, by: By): Promise<Invitation> {
    const id = newId();
    const address = emailKey(email);
    const { userId: inviterId } = by.caller;
    const { account } = group;
    const expiresAt = Date.now() + this.#lifeMs;
    return this.#records.transact(async (tx) => {
      await this.#lock(tx, group);
      await requireOutside(tx, group.id, address);
      await this.#mails.requireFewSent(tx, { account, sender: inviterId, email: address });
      const row = { id, account, group: group.id, email: address, inviterId, expiresAt };
      if (!(await insertInvitation(tx, row))) {
        const message =
          'This address already has an invitation into the group. Send that one again, or revoke it.';
        throw conflict('INVITATION_EXISTS', message);
      }
      await this.#mails.queue(tx, { invitation: id, number: 1, account, sender: inviterId, expiresAt });
      const invitation = await known(tx, id);
      await this.#record(tx, invitation, 'invitations.create', actor(by.caller, by.requestId));
      return invitation;
    });
  }

  /**
   * Accepts, rejects or revokes. The route has checked the right to act; only the invitee accepts and
   * rejects.
   */
  async change(invitation: Invitation, to: FinalStatus, by: By): Promise<Invitation> {
    if (to === 'REVOKED') this.#requireAdministrator(invitation, by);
    else this.#requireInvitee(invitation, by);
    return this.#records.transact(async (tx) => {
      await this.end(tx, invitation, to, { ...actor(by.caller, by.requestId) });
      return known(tx, invitation.id);
    });
  }

  /**
   * Ends an invitation in the caller's transaction, with the audit event last. One of several concurrent
   * calls succeeds.
   */
  async end(tx: Transaction, invitation: Invitation, to: FinalStatus, by: Actor): Promise<void> {
    const { id, account, group } = invitation;
    if (!(await endInvitation(tx, id, to))) throw refusalOf(statusOf(await known(tx, id)));
    await spendTokensOf(tx, id, 'invitation');
    if (to === 'ACCEPTED' && by.userId !== null) {
      await this.#lock(tx, { id: group, account });
      await addMember(tx, { id: group, account }, by.userId);
      await this.#records.announce(tx, `user:${by.userId}`);
    }
    await this.#record(tx, invitation, actions[to], by);
  }

  /**
   * Sends the mail again with a new link and expiry, also after the invitation expired; the old link is void.
   */
  async resend(invitation: Invitation, by: By): Promise<Invitation> {
    const { id, account, group, email } = invitation;
    const sender = by.caller.userId;
    const expiresAt = Date.now() + this.#lifeMs;
    return this.#records.transact(async (tx) => {
      await this.#lock(tx, { id: group, account });
      await this.#mails.requireFewSent(tx, { account, sender, email });
      const number = await renewInvitation(tx, id, expiresAt);
      if (number === undefined) throw refusalOf((await known(tx, id)).status);
      await requireOutside(tx, group, email);
      await this.#mails.queue(tx, { invitation: id, number, account, sender, expiresAt });
      const renewed = await known(tx, id);
      await this.#record(tx, renewed, 'invitations.resend', actor(by.caller, by.requestId));
      return renewed;
    });
  }

  /**
   * Reports whether the caller is the invitee. An address that only an identity provider vouches for counts
   * in its account only.
   */
  isInvitee({ email, account }: Invitation, caller: Caller): boolean {
    const only = caller.emailOnlyIn ?? onlyAccountOf(caller);
    if (only !== undefined && only !== account) return false;
    return email === emailKey(caller.email);
  }

  /** Delays the removal of account and group until the transaction ends; 404 when one is gone. */
  async #lock(tx: Transaction, group: Group): Promise<void> {
    if (!(await lockGroup(tx, this.#records.dialect, group))) throw notFound();
  }

  #requireAdministrator(invitation: Invitation, by: By): void {
    if (by.caller.may('invitations.revoke', attributesOf(invitation))) return;
    const message = 'Revoking needs accessAdmin. To decline the invitation, reject it.';
    throw new Problem(403, 'FORBIDDEN', message);
  }

  #requireInvitee(invitation: Invitation, by: By): void {
    if (this.isInvitee(invitation, by.caller)) return;
    throw new Problem(403, 'FORBIDDEN', 'Only the invited person can accept or reject. You can revoke it.');
  }

  async #record(tx: Transaction, invitation: Invitation, action: AuditAction, by: Actor): Promise<void> {
    const { account, group } = invitation;
    const event = { account, ...by, action, resource: attributesOf(invitation), details: { group } };
    await this.#audit.append(tx, { ...event, outcome: 'done' });
  }
}

async function requireOutside(tx: Transaction, group: string, email: string): Promise<void> {
  if (await isInGroup(tx, group, email))
    throw conflict('ALREADY_MEMBER', 'A member of the group has this address.');
}

async function known(tx: Transaction, id: string): Promise<Invitation> {
  const found = await findInvitation(tx, id);
  if (!found) throw notFound();
  return found;
}
