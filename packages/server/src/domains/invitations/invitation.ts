import type { Caller } from '../../access/caller.ts';
import type { ResourceAttributes } from '../../access/resource.ts';
import { timestamp } from '../../ids.ts';
import type { InvitationMailsTable, InvitationsTable } from '../../platform/records/schema-invitations.ts';
import { conflict, type Problem } from '../../problem.ts';
import type { Static } from '../../schema.ts';
import { Type } from '../../schema.ts';
import { timestampShape } from '../../shapes.ts';

export type InvitationStatus = InvitationsTable['status'];

/** An invitation with the names that people know its parts by. */
export interface Invitation {
  id: string;
  status: InvitationStatus;
  account: string;
  accountName: string;
  group: string;
  groupName: string;
  /** Lower case. */
  email: string;
  inviterId: string;
  /** E-mail address; null when he is no user any more. */
  inviter: string | null;
  /** The account whose identity provider alone says that this address is his. */
  inviterClaimedBy: string | null;
  mailNumber: number;
  createdAt: number;
  expiresAt: number;
  delivery: Pick<InvitationMailsTable, 'state' | 'attempts' | 'error'>;
}

/** An invitation on the wire. */
export const invitationShape = Type.Object(
  {
    id: Type.String(),
    status: Type.Union([
      Type.Literal('AWAITING'),
      Type.Literal('ACCEPTED'),
      Type.Literal('REJECTED'),
      Type.Literal('REVOKED'),
      Type.Literal('EXPIRED'),
    ]),
    group: Type.String({ description: 'Id of the group' }),
    groupName: Type.String(),
    account: Type.String(),
    accountName: Type.String(),
    email: Type.String({ description: 'Who is invited' }),
    inviter: Type.Optional(
      Type.String({
        description:
          'E-mail address; absent when he is no user any more, and outside the account when only its identity provider vouches for it',
      }),
    ),
    created: timestampShape,
    expires: timestampShape,
    delivery: Type.Optional(
      Type.Object(
        {
          state: Type.Union([Type.Literal('queued'), Type.Literal('sent'), Type.Literal('failed')]),
          attempts: Type.Integer(),
          error: Type.Optional(Type.String({ description: 'Why the last attempt failed' })),
        },
        { description: 'What became of the mail; for those with accessAdmin' },
      ),
    ),
  },
  { title: 'Invitation' },
);

/** What policies may ask of it. */
export function attributesOf({ id, account, inviterId }: Invitation): ResourceAttributes {
  return { account, type: 'invitation', id, ownerId: inviterId };
}

/** Its status at present: nothing is written when the time runs out. */
export function statusOf({ status, expiresAt }: Invitation): InvitationStatus {
  return status === 'AWAITING' && expiresAt <= Date.now() ? 'EXPIRED' : status;
}

/** By which address the inviter is named outside the account: what its provider alone says is told to nobody else. */
export function inviterOutside({ inviter, inviterClaimedBy }: Invitation): string | null {
  return inviterClaimedBy === null ? inviter : null;
}

/** An invitation as this caller may see it. */
export function viewOf(invitation: Invitation, caller: Caller): Static<typeof invitationShape> {
  const { id, group, groupName, account, accountName, email, createdAt, expiresAt } = invitation;
  const inviter = caller.isMember(account) ? invitation.inviter : inviterOutside(invitation);
  const status = statusOf(invitation);
  const { state, attempts, error } = invitation.delivery;
  // A mail that still waits is not sent once its invitation has ended.
  const told =
    caller.may('invitations.read', attributesOf(invitation)) && !(state === 'queued' && ended(status));
  return {
    id,
    status,
    group,
    groupName,
    account,
    accountName,
    email,
    ...(inviter !== null && { inviter }),
    created: timestamp(createdAt),
    expires: timestamp(expiresAt),
    ...(told && { delivery: { state, attempts, ...(error !== null && { error }) } }),
  };
}

function ended(status: InvitationStatus): boolean {
  return status !== 'AWAITING';
}

const refusals: Record<Exclude<InvitationStatus, 'AWAITING'>, [string, string]> = {
  ACCEPTED: ['INVITATION_ALREADY_ACCEPTED', 'This invitation has been accepted already.'],
  REJECTED: ['INVITATION_ALREADY_REJECTED', 'This invitation has been rejected already. Ask for a new one.'],
  REVOKED: ['INVITATION_ALREADY_REVOKED', 'This invitation has been taken back. Ask for a new one.'],
  EXPIRED: ['INVITATION_EXPIRED', 'This invitation has expired. Ask for a new one.'],
};

/** Why an invitation cannot be changed any more. */
export function refusalOf(status: InvitationStatus): Problem {
  // Whoever asks has just lost against somebody who sent the mail again.
  if (status === 'AWAITING')
    return conflict('INVITATION_CHANGED', 'This invitation was changed just now. Try again.');
  return conflict(...refusals[status]);
}
