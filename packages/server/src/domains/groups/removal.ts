import { type Remover, rowsOf } from '../deletion/index.ts';

/** What of an account's removal is the groups' part. */
export const groupRemovers: readonly Remover[] = [
  rowsOf('account', 'group_members', { key: 'user_id' }),
  rowsOf('account', 'groups'),
];
