import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Convert, ConvertedTable, Reporter } from '../../../platform/engine/conversion.ts';
import { Threads } from '../threads.ts';
import { HeldWarnings } from './held-warnings.ts';
import { SourceReading, type SourceRows } from './read-source.ts';
import { type Known, openWork, type Task } from './work.ts';
import { TableWriting } from './write-tables.ts';

/** What has to be known of the whole source to read a part of it. */
type Foreknown = Pick<SourceRows, 'fullUrls' | 'hasSeveralBundles' | 'lateHistories'>;

const nothing: Foreknown = { fullUrls: new Map(), hasSeveralBundles: false, lateHistories: new Set() };

/** Of each resource the objects die at once, and are many. */
const youngMaxMegabytes = 24;

/**
 * FHIR (NDJSON, Bundle, list or single resource; plain or gzip) → clinical tables and the internal `_resource`, `_coding`, `_medication`
 * and `_sample_link`. Slices of the source are read into files of sorted rows, and these are merged into row groups; threads do both. docs/adr/0007
 */
export const convertFhir: Convert = async (task, sql, report) => {
  const folder = join(task.outputFolder, 'rows');
  const count = sql.threads;
  const skipBroken = task.options.onError === 'skip';
  const convert = async (
    { fullUrls, hasSeveralBundles, lateHistories }: Foreknown,
    told: Reporter,
  ): Promise<ConvertedTable[] | SourceRows> => {
    await mkdir(folder, { mode: 0o700 });
    const known: Known = { skipBroken, fullUrls, hasSeveralBundles };
    const module = new URL('./work.ts', import.meta.url).href;
    const address = { module, name: 'openWork', known, youngMaxMegabytes };
    const threads = new Threads<Task>(address, openWork(known), count);
    try {
      const rows = await new SourceReading(threads, folder, told, lateHistories).read(task);
      // What an entry refers to, and what its Bundle is, may be said behind it: then the source is read once more, knowing it.
      if (rows.fullUrls.size > fullUrls.size || rows.lateHistories.size > 0) return rows;
      if (rows.severalCount > 0) told.warn({ message: severalNamed(rows.severalCount) });
      const onRows = (written: number): void => report.progress(task.sourceSize, written);
      return await new TableWriting(threads, task.outputFolder, onRows).write(rows, sql);
    } finally {
      await threads.close();
      await rm(folder, { recursive: true, force: true });
    }
  };
  let known: Foreknown = nothing;
  for (;;) {
    const told = new HeldWarnings(report, known === nothing);
    const made = await convert(known, told).catch((error: unknown) => {
      told.release();
      throw error;
    });
    if (Array.isArray(made)) {
      told.release();
      return made;
    }
    known = made;
  }
};

function severalNamed(count: number): string {
  return `${count} references by full URL (urn:uuid:…) name several resources of the source, none of them in their own Bundle; they were left out`;
}
