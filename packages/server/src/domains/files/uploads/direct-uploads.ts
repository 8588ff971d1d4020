import { setTimeout as delay } from 'node:timers/promises';
import { Problem } from '../../../base/problem.ts';
import type { Arrival, DirectTransfers } from '../../../platform/blobs/blobs.ts';
import { doAll } from '../../../platform/concurrency/do-all.ts';
import { eachAlone, rowsOfPages } from '../../../platform/concurrency/each-alone.ts';
import { inParallel } from '../../../platform/concurrency/in-parallel.ts';
import type { Logger } from '../../../platform/log/log.ts';
import type { UploadsTable } from '../../../platform/records/schema.ts';
import { attributesOfUpload } from '../file.ts';
import type { FileDeps } from '../file-deps.ts';
import { noteArrival, type OpenUploads, openUploads } from '../store.ts';
import { discardArrived } from './arrived-parts.ts';
import { parseKey, uploadKey } from './object-keys.ts';
import type { Uploads } from './uploads.ts';

const looksAtOnce = 16;
/** Time a request waits for the blob store to report new bytes; normally the store answers in milliseconds. */
const looksMaxMs = 5000;
const listMaxMs = 3000;
const adoptionsAtOnce = 4;
const batchRows = 500;

type ArriveIntent = { key: string; expires_at: number };

/**
 * Adopts bytes that clients wrote directly to the blob store. The store sends no notice: the service looks for them when a file
 * is requested, and periodically while uploads are open. The upload's signed address permits the adoption, so the rights of the
 * request that triggers it do not matter.
 */
export class DirectUploads {
  readonly #deps: FileDeps;
  readonly #direct: DirectTransfers;
  readonly #uploads: Uploads;
  readonly #log: Logger;
  /** Running adoptions by upload and tag: further requests for the same one await it. */
  readonly #adoptions = new Map<string, Promise<void>>();

  constructor(deps: FileDeps, direct: DirectTransfers, uploads: Uploads, log: Logger) {
    this.#deps = deps;
    this.#direct = direct;
    this.#uploads = uploads;
    this.#log = log;
  }

  /**
   * Adopts what has arrived for a file or name. Returns the error if something that may have arrived could not be looked at: this runs
   * before permissions are checked, and what is there already is answered without the store.
   */
  async notice(which: OpenUploads): Promise<unknown> {
    try {
      const rows = await openUploads(this.#deps.records.read, which, this.#uploads.openSince());
      const arrived: [UploadsTable, Arrival][] = [];
      const signal = AbortSignal.timeout(looksMaxMs);
      await inParallel(rows, looksAtOnce, async (row) => {
        const arrival = await this.#direct.arrival(uploadKey(row), signal);
        if (arrival) arrived.push([row, arrival]);
      });
      await this.#settle(arrived);
      return undefined;
    } catch (error) {
      this.#log.warn(
        { err: error },
        'bytes that have just arrived may not have been noticed; the watch will',
      );
      return error;
    }
  }

  /** `notice` for lists, which do not wait for large files to be processed. */
  async noticeForList(which: OpenUploads): Promise<void> {
    await Promise.race([this.notice(which), delay(listMaxMs, undefined, { ref: false })]);
  }

  /** Adopts everything that has arrived, in all projects. */
  async noticeAll(): Promise<void> {
    if (!(await this.#uploads.anyOpen())) return;
    for await (const batch of batchesOf(this.#direct.arrivals(''))) {
      const rows = await this.#rowsOf(batch);
      const arrived = batch.flatMap((arrival): [UploadsTable, Arrival][] => {
        const row = rows.get(idOf(arrival));
        // Parts are adopted when they are joined.
        return row && row.parts_size === null ? [[row, arrival]] : [];
      });
      await this.#settle(arrived);
    }
  }

  /**
   * Removes expired uploads with their bytes, and bytes without an upload (their project was removed).
   * Until its address has expired a client may put bytes again.
   */
  async sweep(signal?: AbortSignal): Promise<void> {
    await doAll([
      () => this.noticeAll(),
      () => this.#uploads.sweep(),
      () =>
        eachAlone(
          rowsOfPages<ArriveIntent>((last) => this.#intentsWithoutUpload(last?.key ?? ''), batchRows),
          (intent) => this.#discard(intent),
          {
            failed: 'bytes without an upload could not be removed; it is tried again',
            about: ({ key }) => ({ uploadId: key }),
            signal,
          },
        ),
    ]);
  }

  async #discard({ key, expires_at }: ArriveIntent): Promise<void> {
    await discardArrived(this.#direct, key);
    if (expires_at > Date.now()) return;
    await this.#deps.records.transact((tx) => tx.deleteFrom('blob_intents').where('key', '=', key).execute());
  }

  #intentsWithoutUpload(after: string): Promise<ArriveIntent[]> {
    return this.#deps.records.read
      .selectFrom('blob_intents')
      .select(['key', 'expires_at'])
      .where('kind', '=', 'arrive')
      .where('key', '>', after)
      .where(({ not, exists, selectFrom }) =>
        not(exists(selectFrom('uploads').select('id').whereRef('uploads.id', '=', 'blob_intents.key'))),
      )
      .orderBy('key')
      .limit(batchRows)
      .execute();
  }

  async #rowsOf(arrivals: Arrival[]): Promise<Map<string, UploadsTable>> {
    if (arrivals.length === 0) return new Map();
    const rows = await this.#deps.records.read
      .selectFrom('uploads')
      .selectAll()
      .where('id', 'in', arrivals.map(idOf))
      .execute();
    return new Map(rows.map((row) => [row.id, row]));
  }

  /** Adopts arrivals of one file in order of arrival, so that the last one wins. */
  async #settle(arrived: [UploadsTable, Arrival][]): Promise<void> {
    const fresh = arrived.filter(([row, { tag }]) => row.arrived_tag !== tag);
    const byFile = Map.groupBy(
      fresh.toSorted(([, a], [, b]) => a.at - b.at),
      ([row]) => row.file_id,
    );
    const adoptAll = async (ofFile: [UploadsTable, Arrival][]): Promise<void> => {
      for (const [row, arrival] of ofFile) await this.#adoptOnce(row, arrival);
    };
    await eachAlone(byFile.values(), adoptAll, {
      failed: 'bytes that arrived could not be adopted; it is tried again',
      about: ([first]) => ({ fileId: first?.[0].file_id }),
      atOnce: adoptionsAtOnce,
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
      // Overtaken: the next look finds the newer bytes. Failures of the store or database are retried, too.
      if (!(error instanceof Problem) || error.status >= 500) throw error;
      if (error.code !== 'OVERTAKEN') await this.#refuse(row, arrival.tag, error);
    }
  }

  /** Records the refusal in the audit log: the client already has its 200 from the store. */
  async #refuse(row: UploadsTable, tag: string, problem: Problem): Promise<void> {
    this.#log.warn({ uploadId: row.id, code: problem.code }, 'bytes that arrived were refused');
    try {
      await this.#noteRefusal(row, tag, problem);
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 404) throw error;
      // The account is being removed and its log is closed. Record the arrival all the same: else each look
      // would copy the bytes again.
      await this.#deps.records.transact((tx) => noteArrival(tx, row.id, tag));
    }
  }

  async #noteRefusal(row: UploadsTable, tag: string, problem: Problem): Promise<void> {
    const { records, audit } = this.#deps;
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

const idOf = ({ place }: Arrival): string => parseKey(place).id;

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
