import { type Remover, rowsOf } from '../deletion/index.ts';

/** What of an account's removal is the invitations' part. Nobody sees one whose account is gone (store.ts). */
export const invitationRemovers: readonly Remover[] = [
  rowsOf('account', 'invitation_mails', { key: 'invitation_id' }),
  rowsOf('account', 'invitations'),
];
