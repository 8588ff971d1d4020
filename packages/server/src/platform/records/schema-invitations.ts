/** Epoch milliseconds. */
type Time = number;

/** Invitations of people into groups (domains/authentication/invitations). */
export interface InvitationsTable {
  id: string;
  account_id: string;
  group_id: string;
  /** Lower case. At most one that is `AWAITING` for a group and an address. */
  email: string;
  inviter_id: string;
  /** `EXPIRED` is written only when a newer one replaces it; before, `expires_at` decides. */
  status: 'AWAITING' | 'ACCEPTED' | 'REJECTED' | 'REVOKED' | 'EXPIRED';
  /** Number of its newest mail: 1, 2, 3 … */
  mail_number: number;
  created_at: Time;
  expires_at: Time;
  ended_at: Time | null;
}

/** The mails of invitations: their delivery, and how many an account sent lately. */
export interface InvitationMailsTable {
  invitation_id: string;
  number: number;
  account_id: string;
  sender_id: string;
  state: 'queued' | 'sent' | 'outbox' | 'failed';
  attempts: number;
  /** A sentence without the address. */
  error: string | null;
  created_at: Time;
}

export interface InvitationTables {
  invitations: InvitationsTable;
  invitation_mails: InvitationMailsTable;
}
