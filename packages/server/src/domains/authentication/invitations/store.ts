import { sql } from 'kysely';
import type { Caller } from '../../../access/caller.ts';
import { listFilter } from '../../../access/filter.ts';
import { onlyAccountOf } from '../../../access/only-account.ts';
import type { PageRequest } from '../../../api/paging.ts';
import type { Reader, Transaction } from '../../../platform/records/records.ts';
import { type Remover, rowsOf } from '../../deletion/index.ts';
import type { Invitation } from './invitation.ts';

type Handle = Reader | Transaction;

/** Finds an invitation; `undefined` also when its group or account is gone. */
export async function findInvitation(read: Handle, id: string): Promise<Invitation | undefined> {
  const row = await invitationQuery(read).where('invitations.id', '=', id).executeTakeFirst();
  return row && toInvitation(row);
}

/** Filter of a list. */
export interface InvitationList {
  /**
   * `received`: by the caller. `sent`: by the caller. `all`: those the caller administers, from any inviter.
   */
  which: 'received' | 'sent' | 'all';
  /** Empty for all accounts. */
  account: string;
}

/** Lists invitations newest first, one row more than the page. */
export async function listInvitations(
  read: Reader,
  caller: Caller,
  { which, account }: InvitationList,
  page: PageRequest,
): Promise<Invitation[]> {
  let query = invitationQuery(read)
    .orderBy('invitations.id', 'desc')
    .limit(page.size + 1);
  if (account !== '') query = query.where('invitations.account_id', '=', account);
  if (which === 'received') query = query.where('invitations.email', '=', caller.email);
  const only = caller.emailOnlyIn ?? onlyAccountOf(caller);
  if (which === 'received' && only !== undefined) query = query.where('invitations.account_id', '=', only);
  if (which === 'sent') query = query.where('invitations.inviter_id', '=', caller.userId);
  if (which === 'all') {
    query = query.where((where) =>
      listFilter(caller, account, ['accessAdmin'], {
        columns: {
          'resource.id': where.ref('invitations.id'),
          'resource.ownerId': where.ref('invitations.inviter_id'),
        },
        constants: { 'resource.account': account, 'resource.type': 'invitation' },
      }),
    );
  }
  const [after] = page.after ?? [];
  if (after !== undefined) query = query.where('invitations.id', '<', String(after));
  return (await query.execute()).map(toInvitation);
}

/** Reports whether a user with this address is in the group. */
export async function isInGroup(tx: Transaction, group: string, email: string): Promise<boolean> {
  const row = await tx
    .selectFrom('group_members')
    .innerJoin('users', 'users.id', 'group_members.user_id')
    .select('users.id')
    .where('group_members.group_id', '=', group)
    .where('users.email', '=', email)
    .executeTakeFirst();
  return row !== undefined;
}

/** Adds an invitation, unless one to the same group and address is open. Returns whether it did. */
export async function insertInvitation(
  tx: Transaction,
  row: { id: string; account: string; group: string; email: string; inviterId: string; expiresAt: number },
): Promise<boolean> {
  const now = Date.now();
  await tx
    .updateTable('invitations')
    .set({ status: 'EXPIRED', ended_at: now })
    .where('group_id', '=', row.group)
    .where('email', '=', row.email)
    .where('status', '=', 'AWAITING')
    .where('expires_at', '<=', now)
    .execute();
  const result = await tx
    .insertInto('invitations')
    .values({
      id: row.id,
      account_id: row.account,
      group_id: row.group,
      email: row.email,
      inviter_id: row.inviterId,
      status: 'AWAITING',
      mail_number: 1,
      created_at: now,
      expires_at: row.expiresAt,
      ended_at: null,
    })
    .onConflict((taken) =>
      taken.columns(['group_id', 'email']).where('status', '=', sql.lit('AWAITING')).doNothing(),
    )
    .executeTakeFirst();
  return result.numInsertedOrUpdatedRows === 1n;
}

/** Ends an open invitation. One of several concurrent calls returns `true`. */
export async function endInvitation(
  tx: Transaction,
  id: string,
  status: 'ACCEPTED' | 'REJECTED' | 'REVOKED',
): Promise<boolean> {
  const now = Date.now();
  const result = await tx
    .updateTable('invitations')
    .set({ status, ended_at: now })
    .where('id', '=', id)
    .where('status', '=', 'AWAITING')
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/**
 * Renews an unanswered invitation, also an expired one, with its next mail. `undefined` once it has ended.
 */
export async function renewInvitation(
  tx: Transaction,
  id: string,
  expiresAt: number,
): Promise<number | undefined> {
  const row = await tx
    .updateTable('invitations')
    .set(({ eb }) => ({ expires_at: expiresAt, mail_number: eb('mail_number', '+', 1) }))
    .where('id', '=', id)
    .where('status', '=', 'AWAITING')
    .returning('mail_number')
    .executeTakeFirst();
  return row?.mail_number;
}

/** Removes the invitations of removed groups: addresses are not kept without a reason. */
export async function sweepOrphans(tx: Transaction): Promise<void> {
  await tx
    .deleteFrom('invitations')
    .where(({ not, exists, selectFrom, ref }) =>
      not(
        exists(
          selectFrom('groups')
            .select('groups.id')
            .where('groups.id', '=', ref('invitations.group_id'))
            .where('groups.account_id', '=', ref('invitations.account_id')),
        ),
      ),
    )
    .execute();
  await tx
    .deleteFrom('invitation_mails')
    .where(({ not, exists, selectFrom, ref }) =>
      not(
        exists(
          selectFrom('invitations')
            .select('invitations.id')
            .where('invitations.id', '=', ref('invitation_mails.invitation_id')),
        ),
      ),
    )
    .execute();
}

function invitationQuery(db: Handle) {
  return db
    .selectFrom('invitations')
    .innerJoin('accounts', 'accounts.id', 'invitations.account_id')
    .innerJoin('groups', (join) =>
      join
        .onRef('groups.id', '=', 'invitations.group_id')
        .onRef('groups.account_id', '=', 'invitations.account_id'),
    )
    .leftJoin('users', 'users.id', 'invitations.inviter_id')
    .leftJoin('invitation_mails', (join) =>
      join
        .onRef('invitation_mails.invitation_id', '=', 'invitations.id')
        .onRef('invitation_mails.number', '=', 'invitations.mail_number'),
    )
    .select([
      'invitations.id',
      'invitations.status',
      'invitations.account_id as account',
      'accounts.name as accountName',
      'invitations.group_id as group',
      'groups.name as groupName',
      'invitations.email',
      'invitations.inviter_id as inviterId',
      'users.email as inviter',
      'users.email_claimed_by as inviterClaimedBy',
      'invitations.mail_number as mailNumber',
      'invitations.created_at as createdAt',
      'invitations.expires_at as expiresAt',
      'invitation_mails.state',
      'invitation_mails.attempts',
      'invitation_mails.error',
    ]);
}

type Row = Awaited<ReturnType<ReturnType<typeof invitationQuery>['executeTakeFirstOrThrow']>>;

function toInvitation({ state, attempts, error, ...rest }: Row): Invitation {
  return { ...rest, delivery: { state: state ?? 'queued', attempts: attempts ?? 0, error } };
}

/** Removes the invitations of an account, hidden since the account is gone (`findInvitation`). */
export const invitationRemovers: readonly Remover[] = [
  rowsOf('account', 'invitation_mails', { key: 'invitation_id' }),
  rowsOf('account', 'invitations'),
];
