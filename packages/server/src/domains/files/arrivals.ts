import { setTimeout as delay } from 'node:timers/promises';
import { inParallel } from '../../in-parallel.ts';
import type { Logger } from '../../log.ts';
import type { Arrival, DirectTransfers } from '../../platform/blobs/blobs.ts';
import type { UploadsTable } from '../../platform/records/schema.ts';
import { Problem } from '../../problem.ts';
import { attributesOfUpload } from './file.ts';
import type { FileParts } from './files.ts';
import { placeOf, uploadAt } from './places.ts';
import { noteArrival, type OpenUploads, openUploads } from './store.ts';
import type { Uploads } from './uploads.ts';

const looksAtOnce = 16;
/** How long a request waits to learn whether bytes have arrived; the store says so in milliseconds, or is away. */
const looksMaxMs = 5000;
const listMaxMs = 3000;
const adoptionsAtOnce = 4;
const batchRows = 500;

/**
 * Bytes that clients put into the store itself, past the service. Nobody tells when they are complete, so they are looked for when
 * somebody asks for the file, and by a ticker while promises are open. Adopting them is the act of the upload, which its signed
 * address allowed: whoever makes us look, with whatever rights, changes nothing by it.
 */
export class Arrivals {
  readonly #parts: FileParts;
  readonly #direct: DirectTransfers;
  readonly #uploads: Uploads;
  readonly #log: Logger;
  /** Adoptions under way, by upload and tag: who asks for the same waits for the same. */
  readonly #adoptions = new Map<string, Promise<void>>();

  constructor(parts: FileParts, direct: DirectTransfers, uploads: Uploads, log: Logger) {
    this.#parts = parts;
    this.#direct = direct;
    this.#uploads = uploads;
    this.#log = log;
  }

  /**
   * After this, what had arrived for the file or name is there to be read. A store that does not answer is no failure here: this
   * runs before anybody's right is known, and a stranger must get his 404.
   */
  async notice(which: OpenUploads): Promise<void> {
    try {
      const rows = await openUploads(this.#parts.records.read, which, this.#uploads.openSince());
      const arrived: [UploadsTable, Arrival][] = [];
      const signal = AbortSignal.timeout(looksMaxMs);
      await inParallel(rows, looksAtOnce, async (row) => {
        const arrival = await this.#direct.arrival(placeOf(row), signal);
        if (arrival) arrived.push([row, arrival]);
      });
      await this.#settle(arrived);
    } catch (error) {
      this.#log.warn(
        { err: error },
        'bytes that have just arrived may not have been noticed; the watch will',
      );
    }
  }

  /** The same for lists, which do not wait for large files to be looked through. */
  async noticeForList(which: OpenUploads): Promise<void> {
    await Promise.race([this.notice(which), delay(listMaxMs, undefined, { ref: false })]);
  }

  /** Looks for everything that has arrived, of all projects. */
  async noticeAll(): Promise<void> {
    if (!(await this.#uploads.anyOpen())) return;
    for await (const batch of batchesOf(this.#direct.arrivals(''))) {
      const rows = await this.#rowsOf(batch);
      const arrived = batch.flatMap((arrival): [UploadsTable, Arrival][] => {
        const row = rows.get(idOf(arrival));
        // Parts are looked at when they are joined.
        return row && row.parts_size === null ? [[row, arrival]] : [];
      });
      await this.#settle(arrived);
    }
  }

  /**
   * Removes promises that have expired and what was put for them, bytes without a promise (their project was removed), and parts
   * that came after they were joined. The promise is recorded before its address is given out, so it cannot come later.
   */
  async sweep(): Promise<void> {
    await this.noticeAll();
    await this.#uploads.sweep();
    for await (const batch of batchesOf(this.#direct.arrivals(''))) {
      const rows = await this.#rowsOf(batch);
      const orphans = batch.filter((arrival) => rows.get(idOf(arrival))?.completed_at !== null);
      await this.#direct.discard(orphans.map(({ place }) => place));
    }
  }

  async #rowsOf(arrivals: Arrival[]): Promise<Map<string, UploadsTable>> {
    if (arrivals.length === 0) return new Map();
    const rows = await this.#parts.records.read
      .selectFrom('uploads')
      .selectAll()
      .where('id', 'in', arrivals.map(idOf))
      .execute();
    return new Map(rows.map((row) => [row.id, row]));
  }

  /** Of one file in the order in which they came, so that the last stays. */
  async #settle(arrived: [UploadsTable, Arrival][]): Promise<void> {
    const fresh = arrived.filter(([row, { tag }]) => row.arrived_tag !== tag);
    const byFile = Map.groupBy(
      fresh.toSorted(([, a], [, b]) => a.at - b.at),
      ([row]) => row.file_id,
    );
    await inParallel([...byFile.values()], adoptionsAtOnce, async (ofFile) => {
      for (const [row, arrival] of ofFile) await this.#adoptOnce(row, arrival);
    });
  }

  #adoptOnce(row: UploadsTable, arrival: Arrival): Promise<void> {
    const name = `${row.id} ${arrival.tag}`;
    const running = this.#adoptions.get(name);
    if (running) return running;
    const adoption = this.#adopt(row, arrival).finally(() => this.#adoptions.delete(name));
    this.#adoptions.set(name, adoption);
    return adoption;
  }

  async #adopt(row: UploadsTable, arrival: Arrival): Promise<void> {
    try {
      const blob = await this.#direct.take(arrival, this.#uploads.promised(row));
      await this.#uploads.adoptArrival(row, blob, arrival.tag);
    } catch (error) {
      // Overtaken: the next look finds the newer bytes. What the store or the records could not do now is tried again, too.
      if (!(error instanceof Problem) || error.status >= 500) throw error;
      if (error.code !== 'OVERTAKEN') await this.#refuse(row, arrival.tag, error);
    }
  }

  /** The client has its 200 from the store and cannot be told; the audit log says why there is no file. */
  async #refuse(row: UploadsTable, tag: string, problem: Problem): Promise<void> {
    this.#log.warn({ uploadId: row.id, code: problem.code }, 'bytes that arrived were refused');
    try {
      await this.#noteRefusal(row, tag, problem);
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 404) throw error;
      // The account is being removed and its log is closed. Noted all the same, or each look would copy the bytes until the promise is gone.
      await this.#parts.records.transact((tx) => noteArrival(tx, row.id, tag));
    }
  }

  async #noteRefusal(row: UploadsTable, tag: string, problem: Problem): Promise<void> {
    const { records, audit } = this.#parts;
    await records.transact(async (tx) => {
      if (!(await noteArrival(tx, row.id, tag))) return;
      await audit.append(tx, {
        account: row.account_id,
        userId: row.owner_id,
        via: 'signature',
        action: 'files.upload',
        resource: attributesOfUpload(row),
        outcome: 'refused',
        details: { code: problem.code },
      });
    });
  }
}

const idOf = ({ place }: Arrival): string => uploadAt(place).id;

async function* batchesOf(arrivals: AsyncIterable<Arrival>): AsyncGenerator<Arrival[]> {
  let batch: Arrival[] = [];
  for await (const arrival of arrivals) {
    batch.push(arrival);
    if (batch.length < batchRows) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}
