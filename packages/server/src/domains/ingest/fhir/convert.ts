import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Convert, ConvertedTable, Reporter } from '../../../platform/engine/conversion.ts';
import { Threads, threadsOf } from '../threads.ts';
import { SourceReading, type SourceRows } from './read-source.ts';
import { type Known, openWork, type Task } from './work.ts';
import { TableWriting } from './write-tables.ts';

/**
 * FHIR (NDJSON, Bundle, list or single resource; plain or gzip) → clinical tables and the internal `_resource`, `_coding`, `_medication`
 * and `_sample_link`. Slices of the source are read into files of sorted rows, and these are merged into row groups; threads do both. docs/adr/0007
 */
export const convertFhir: Convert = async (task, sql, report) => {
  const folder = join(task.outputFolder, 'rows');
  const count = await threadsOf(sql);
  const skipBroken = task.options.onError === 'skip';
  const convert = async (known: Known, told: Reporter): Promise<ConvertedTable[] | SourceRows> => {
    await mkdir(folder, { mode: 0o700 });
    const address = { module: new URL('./work.ts', import.meta.url).href, name: 'openWork', known };
    const threads = new Threads<Task>(address, openWork(known), count);
    try {
      const rows = await new SourceReading(threads, folder, told).read(task);
      // Entries may be referred to before their ids are known: then the source is read once more, knowing them.
      if (rows.fullUrls.size > known.fullUrls.size) return rows;
      const onRows = (written: number): void => report.progress(task.sourceSize, written);
      return await new TableWriting(threads, task.outputFolder, onRows).write(rows, sql);
    } finally {
      await threads.close();
      await rm(folder, { recursive: true, force: true });
    }
  };
  const made = await convert({ skipBroken, fullUrls: new Map() }, report);
  if (Array.isArray(made)) return made;
  const quiet: Reporter = { progress: () => undefined, warn: () => undefined };
  return (await convert({ skipBroken, fullUrls: made.fullUrls }, quiet)) as ConvertedTable[];
};
