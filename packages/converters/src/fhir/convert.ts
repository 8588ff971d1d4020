import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Convert, ConvertedTable, Reporter, Warning } from '@ploidy/engine';
import { type Account, InputError } from '@ploidy/formats';
import { requireEnd } from '../decompressed-source.ts';
import { Threads } from '../threads.ts';
import type { Known } from './read/read-slice.ts';
import { SourceReading, type SourceRows } from './read/read-source.ts';
import { openWork, type Task } from './work.ts';
import { TableWriting } from './write-tables.ts';

/** Facts about the whole source that reading a slice needs. */
type Foreknown = Pick<SourceRows, 'fullUrls' | 'hasSeveralBundles' | 'lateHistories'>;

const nothing: Foreknown = { fullUrls: new Map(), hasSeveralBundles: false, lateHistories: new Set() };

/** Young generation of a thread. Objects of a resource are many and short-lived. */
const youngMaxMegabytes = 24;

/**
 * Converts FHIR (NDJSON, Bundle, list or single resource; plain or gzip) to clinical tables and the internal `_resource`,
 * `_medication` and `_sample_link`. Threads read slices into files of sorted rows, and merge these into row groups. docs/design/adr/0007
 */
export const convertFhir: Convert = async (task, sql, report) => {
  await requireEnd(task, report);
  const folder = join(task.outputFolder, 'rows');
  const count = sql.threads;
  const { onError, source, idPrefix = '' } = task.options;
  const skipBroken = onError === 'skip';
  const convert = async (
    { fullUrls, hasSeveralBundles, lateHistories }: Foreknown,
    held: Reporter,
  ): Promise<ConvertedTable[] | SourceRows> => {
    await mkdir(folder, { mode: 0o700 });
    const known: Known = { skipBroken, fullUrls, hasSeveralBundles, idPrefix, source };
    const module = new URL('./work.ts', import.meta.url).href;
    const address = { module, name: 'openWork', known, youngMaxMegabytes };
    const threads = new Threads<Task>(address, openWork(known), count);
    try {
      const rows = await new SourceReading(threads, folder, held, lateHistories).read(task);
      // The target of a reference or the type of a Bundle may follow the entry: then the source is read again.
      if (rows.fullUrls.size > fullUrls.size || rows.lateHistories.size > 0) return rows;
      const origin = source ?? onlyServer(rows.servers);
      if (rows.severalCount > 0) held.warn({ message: severalNamed(rows.severalCount) });
      const onRows = (written: number): void => report.progress(task.sourceSize, written);
      const made = await new TableWriting(threads, task.outputFolder, onRows).write(rows, sql);
      return made.map((one) => (one.table === '_resource' ? { ...one, source: origin } : one));
    } finally {
      await threads.close();
      await rm(folder, { recursive: true, force: true });
    }
  };
  let known: Foreknown = nothing;
  for (;;) {
    const held = new HeldWarnings(report, known === nothing);
    const made = await convert(known, held).catch((error: unknown) => {
      held.release();
      throw error;
    });
    if (Array.isArray(made)) {
      held.release();
      return made;
    }
    known = made;
  }
};

/**
 * Returns the server of a file; empty where its full URLs name none. Throws `InputError` for several: the same id on two
 * servers is two resources.
 */
function onlyServer(servers: ReadonlySet<string>): string {
  const [first = '', second] = servers;
  if (second === undefined) return first;
  throw new InputError(
    `The file holds resources of several servers (${first}, ${second}), where the same id can mean different resources. Ingest a file for each server, or name source if they share their ids.`,
  );
}

function severalNamed(count: number): string {
  return `${count} references by full URL (urn:uuid:…) match several resources of the source, and none in their own Bundle; they were left out`;
}

/** Further warnings are counted only, as in the report. */
const heldMax = 200;

/** Holds the warnings of a reading until it proves to be the last one. */
class HeldWarnings implements Reporter {
  readonly #report: Reporter;
  readonly #isFirst: boolean;
  readonly #held: Warning[] = [];
  #omitted = 0;

  /** `isFirst`: reports progress; that of later readings would go backwards. */
  constructor(report: Reporter, isFirst: boolean) {
    this.#report = report;
    this.#isFirst = isFirst;
  }

  progress(bytes: number, rows: number): void {
    if (this.#isFirst) this.#report.progress(bytes, rows);
  }

  account(account: Account): void {
    this.#report.account(account);
  }

  warn(warning: Warning, omitted = 0): void {
    if (this.#held.length < heldMax) this.#held.push(warning);
    else this.#omitted += 1;
    this.#omitted += omitted;
  }

  /** Reports the held warnings. */
  release(): void {
    for (const [index, warning] of this.#held.entries())
      this.#report.warn(warning, index + 1 === this.#held.length ? this.#omitted : 0);
  }
}
