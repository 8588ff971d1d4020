import { isUtf8 } from 'node:buffer';
import type { ConversionTask, Reporter } from '@ploidy/engine';
import type { FileDigest } from '@ploidy/engine/task-runtime';
import {
  type GenomeBuild,
  InputError,
  MappingCounts,
  type RecordAccount,
  recordFault,
  smallGroupsMax,
  type VcfFault,
  type WrittenValues,
} from '@ploidy/formats';
import type { StretchOutcome } from './stretches/mapping-work.ts';
import { LineTooLong } from './stretches/stretch-cutter.ts';
import type { VariantFile } from './variant-file.ts';

const tab = 0x09;

/** Rows of a complete file. */
interface WrittenRows {
  rows: number;
  values: WrittenValues;
  /** Absent if the engine has rewritten it. */
  digest?: FileDigest;
}

interface MappedRowsDeps {
  task: ConversionTask;
  report: Reporter;
  sampleCount: number;
  headerLineCount: number;
  /** Receives the text of each record with a symbolic alternate or a breakend, in the order of the file. */
  onStructural: (line: string) => void;
}

/**
 * Collects the outcomes of stretches in their order. The first broken line ends it with `InputError`, or each is left out and
 * reported.
 */
export class MappedRows extends MappingCounts {
  /** The complete files by their paths. */
  readonly written = new Map<string, WrittenRows>();
  /** Accounts of the stretches: their records and keys. */
  readonly accounts: RecordAccount[] = [];
  brokenCount = 0;
  /** Builds of the accessions among the chromosomes. */
  readonly genomeBuilds = new Set<GenomeBuild>();
  /** Set if a chromosome is called 23 to 26, as by PLINK. */
  hasNumberedSex = false;
  /** Genome builds, with that of the header. */
  lineCount: number;
  /** Blank lines among the records. */
  blankCount = 0;
  /** Bytes of the source read so far. */
  sourceBytes = 0;
  /** Number of further groups with few rows. It follows from the stretches taken, so that no thread's speed matters. */
  smallGroupsLeft = smallGroupsMax;
  readonly #deps: MappedRowsDeps;
  readonly #file: VariantFile;
  readonly #callsFile: VariantFile | undefined;

  constructor(deps: MappedRowsDeps, file: VariantFile, callsFile?: VariantFile) {
    super();
    this.#deps = deps;
    this.#file = file;
    this.#callsFile = callsFile;
    this.lineCount = deps.headerLineCount;
  }

  take({ memory, sourceBytes, ...mapped }: StretchOutcome): void {
    // Without the columns that would be checked below it may be absent.
    const text = Buffer.from(memory);
    for (const { calls, ...group } of mapped.groups) {
      this.#file.add(group);
      if (calls) this.#callsFile?.add({ ...calls, first: group.first, last: group.last });
    }
    const { structural, broken } = mapped;
    for (let at = 0; at < structural.length; at += 2)
      this.#deps.onStructural(text.toString('utf8', structural[at], structural[at + 1]));
    for (let at = 0; at < broken.length; at += 3)
      this.#broken(this.lineCount + (broken[at] as number), text.subarray(broken[at + 1], broken[at + 2]));
    this.add(mapped.counts);
    this.accounts.push(mapped.account);
    for (const build of mapped.genomeBuilds) this.genomeBuilds.add(build);
    this.hasNumberedSex ||= mapped.hasNumberedSex;
    this.lineCount += mapped.lineCount;
    this.blankCount += mapped.blankCount;
    this.smallGroupsLeft = Math.max(0, this.smallGroupsLeft - mapped.smallGroupCount);
    this.sourceBytes = sourceBytes;
    if (mapped.isCutShort) throw new LineTooLong().at(this.lineCount + 1);
  }

  #broken(line: number, bytes: Buffer): void {
    const { task, sampleCount, report } = this.#deps;
    const { reason, column, isOfFile } = faultOf(bytes, sampleCount);
    if (isOfFile || task.options.onError !== 'skip')
      throw new InputError(`Line ${line} is not a valid VCF record: ${reason}.`, {
        line,
        ...(column && { column }),
      });
    this.brokenCount += 1;
    report.warn({ line, message: `Skipped, it is not a valid VCF record: ${reason}.` });
  }
}

function faultOf(line: Buffer, sampleCount: number): Partial<VcfFault> & { reason: string } {
  if (!isUtf8(line)) return { reason: 'it is not UTF-8 text', column: strangeColumn(line) };
  // A row may be too long by several columns together.
  return recordFault(line.toString('utf8'), sampleCount) ?? { reason: 'its alleles or texts are too long' };
}

/** Names the first column with invalid UTF-8; a tab is never a part of another character there. */
function strangeColumn(line: Buffer): number {
  let column = 1;
  for (let from = 0, to = line.indexOf(tab); to >= 0; from = to + 1, to = line.indexOf(tab, from)) {
    if (!isUtf8(line.subarray(from, to))) break;
    column += 1;
  }
  return column;
}
