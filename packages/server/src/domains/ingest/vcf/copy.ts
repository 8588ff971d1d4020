import { looksAround } from '@ploidy/formats';
import type { ConversionTask, Reporter, Sql } from '../../../platform/engine/conversion.ts';
import { readSource } from '../source.ts';
import { sortedBy } from '../tables/catalogue.ts';
import { sortRows } from '../tables/table-file.ts';
import { type Given, Threads } from '../threads.ts';
import type { Beginning } from './beginning.ts';
import { mapBlocks } from './block-map.ts';
import { type BlockDivision, type BlockStretch, blockStretches } from './block-stretches.ts';
import { MappedRows } from './mapped-rows.ts';
import { openMapping, type Stretch, type StretchOutcome, type StretchTask } from './mapping-work.ts';
import { LineTooLong, StretchCutter } from './stretch-cutter.ts';
import type { StretchSettings } from './stretch-mapper.ts';
import { type StretchPlan, stretchPlan } from './stretch-plan.ts';
import { VariantFile } from './variant-file.ts';

export interface Copying {
  task: ConversionTask;
  sql: Sql;
  report: Reporter;
  beginning: Beginning;
  settings: Omit<StretchSettings, 'endsAtBroken'>;
  /** Takes the text of each record that has a symbolic alternate or a breakend, in the order of the file. */
  onStructural: (line: string) => void;
  /** Rows of other tables so far. */
  otherRows: () => number;
  /** Of the Parquet file to write. */
  path: string;
  /** Instead of the one that follows from the size of the file. */
  plan?: StretchPlan | undefined;
}

const progressEveryMs = 250;
/** Of inflated text; more at once would only be more garbage. */
const chunkBytes = 128 << 10;
/** Of records on both sides of a stretch, where consequences stand at others than those that they are of: a transcript's worth, in most files. */
const aroundBytes = 256 << 10;
/** Of blocks that are read behind each stretch for the end of its last line. */
const behindBytesMax = 1 << 20;

/**
 * Records → Parquet. The lines are mapped and encoded stretch by stretch, those of a large file on several threads (adr/0011), which also inflate the blocks of
 * BGZF; other gzip is inflated here (by zlib: the engine's inflater takes a truncated file for complete). Only what does not come in order is sorted by the engine.
 */
export async function copyRecords(copying: Copying): Promise<MappedRows> {
  const { task, sql, report, beginning, otherRows, path } = copying;
  const file = new VariantFile(path, copying.settings.columns);
  const rows = new MappedRows(copying, file);
  const tell = () => report.progress(rows.sourceBytes, rows.rowCount + otherRows());
  const timer = setInterval(tell, progressEveryMs);
  const { stretchBytes, threadCount } =
    copying.plan ?? stretchPlan(task.sourceSize, beginning.compressed, sql.threads);
  const threads = mappingThreads(copying, threadCount);
  const around = looksAround(copying.settings.layouts) ? aroundBytes : 0;
  const cutter = new StretchCutter(stretchBytes, beginning.header.lineCount, around);
  const blocks = threadCount > 1 && beginning.compressed ? await mapBlocks(task.sourcePath) : undefined;
  const sources = blocks
    ? blockStretches(blocks, divisionOf(copying, stretchBytes, around))
    : stretches(task.sourcePath, cutter);
  try {
    for await (const outcome of threads.inOrder<StretchOutcome>(given(sources, rows))) {
      rows.take(outcome);
      if (!blocks) cutter.reuse(outcome.memory);
    }
    rows.seal = await file.end();
  } catch (error) {
    throw error instanceof LineTooLong ? error.at(rows.lineCount + 1) : error;
  } finally {
    clearInterval(timer);
    await threads.close();
    file.close();
  }
  if (!file.isSorted) {
    rows.seal = undefined;
    // Of an allele that is known twice the first counts.
    await sortRows(sql, path, sortedBy['variant'] ?? [], { isStable: copying.settings.sitesOnly ?? false });
  }
  return rows;
}

/** Lines are mapped into memory that is used again: little becomes garbage. */
const youngMaxMegabytes = 6;

function mappingThreads({ task, settings }: Copying, count: number): Threads<StretchTask> {
  const known: StretchSettings = { ...settings, endsAtBroken: task.options.onError !== 'skip' };
  const module = new URL('./mapping-work.ts', import.meta.url).href;
  const address = { module, name: 'openMapping', known, youngMaxMegabytes };
  const threads = new Threads<StretchTask>(address, openMapping(known), count);
  threads.start();
  return threads;
}

async function* given(
  sources: Iterable<BlockStretch> | AsyncIterable<Stretch>,
  rows: MappedRows,
): AsyncGenerator<Given<StretchTask>> {
  for await (const source of sources) {
    const moved = 'memory' in source ? [source.memory] : [];
    yield { task: { source, smallGroupsLeft: rows.smallGroupsLeft }, moved };
  }
}

/** Behind a stretch are read the lines to be looked at, or twice the longest of the first lines, if that is not much: what is missing is read later. */
function divisionOf({ task, beginning }: Copying, stretchBytes: number, around: number): BlockDivision {
  const longest = Math.max(...beginning.records.map(({ length }) => length));
  const { headerBytes } = beginning;
  const behindBytes = Math.max(around, Math.min(longest * 2, behindBytesMax));
  return { path: task.sourcePath, headerBytes, stretchBytes, beforeBytes: around, behindBytes };
}

async function* stretches(path: string, cutter: StretchCutter): AsyncGenerator<Stretch> {
  let sourceBytes = 0;
  const onRead = (bytes: number): void => {
    sourceBytes = bytes;
  };
  for await (const chunk of readSource(path, { onRead, chunkBytes })) {
    yield* cutter.add(chunk, sourceBytes);
    release(chunk);
  }
  yield* cutter.end(sourceBytes);
}

/**
 * Gives the memory of a chunk back at once, where it is the last of its buffer: hundreds of them would have the collector of garbage go through
 * everything again and again.
 */
function release({ buffer, byteOffset, byteLength }: Buffer): void {
  const isLast = byteOffset + byteLength === buffer.byteLength;
  // Smaller ones may be of the pool that all of Node shares.
  if (isLast && buffer.byteLength >= chunkBytes && buffer instanceof ArrayBuffer) buffer.transfer(0);
}
