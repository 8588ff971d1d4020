import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { doAll } from '../concurrency/do-all.ts';
import { eachAlone, pagesOf } from '../concurrency/each-alone.ts';
import { readSharedNow } from '../records/clock.ts';
import { trinoBlobColumns } from '../records/migrations/0003-trino-statements.ts';
import { copyBlobColumns } from '../records/migrations/0017-lake-copies.ts';
import { packedBlobColumns } from '../records/migrations/0056-packed-variants.ts';
import { initialBlobColumns } from '../records/migrations/initial/blob-triggers.ts';
import type { Reader, Records, Transaction } from '../records/records.ts';
import type { BlobIntentsTable } from '../records/schema-platform.ts';
import { isPlaced, newKey } from './keys.ts';

/** Maximum time of any work between the bytes of a blob and the row that names it. */
const writeLifeMs = 86_400_000;
/** A backup that did not renew its intent for this long has ended. */
const readLifeMs = 5 * 60_000;
const renewEveryMs = 30_000;
/** Longer than anything keeps blobs from removal: restored ones of a shared store, two weeks. */
const readLongestMs = 30 * 86_400_000;
const removalsAtOnce = 8;
/** Keys that are removed, or looked up, in one transaction. */
const batchKeys = 500;

/** Every column whose rows own a blob, with its table. A later migration that adds one creates its triggers and joins here. */
export const blobColumns = [
  ...initialBlobColumns,
  ...trinoBlobColumns,
  ...copyBlobColumns,
  ...packedBlobColumns,
] as const;

/** An intent whose time has passed. */
type Due = Pick<BlobIntentsTable, 'key' | 'expires_at'>;

/** An order to remove a blob. `upload_id`: the upload in parts that may have written it. */
export type Removal = Pick<BlobIntentsTable, 'key' | 'upload_id'>;

/**
 * Intents of a store of blobs, as rows of the records. A key is recorded before its bytes are written. Bytes are removed only
 * if a row orders it: unknown bytes are never touched. The transaction that names a blob removes its intent; the one that
 * un-names it leaves the order to remove it. Triggers do both (records/migrations/initial/blob-triggers.ts).
 */
export class BlobIntents {
  readonly #given: Records | undefined;
  readonly #removeBytes: (removal: Removal) => Promise<void>;

  /** `removeBytes` removes the bytes of a blob; a blob without bytes is no error. Without records only reads are possible. */
  constructor(records: Records | undefined, removeBytes: (removal: Removal) => Promise<void>) {
    this.#given = records;
    this.#removeBytes = removeBytes;
  }

  get #records(): Records {
    if (!this.#given)
      throw new Error('This store was opened without records: it makes and removes no blobs.');
    return this.#given;
  }

  /** Runs `write` with the key of a new blob. A failure removes what it wrote. */
  async create<T extends object>(write: (key: string) => Promise<T>): Promise<T & { key: string }> {
    const key = newKey();
    await this.#records.transact((tx) => addIntents(tx, [key]));
    try {
      return { key, ...(await write(key)) };
    } catch (error) {
      // The sweep repeats a removal that fails.
      await this.remove([key]).catch(() => undefined);
      throw error;
    }
  }

  /** Records the upload in parts that writes a blob, before its first part is sent. */
  async noteUpload(key: string, uploadId: string): Promise<void> {
    await this.#records.transact((tx) =>
      tx.updateTable('blob_intents').set({ upload_id: uploadId }).where('key', '=', key).execute(),
    );
  }

  /** Expires the intents of a process that has ended: to be called by the only process, before its first write. */
  async expireWrites(): Promise<void> {
    await this.#records.transact((tx) =>
      tx.updateTable('blob_intents').set({ expires_at: 0 }).where('kind', '=', 'write').execute(),
    );
  }

  /**
   * Removes the bytes of blobs that no row names, and then their intents; named blobs stay. While a backup reads, only the orders
   * are recorded. Resolves to whether bytes were removed.
   */
  async remove(keys: readonly string[]): Promise<boolean> {
    if (keys.length === 0) return true;
    const found = await this.#records.transact(async (tx) => {
      const removals = await tx
        .updateTable('blob_intents')
        .set({ kind: 'remove', expires_at: 0 })
        .where('key', 'in', keys)
        .where('kind', 'in', ['write', 'remove'])
        .returning(['key', 'upload_id'])
        .execute();
      return (await isRead(tx, await readSharedNow(this.#records.dialect, tx))) ? undefined : removals;
    });
    if (!found) return false;
    const removed: string[] = [];
    const removeOne = async (removal: Removal): Promise<void> => {
      // Objects of a bucket that is not ours stay, whatever happens to their files.
      if (!isPlaced(removal.key)) await this.#removeBytes(removal);
      removed.push(removal.key);
    };
    await doAll([
      () =>
        eachAlone(found, removeOne, {
          failed: 'the bytes of a blob could not be removed; it is tried again',
          about: ({ key }) => ({ key }),
          atOnce: removalsAtOnce,
        }),
      () => removed.length > 0 && this.#forget(removed),
    ]);
    return true;
  }

  async #forget(keys: readonly string[]): Promise<void> {
    await this.#records.transact((tx) => tx.deleteFrom('blob_intents').where('key', 'in', keys).execute());
  }

  /** Removes the blobs whose time has passed, by the clock of the store. */
  async sweep(signal?: AbortSignal): Promise<void> {
    const { dialect, read } = this.#records;
    const now = await readSharedNow(dialect, read);
    const sweepKind = (kind: 'write' | 'remove'): Promise<void> =>
      eachAlone(
        pagesOf<Due>((last) => this.#due(kind, now, last), batchKeys),
        (page) => this.remove(page.map(({ key }) => key)),
        {
          failed: 'blobs that no row names could not all be removed; it is tried again',
          about: (page) => ({ blobs: page.length }),
          signal,
        },
      );
    await doAll([() => sweepKind('remove'), () => sweepKind('write')]);
  }

  #due(
    kind: 'write' | 'remove',
    now: number,
    last: Due = { expires_at: Number.MIN_SAFE_INTEGER, key: '' },
  ): Promise<Due[]> {
    return this.#records.read
      .selectFrom('blob_intents')
      .select(['key', 'expires_at'])
      .where('kind', '=', kind)
      .where('expires_at', '<=', now)
      .where(({ eb, refTuple, tuple }) =>
        eb(refTuple('expires_at', 'key'), '>', tuple(last.expires_at, last.key)),
      )
      .orderBy('expires_at')
      .orderBy('key')
      .limit(batchKeys)
      .execute();
  }

  /** Returns the keys that no row names. */
  unnamed(keys: readonly string[]): Promise<string[]> {
    return keysWithoutRow(this.#records.read, keys, blobColumns);
  }
}

