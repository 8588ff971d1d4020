import { type Remover, rowsOf } from '../deletion/index.ts';

/** What of an account's removal is the policies' part. */
export const policyRemovers: readonly Remover[] = [rowsOf('account', 'policies')];
