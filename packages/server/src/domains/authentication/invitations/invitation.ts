import type { Static } from 'typebox';
import { Type } from 'typebox';
import type { Caller } from '../../../access/caller.ts';
import type { ResourceAttributes } from '../../../access/resource.ts';
import { countOf, textOf, timestampShape } from '../../../api/shapes.ts';
import type { ErrorCode } from '../../../base/error-codes/index.ts';
import { timestamp } from '../../../base/ids.ts';
import { conflict, type Problem } from '../../../base/problem.ts';
import type { InvitationMailsTable, InvitationsTable } from '../../../platform/records/schema-invitations.ts';

type InvitationStatus = InvitationsTable['status'];

/** Invitation with the names of its group, account and inviter. */
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
  /** E-mail address; null for a deleted user. */
  inviter: string | null;
  /** Account whose identity provider alone vouches for the inviter's address. */
  inviterClaimedBy: string | null;
  mailNumber: number;
  createdAt: number;
  expiresAt: number;
  delivery: Pick<InvitationMailsTable, 'state' | 'attempts' | 'error'>;
}

/** Invitation in API form. */
export const invitationShape = Type.Object(
  {
    id: textOf('Id of the invitation'),
    status: Type.Union(
      [
        Type.Literal('AWAITING'),
        Type.Literal('ACCEPTED'),
        Type.Literal('REJECTED'),
        Type.Literal('REVOKED'),
        Type.Literal('EXPIRED'),
      ],
      { description: '`AWAITING` until it is answered, revoked or expired' },
    ),
    group: Type.String({ description: 'Id of the group' }),
    groupName: textOf('Name of the group'),
    account: textOf('Id of the account of the group'),
    accountName: textOf('Name of the account'),
    email: Type.String({ description: 'Invited address' }),
    inviter: Type.Optional(
      Type.String({
        description:
          "Omitted if the user was deleted, or if the address is verified only by another account's identity provider",
      }),
    ),
    created: timestampShape,
    expires: timestampShape,
    link: Type.Optional(
      Type.String({
        description:
          'Address of the mail, to pass on to the invited person alone. Only in the answer that makes the link, for an accountAdmin, where no mail server is set and the service has one account',
      }),
    ),
    delivery: Type.Optional(
      Type.Object(
        {
          state: Type.Union(
            [Type.Literal('queued'), Type.Literal('sent'), Type.Literal('outbox'), Type.Literal('failed')],
            {
              description:
                '`sent`: the mail server accepted it; `outbox`: no mail server is set, and it is a file in the folder `outbox` of the data; `failed`: no further attempt follows',
            },
          ),
          attempts: countOf('Attempts to send it'),
          error: Type.Optional(Type.String({ description: 'Error of the last attempt' })),
        },
        { description: 'Delivery of the mail; only with accessAdmin' },
      ),
    ),
  },
  { title: 'Invitation' },
);

/** Returns the attributes that policies test of an invitation. */
export function attributesOf({ id, account, inviterId }: Invitation): ResourceAttributes {
  return { account, type: 'invitation', id, ownerId: inviterId };
}

/** Returns the present status: expiry is computed, not stored. */
export function statusOf({ status, expiresAt }: Invitation): InvitationStatus {
  return status === 'AWAITING' && expiresAt <= Date.now() ? 'EXPIRED' : status;
}

/**
 * Returns the inviter's address as shown outside the account: one that only its provider vouches for is
 * hidden.
 */
export function inviterOutside({ inviter, inviterClaimedBy }: Invitation): string | null {
  return inviterClaimedBy === null ? inviter : null;
}

/** Returns an invitation as the caller may see it. */
export function viewOf(invitation: Invitation, caller: Caller): Static<typeof invitationShape> {
  const { id, group, groupName, account, accountName, email, createdAt, expiresAt } = invitation;
  const inviter = caller.isMember(account) ? invitation.inviter : inviterOutside(invitation);
  const status = statusOf(invitation);
  const { state, attempts, error } = invitation.delivery;
  // A queued mail is not sent once its invitation has ended.
  const isShown =
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
    ...(isShown && { delivery: { state, attempts, ...(error !== null && { error }) } }),
  };
}

function ended(status: InvitationStatus): boolean {
  return status !== 'AWAITING';
}

const refusals: Record<Exclude<InvitationStatus, 'AWAITING'>, [ErrorCode, string]> = {
  ACCEPTED: ['INVITATION_ALREADY_ACCEPTED', 'This invitation was already accepted.'],
  REJECTED: ['INVITATION_ALREADY_REJECTED', 'This invitation was already rejected. Ask for a new one.'],
  REVOKED: ['INVITATION_ALREADY_REVOKED', 'This invitation was revoked. Ask for a new one.'],
  EXPIRED: ['INVITATION_EXPIRED', 'This invitation has expired. Ask for a new one.'],
};

/** Codes of `refusalOf`. */
export const endedCodes: readonly ErrorCode[] = [
  ...Object.values(refusals).map(([code]) => code),
  'INVITATION_CHANGED',
];

/** Explains why an invitation can no longer be changed. */
export function refusalOf(status: InvitationStatus): Problem {
  // The mail was sent again concurrently.
  if (status === 'AWAITING')
    return conflict('INVITATION_CHANGED', 'This invitation was changed at the same moment. Try again.');
  return conflict(...refusals[status]);
}