/** Returns the keys that neither a row nor an intent names: no work of the service makes or removes these blobs. */
export function orphanedKeys(read: Reader, keys: readonly string[]): Promise<string[]> {
  return keysWithoutRow(read, keys, [...blobColumns, ['blob_intents', 'key']]);
}

async function keysWithoutRow(
  read: Reader,
  keys: readonly string[],
  columns: readonly (readonly [table: string, column: string])[],
): Promise<string[]> {
  const left = new Set(keys);
  for (let at = 0; at < keys.length; at += batchKeys) {
    const batch = sql.join(keys.slice(at, at + batchKeys));
    for (const [table, column] of columns) {
      const named = sql<{ key: string }>`
        select ${sql.ref(column)} as key from ${sql.table(table)} where ${sql.ref(column)} in (${batch})
      `;
      for (const { key } of (await named.execute(read)).rows) left.delete(key);
    }
  }
  return [...left];
}

/**
 * Runs `work` while no process removes a blob: every blob that the records name when `work` begins keeps its bytes. Rejects when
 * that was not so, because the intent could not be renewed in time.
 */
export async function whileKept<T>(records: Records, work: () => Promise<T>): Promise<T> {
  const key = newKey();
  await records.transact((tx) => keepAll(tx, readLifeMs, key));
  const ended = new AbortController();
  const renewing = renew(records, key, ended.signal);
  let done: T;
  try {
    done = await work();
  } finally {
    ended.abort();
    await renewing;
  }
  const ends = await records.transact((tx) =>
    tx.deleteFrom('blob_intents').where('key', '=', key).returning('key').execute(),
  );
  if (ends.length === 0) throw new Error('Blobs could not be kept from removal for minutes: try again.');
  return done;
}

/** Records the keys of blobs that rows are about to name. */
export async function addIntents(tx: Transaction, keys: readonly string[]): Promise<void> {
  const expires_at = Date.now() + writeLifeMs;
  const rows = keys.map((key) => ({ key, kind: 'write', expires_at, upload_id: null }) as const);
  await tx.insertInto('blob_intents').values(rows).execute();
}

/** Keeps every blob from removal for `lifeMs`. */
export async function keepAll(tx: Transaction, lifeMs: number, key = newKey()): Promise<void> {
  await addIntent(tx, { key, kind: 'read', expires_at: Date.now() + lifeMs });
}

/** Records that a client may put bytes at a place of the store until `expiresAt` (epoch milliseconds). */
export async function expectArrival(tx: Transaction, place: string, expiresAt: number): Promise<void> {
  await addIntent(tx, { key: place, kind: 'arrive', expires_at: expiresAt });
}

async function addIntent(tx: Transaction, row: Omit<BlobIntentsTable, 'upload_id'>): Promise<void> {
  await tx
    .insertInto('blob_intents')
    .values({ ...row, upload_id: null })
    .execute();
}

/** Renews an intent to read. A renewal that fails is repeated; a late one finds no row. */
async function renew(records: Records, key: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await delay(renewEveryMs, undefined, { signal, ref: false }).catch(() => undefined);
    if (signal.aborted) return;
    await records
      .transact((tx) =>
        tx
          .updateTable('blob_intents')
          .set({ expires_at: Date.now() + readLifeMs })
          .where('key', '=', key)
          .execute(),
      )
      .catch(() => undefined);
  }
}

/** Reports whether a backup reads at `now`. Deletes expired intents, so that a backup that lost its own notices. */
async function isRead(tx: Transaction, now: number): Promise<boolean> {
  const reads = tx
    .deleteFrom('blob_intents')
    .where('kind', '=', 'read')
    .where((where) =>
      where.or([
        where('expires_at', '<=', now),
        // A longer time would delay every removal.
        where('expires_at', '>', now + readLongestMs),
      ]),
    );
  await reads.execute();
  const row = await tx
    .selectFrom('blob_intents')
    .select('key')
    .where('kind', '=', 'read')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
