import { createHash } from 'node:crypto';
import type { Records, Transaction } from '../../../../platform/records/records.ts';

/** More than the clocks of two services differ. */
const marginMs = 86_400_000;

/**
 * Wrapped keys that have opened AES-CBC. With a recorded response, an attacker can put its wrapped key around chosen data that
 * another provider signs. The outcomes of many such responses reveal the recorded one, even in GCM (Jager, Paterson,
 * Somorovsky: One Bad Apple, 2013). So a key opens CBC once, whatever provider signs.
 */
export class WrappedKeys {
  readonly #records: Records;

  constructor(records: Records) {
    this.#records = records;
  }

  /** Returns a check whether a key is new. Repeated checks of one response have equal results. */
  forOneAnswer(): (wrappedKey: Buffer) => Promise<boolean> {
    const own = new Set<string>();
    return async (wrappedKey) => {
      const id = idOf(wrappedKey);
      if (!own.has(id) && (await this.#add(id))) own.add(id);
      return own.has(id);
    };
  }

  async #add(id: string): Promise<boolean> {
    const row = { id, used_at: Date.now() };
    const added = await this.#records.transact((tx) =>
      tx
        .insertInto('saml_wrapped_keys')
        .values(row)
        .onConflict((conflict) => conflict.column('id').doNothing())
        .executeTakeFirst(),
    );
    return added.numInsertedOrUpdatedRows === 1n;
  }
}

/** Deletes keys older than the oldest private key: nothing decrypts them any more. */
export async function forgetWrappedKeys(tx: Transaction): Promise<void> {
  const { oldest } = await tx
    .selectFrom('saml_keys')
    .select(({ fn }) => fn.min('created_at').as('oldest'))
    .where('use', '=', 'encryption')
    .executeTakeFirstOrThrow();
  await tx
    .deleteFrom('saml_wrapped_keys')
    .where('used_at', '<', Number(oldest) - marginMs)
    .execute();
}

/** Drops leading zeros: RSA reads a number. */
function idOf(wrappedKey: Buffer): string {
  const from = Math.max(
    wrappedKey.findIndex((byte) => byte !== 0),
    0,
  );
  return createHash('sha256').update(wrappedKey.subarray(from)).digest('hex');
}
