import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { BlobInfo, Blobs } from '../../../platform/blobs/blobs.ts';
import { removeFreed } from '../../../platform/blobs/remove-freed.ts';
import type { JobRun } from '../../../platform/jobs/jobs.ts';
import type { Records } from '../../../platform/records/records.ts';
import type { EhrSyncPagesTable, EhrSyncsTable } from '../../../platform/records/schema-ehrs.ts';
import { joinPages, openPages, ripe } from './pages/pages.ts';

/** Columns that a step of a sync changes. */
type SyncChange = Partial<
  Pick<
    EhrSyncsTable,
    'method' | 'mark' | 'position' | 'requests' | 'pages' | 'bytes' | 'counts' | 'warning_count' | 'warnings'
  >
>;

/**
 * Thrown when the sync was cancelled, taken over, or removed with its configuration or project: nothing more
 * may be recorded.
 */
export class SyncOver extends Error {
  override name = 'SyncOver';
}

/**
 * Fetched pages of a sync. A page and the position after it are stored in one transaction, so no page is
 * fetched twice.
 */
export class Spool {
  readonly #records: Records;
  readonly #blobs: Blobs;
  readonly #run: JobRun;
  readonly #sync: EhrSyncsTable;
  #held: EhrSyncPagesTable[] = [];

  constructor(deps: { records: Records; blobs: Blobs }, run: JobRun, sync: EhrSyncsTable) {
    this.#records = deps.records;
    this.#blobs = deps.blobs;
    this.#run = run;
    this.#sync = sync;
  }

  /** Loads the pages of earlier runs. */
  async open(): Promise<void> {
    this.#held = await this.#records.read
      .selectFrom('ehr_sync_pages')
      .selectAll()
      .where('sync_id', '=', this.#sync.id)
      .orderBy('number')
      .execute();
  }

  /**
   * Writes lines to a new blob as they arrive; `undefined` if there are none. An interrupted write leaves
   * nothing.
   */
  async write(lines: AsyncGenerator<Uint8Array>): Promise<BlobInfo | undefined> {
    const first = await lines.next();
    if (first.done) return undefined;
    let broken: unknown;
    const all = async function* () {
      try {
        yield first.value;
        yield* lines;
      } catch (error) {
        broken = error;
        throw error;
      }
    };
    const zipped = createGzip();
    const stored = this.#blobs.put(zipped);
    stored.catch(() => zipped.destroy());
    const [sent, kept] = await Promise.allSettled([pipeline(Readable.from(all()), zipped), stored]);
    if (broken !== undefined) throw broken;
    if (kept.status === 'rejected') throw kept.reason;
    if (sent.status === 'rejected') throw sent.reason;
    return kept.value;
  }

  /** Records a step with its page. Throws `SyncOver` if the sync no longer belongs to this run. */
  async keep(change: SyncChange, page?: BlobInfo): Promise<void> {
    const added =
      page &&
      ({
        sync_id: this.#sync.id,
        project_id: this.#sync.project_id,
        number: (this.#held.at(-1)?.number ?? 0) + 1,
        level: 0,
        blob_key: page.key,
      } satisfies EhrSyncPagesTable);
    const kept = await this.#records.transact(async (tx) => {
      if (!(await this.#run.holdsLease(tx))) return false;
      const done = await tx
        .updateTable('ehr_syncs')
        .set(change)
        .where('id', '=', this.#sync.id)
        .where('state', '=', 'running')
        .executeTakeFirst();
      if (done.numUpdatedRows === 0n) return false;
      if (added) await openPages(tx, added.sync_id).add(added);
      return true;
    });
    if (!kept) {
      if (page) await removeFreed(this.#blobs, [page.key]);
      throw new SyncOver();
    }
    if (!added) return;
    this.#held.push(added);
    await this.#joinRipe();
  }

  /** Keys of all fetched pages, in order. */
  get keys(): string[] {
    return this.#held.map((page) => page.blob_key);
  }

  async #joinRipe(): Promise<void> {
    const several = ripe(this.#held);
    const one = several && (await joinPages(this.#blobs, several));
    if (!several || !one) return;
    const replaced = await this.#records.transact(
      async (tx) =>
        (await this.#run.holdsLease(tx)) && (await openPages(tx, this.#sync.id).replace(several, one)),
    );
    const freed = replaced ? several.map((page) => page.blob_key) : [one.blob_key];
    await removeFreed(this.#blobs, freed);
    if (!replaced) throw new SyncOver();
    const gone = new Set(several);
    this.#held = [one, ...this.#held.filter((page) => !gone.has(page))].sort((a, b) => a.number - b.number);
  }
}
