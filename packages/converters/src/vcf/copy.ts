import type { ConversionTask, Reporter, Sql } from '@ploidy/engine';
import type { FileDigest } from '@ploidy/engine/task-runtime';
import { looksAround, storedTable } from '@ploidy/formats';
import { sortRows } from '../tables/table-file.ts';
import { type Given, Threads } from '../threads.ts';
import type { Beginning } from './beginning.ts';
import { MappedRows } from './mapped-rows.ts';
import { mapBlocks } from './stretches/block-map.ts';
import { type BlockDivision, type BlockStretch, blockStretches } from './stretches/block-stretches.ts';
import { openMapping, type StretchOutcome, type StretchTask } from './stretches/mapping-work.ts';
import { LineTooLong, type Stretch, StretchCutter } from './stretches/stretch-cutter.ts';
import type { StretchSettings } from './stretches/stretch-mapper.ts';
import { type StretchPlan, stretchPlan } from './stretches/stretch-plan.ts';
import { VariantFile } from './variant-file.ts';
import { readVcfText } from './vcf-text.ts';

interface Copying {
  task: ConversionTask;
  sql: Sql;
  report: Reporter;
  beginning: Beginning;
  settings: Omit<StretchSettings, 'endsAtBroken' | 'isOneGroup'>;
  /** Receives the text of each record with a symbolic alternate or a breakend, in the order of the file. */
  onStructural: (line: string) => void;
  /** Rows of other tables so far. */
  otherRows: () => number;
  /** Paths of the Parquet files to write; that of `variant_call` if its columns are requested. */
  path: string;
  callsPath?: string;
  /** Replaces the division that follows from the size of the file. */
  plan?: StretchPlan | undefined;
}

const progressEveryMs = 250;
/** Bytes of inflated text; more at once would only be more garbage. */
const chunkBytes = 128 << 10;
/** Bytes of records on both sides of a stretch that may hold its consequences: about a transcript's length. */
const aroundBytes = 256 << 10;
/** Bytes of blocks read after each stretch for the end of its last line. */
const behindBytesMax = 1 << 20;

/**
 * Converts records to Parquet. The lines are mapped and encoded stretch by stretch, those of a large file on several threads
 * (adr/0006). The threads also inflate the blocks of BGZF. Other gzip is inflated here, by zlib: the engine's inflater accepts
 * a truncated file. The engine sorts only rows that are out of order.
 */
export async function copyRecords(copying: Copying): Promise<MappedRows> {
  const { sql, settings } = copying;
  const { mapped, files } = await mapRecords(copying);
  // The first row of a repeated allele counts, and rows of `variant` and `variant_call` stay beside each other.
  const order = { isStable: (settings.sitesOnly ?? false) || files.length > 1 };
  const isSorted = files.every(({ file }) => file.isSorted);
  for (const { path, file, digest } of files) {
    const { values } = file;
    if (isSorted) mapped.written.set(path, { rows: file.rowCount, values, digest });
    else
      mapped.written.set(path, {
        rows: await sortRows(sql, path, storedTable('variant').orderBy, order),
        values,
      });
  }
  return mapped;
}

/** A file of rows in the order of the source. */
interface CopiedFile {
  path: string;
  file: VariantFile;
  digest: FileDigest;
}

/** Writes the rows in the order of the source. After any failure, no file, timer or thread remains open. */
async function mapRecords(copying: Copying): Promise<{ mapped: MappedRows; files: CopiedFile[] }> {
  const { task, report, beginning, settings, otherRows, path, callsPath } = copying;
  const { header } = beginning;
  const { callColumns } = settings;
  await using opened = new AsyncDisposableStack();
  const file = opened.adopt(new VariantFile(path, settings.columns), (one) => one.close());
  const callsFile =
    callColumns && callsPath
      ? opened.adopt(new VariantFile(callsPath, callColumns), (one) => one.close())
      : undefined;
  const rows = new MappedRows(
    { ...copying, sampleCount: settings.sampleCount, headerLineCount: header.lineCount },
    file,
    callsFile,
  );
  const plan = copying.plan ?? planOf(copying);
  const { stretchBytes, threadCount } = plan;
  const threads = opened.adopt(mappingThreads(copying, plan), (one) => one.close());
  const reportProgress = () => report.progress(rows.sourceBytes, rows.rowCount + otherRows());
  opened.adopt(setInterval(reportProgress, progressEveryMs), clearInterval);
  const around = looksAround(settings.layouts) ? aroundBytes : 0;
  const cutter = new StretchCutter(stretchBytes, header.lineCount, around);
  const blocks =
    threadCount > 1 && beginning.compressed && !beginning.isBcf
      ? await mapBlocks(task.sourcePath)
      : undefined;
  const sources = blocks
    ? blockStretches(blocks, divisionOf(copying, stretchBytes, around))
    : stretches(task.sourcePath, cutter);
  try {
    for await (const outcome of threads.inOrder<StretchOutcome>(given(sources, rows))) {
      rows.take(outcome);
      if (!blocks) cutter.reuse(outcome.memory);
    }
  } catch (error) {
    throw error instanceof LineTooLong ? error.at(rows.lineCount + 1) : error;
  }
  const files = [{ path, file, digest: await file.end() }];
  if (callsFile && callsPath) files.push({ path: callsPath, file: callsFile, digest: await callsFile.end() });
  return { mapped: rows, files };
}

/** Lines are mapped into memory that is reused: little becomes garbage, except for consequences, which are built as texts. */
const youngMaxMegabytes = { plain: 6, computed: 24 };

function planOf({ task, sql, beginning, settings }: Copying): StretchPlan {
  const { compressed: isCompressed, records } = beginning;
  const { sampleCount } = settings;
  return stretchPlan({ sourceSize: task.sourceSize, isCompressed, records, sampleCount }, sql.threads);
}

function mappingThreads(
  { task, settings }: Copying,
  { threadCount: count, isOneGroup }: StretchPlan,
): Threads<StretchTask> {
  const known: StretchSettings = { ...settings, isOneGroup, endsAtBroken: task.options.onError !== 'skip' };
  const module = new URL('./stretches/mapping-work.ts', import.meta.url).href;
  const young = youngMaxMegabytes[settings.genomeFiles ? 'computed' : 'plain'];
  const address = { module, name: 'openMapping', known, youngMaxMegabytes: young };
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

/**
 * Bytes read after a stretch: the lines to be checked, or twice the longest of the first lines, within a limit. Missing bytes
 * are read later.
 */
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
  for await (const chunk of readVcfText(path, { onRead, chunkBytes })) {
    yield* cutter.add(chunk, sourceBytes);
    release(chunk);
  }
  yield* cutter.end(sourceBytes);
}

/**
 * Frees the memory of a chunk at once, where it is the last of its buffer: hundreds of them would trigger repeated full garbage
 * collections.
 */
function release({ buffer, byteOffset, byteLength }: Buffer): void {
  const isLast = byteOffset + byteLength === buffer.byteLength;
  // Smaller ones may be part of Node's shared pool.
  if (isLast && buffer.byteLength >= chunkBytes && buffer instanceof ArrayBuffer) buffer.transfer(0);
}
