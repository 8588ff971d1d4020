import type { Records, Transaction } from '../../../../platform/records/records.ts';
import { sealedColumn } from '../../../../platform/secrets/sealed-column.ts';
import type { Secrets } from '../../../../platform/secrets/secrets.ts';
import { renewRecoveryCodes, useRecoveryCode } from './recovery-codes.ts';
import { matchingStep } from './totp.ts';

const contextOf = (userId: string): string => `second-factor:${userId}`;

export const sealedSecondFactors = sealedColumn('second_factors', 'secret_sealed', contextOf, 'user_id');

/** Second factor of users: codes of an authenticator, and recovery codes. */
export class SecondFactors {
  readonly #records: Records;
  readonly #secrets: Secrets;
  readonly #recoveryKey: Buffer;
  readonly #now: () => number;

  constructor(records: Records, secrets: Secrets, now: () => number = Date.now) {
    this.#records = records;
    this.#secrets = secrets;
    this.#recoveryKey = secrets.derive('recovery-codes');
    this.#now = now;
  }

  async isOn(userId: string): Promise<boolean> {
    return (await this.#find(userId)) !== undefined;
  }

  /** Returns the number of unused recovery codes. */
  async codesLeft(userId: string): Promise<number> {
    const row = await this.#records.read
      .selectFrom('recovery_codes')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('user_id', '=', userId)
      .where('used_at', 'is', null)
      .executeTakeFirstOrThrow();
    return Number(row.count);
  }

  /** Reports whether a code matches a secret now: checked before enabling, against lock-outs. */
  matches(secret: string, code: string): boolean {
    return matchingStep(secret, digitsOf(code), this.#now()) !== undefined;
  }

  /**
   * Enables the second factor and returns the recovery codes; `undefined` when it is enabled. The code is
   * used up.
   */
  async turnOn(tx: Transaction, userId: string, secret: string, code: string): Promise<string[] | undefined> {
    const now = this.#now();
    const row = {
      user_id: userId,
      secret_sealed: this.#secrets.seal(secret, contextOf(userId)),
      used_step: matchingStep(secret, digitsOf(code), now) ?? 0,
      created_at: now,
    };
    const made = await tx
      .insertInto('second_factors')
      .values(row)
      .onConflict((conflict) => conflict.column('user_id').doNothing())
      .executeTakeFirst();
    if (made.numInsertedOrUpdatedRows !== 1n) return undefined;
    return renewRecoveryCodes(tx, this.#recoveryKey, userId);
  }

  /** Disables the second factor; false when it was off. */
  async turnOff(tx: Transaction, userId: string): Promise<boolean> {
    const gone = await tx.deleteFrom('second_factors').where('user_id', '=', userId).executeTakeFirst();
    await tx.deleteFrom('recovery_codes').where('user_id', '=', userId).execute();
    return gone.numDeletedRows === 1n;
  }

  /** Renews the recovery codes; `undefined` without a second factor. */
  async renewCodes(tx: Transaction, userId: string): Promise<string[] | undefined> {
    const row = await tx
      .updateTable('second_factors')
      .set({ user_id: userId })
      .where('user_id', '=', userId)
      .executeTakeFirst();
    return row.numUpdatedRows === 1n ? renewRecoveryCodes(tx, this.#recoveryKey, userId) : undefined;
  }

  /** Accepts a code of the authenticator, or a recovery code, each once. */
  async take(userId: string, code: string): Promise<'authenticator' | 'recovery' | undefined> {
    const row = await this.#find(userId);
    if (!row) return undefined;
    const secret = this.#secrets.open(row.secret_sealed, contextOf(userId));
    const step = matchingStep(secret, digitsOf(code), this.#now());
    return this.#records.transact(async (tx) => {
      if (step !== undefined) return (await useStep(tx, userId, step)) ? 'authenticator' : undefined;
      return (await useRecoveryCode(tx, this.#recoveryKey, userId, code)) ? 'recovery' : undefined;
    });
  }

  #find(userId: string) {
    return this.#records.read
      .selectFrom('second_factors')
      .selectAll()
      .where('user_id', '=', userId)
      .executeTakeFirst();
  }
}

/** Uses up a time step: neither it nor an earlier one is accepted again (RFC 6238 §5.2). */
async function useStep(tx: Transaction, userId: string, step: number): Promise<boolean> {
  const used = await tx
    .updateTable('second_factors')
    .set({ used_step: step })
    .where('user_id', '=', userId)
    .where('used_step', '<', step)
    .executeTakeFirst();
  return used.numUpdatedRows === 1n;
}

/** Removes the space in `123 456`, as authenticators display it. */
function digitsOf(code: string): string {
  return code.replace(/[\s-]/g, '');
}
