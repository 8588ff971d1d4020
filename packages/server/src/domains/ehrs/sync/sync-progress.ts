import type { EhrSyncsTable } from '../../../platform/records/schema-ehrs.ts';
import type { ExportPosition } from '../fhir-server/bulk-export.ts';
import { EhrError } from '../fhir-server/ehr-error.ts';
import { countType } from './pages/page-content.ts';
import type { SearchPosition } from './plan.ts';
import type { Spool } from './spool.ts';
import { Warnings } from './sync.ts';

type Position = SearchPosition | ExportPosition;

/** Progress of a sync, stored in its row, from which a later run continues. */
export class SyncProgress {
  readonly warnings: Warnings;
  position: Position | undefined;
  readonly #spool: Spool;
  /** Maximum bytes of one sync. */
  readonly #bytesMax: number;
  readonly #counts: Map<string, number>;
  #requests: number;
  #pages: number;
  #bytes: number;

  constructor(deps: { sync: EhrSyncsTable; spool: Spool; bytesMax: number }) {
    const { sync } = deps;
    this.#spool = deps.spool;
    this.#bytesMax = deps.bytesMax;
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

  /** Counts bytes as they arrive: an interrupted transfer was fetched too, and is fetched again. */
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

  /** Stores progress together with a page, in one transaction. */
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
    const message = `The EHR system sent more than ${Math.floor(this.#bytesMax / 1024 ** 2)} MiB, the maximum of one sync (PLOIDY_EHR_SYNC_BYTES_MAX).`;
    return new EhrError('TOO_MUCH', message);
  }
}
