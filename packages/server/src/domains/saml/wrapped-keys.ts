import { createHash } from 'node:crypto';
import type { Records, Transaction } from '../../platform/records/records.ts';

/** How far the clocks of two services may be apart, and more. */
const marginMs = 86_400_000;

/**
 * The wrapped keys that have opened AES-CBC. Whoever has recorded a response can put its wrapped key into others, around data of
 * his choice, and have them signed by a provider of his own: what becomes of many such responses tells him what the recorded one
 * holds, be that in GCM (Jager, Paterson, Somorovsky: One Bad Apple, 2013). So a key opens CBC once, whichever provider signs.
 */
export class WrappedKeys {
  readonly #records: Records;

  constructor(records: Records) {
    this.#records = records;
  }

  /** Says of a key whether it comes for the first time. The one answer that it is for may ask again and hears the same. */
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

/** Forgets what had come before the oldest private key that is left was made: nothing opens it any more. */
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

/** RSA reads a number: it is the same one without the zeros before it. */
function idOf(wrappedKey: Buffer): string {
  const from = Math.max(
    wrappedKey.findIndex((byte) => byte !== 0),
    0,
  );
  return createHash('sha256').update(wrappedKey.subarray(from)).digest('hex');
}
