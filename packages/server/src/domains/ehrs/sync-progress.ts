import type { EhrSyncsTable } from '../../platform/records/schema-ehrs.ts';
import type { ExportPosition } from './bulk-export.ts';
import { EhrError } from './ehr-error.ts';
import { countType } from './page.ts';
import type { SearchPosition } from './plan.ts';
import type { Spool } from './spool.ts';
import { Warnings } from './sync.ts';

type Position = SearchPosition | ExportPosition;

/** How far a sync is and what came so far, kept in its row: another run goes on from there. */
export class SyncProgress {
  readonly warnings: Warnings;
  position: Position | undefined;
  readonly #spool: Spool;
  /** Everything that a sync may fetch. */
  readonly #bytesMax: number;
  readonly #counts: Map<string, number>;
  #requests: number;
  #pages: number;
  #bytes: number;

  constructor(parts: { sync: EhrSyncsTable; spool: Spool; bytesMax: number }) {
    const { sync } = parts;
    this.#spool = parts.spool;
    this.#bytesMax = parts.bytesMax;
    this.warnings = new Warnings(sync);
    this.#counts = new Map(Object.entries(JSON.parse(sync.counts) as Record<string, number>));
    this.position = sync.position === null ? undefined : (JSON.parse(sync.position) as Position);
    this.#requests = sync.requests;
    this.#pages = sync.pages;
    this.#bytes = sync.bytes;
  }

  countRequest(): void {
    this.#requests += 1;
  }

  countResources(type: string, count: number): void {
    if (count > 0) countType(this.#counts, type, count);
  }

  /** Counts what comes as it comes: what breaks off was fetched too, and is fetched again. */
  async *counted(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of body) {
      this.#bytes += chunk.length;
      if (this.#bytes > this.#bytesMax) throw this.#tooMuch();
      yield chunk;
    }
  }

  bytesLeft(): number {
    const left = this.#bytesMax - this.#bytes;
    if (left > 0) return left;
    throw this.#tooMuch();
  }

  /** With a page that was stored: both count, or neither does. */
  async keep(
    change: { method?: 'SEARCH' | 'EXPORT'; mark?: number },
    page?: Parameters<Spool['keep']>[1],
  ): Promise<void> {
    if (page) this.#pages += 1;
    const progress = {
      position: JSON.stringify(this.position),
      requests: this.#requests,
      pages: this.#pages,
      bytes: this.#bytes,
      counts: JSON.stringify(Object.fromEntries(this.#counts)),
      ...this.warnings.columns,
    };
    await this.#spool.keep({ ...progress, ...change }, page);
  }

  #tooMuch(): EhrError {
    const message = `The EHR system sent more than ${Math.floor(this.#bytesMax / 1024 ** 2)} MiB, which is as much as one sync may fetch (PLOIDY_EHR_SYNC_BYTES_MAX).`;
    return new EhrError('TOO_MUCH', message);
  }
}
