import { createHmac, randomBytes } from 'node:crypto';
import type { Transaction } from '../../../../platform/records/records.ts';
import { toBase32 } from './base32.ts';

const codesMax = 10;
/** 50 bits; attempts are few and slow. */
const codeLength = 10;

/** Normalises a code for comparison: without hyphens and spaces, upper case. */
function normalised(code: string): string {
  return code.toUpperCase().replace(/[^A-Z0-9]/g, '');
}

/** Replaces the codes of a user and returns the new ones, this once. */
export async function renewRecoveryCodes(
  tx: Transaction,
  key: Uint8Array,
  userId: string,
): Promise<string[]> {
  const codes = Array.from({ length: codesMax }, () => toBase32(randomBytes(8)).slice(0, codeLength));
  await tx.deleteFrom('recovery_codes').where('user_id', '=', userId).execute();
  await tx
    .insertInto('recovery_codes')
    .values(codes.map((code) => ({ id: idOf(key, userId, code), user_id: userId, used_at: null })))
    .execute();
  return codes.map((code) => `${code.slice(0, 5)}-${code.slice(5)}`);
}

/** Uses up a code; false when it is unknown or used. One of two concurrent calls succeeds. */
export async function useRecoveryCode(
  tx: Transaction,
  key: Uint8Array,
  userId: string,
  code: string,
): Promise<boolean> {
  const used = await tx
    .updateTable('recovery_codes')
    .set({ used_at: Date.now() })
    .where('id', '=', idOf(key, userId, normalised(code)))
    .where('used_at', 'is', null)
    .executeTakeFirst();
  return used.numUpdatedRows === 1n;
}

function idOf(key: Uint8Array, userId: string, code: string): string {
  return createHmac('sha256', key).update(`${userId}:${code}`).digest('hex');
}
