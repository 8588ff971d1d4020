import { isUtf8 } from 'node:buffer';
import { type GenomeBuild, InputError, recordFault, smallGroupsMax } from '@ploidy/formats';
import type { Seal } from '../../../platform/engine/worker/digest.ts';
import type { Copying } from './copy.ts';
import type { StretchOutcome } from './mapping-work.ts';
import { LineTooLong } from './stretch-cutter.ts';
import type { VariantFile } from './variant-file.ts';

const tab = 0x09;

/**
 * What the stretches of a file have given so far, taken in their order. The first broken line ends it with `InputError`, or each is left out and
 * reported.
 */
export class MappedRows {
  rowCount = 0;
  /** Of their file, once it is complete; undefined when the engine has written it anew. */
  seal: Seal | undefined;
  /** Records of sequences, of several samples without GT: nothing says whose they are, they give no rows. */
  withoutGenotypeCount = 0;
  /** Alternates for which annotations were left out, because nothing says whose they are. */
  unclearCount = 0;
  /** What the accessions among the chromosomes are of. */
  readonly genomeBuilds = new Set<GenomeBuild>();
  /** With those of the header. */
  lineCount: number;
  /** Of the source. */
  sourceBytes = 0;
  /** How many more groups of few rows there may be, by what was taken: that does not depend on which thread was faster. */
  smallGroupsLeft = smallGroupsMax;
  readonly #copying: Copying;
  readonly #file: VariantFile;

  constructor(copying: Copying, file: VariantFile) {
    this.#copying = copying;
    this.#file = file;
    this.lineCount = copying.beginning.header.lineCount;
  }

  take({ memory, sourceBytes, ...mapped }: StretchOutcome): void {
    // Without what would be asked for below it may be gone.
    const text = Buffer.from(memory);
    for (const group of mapped.groups) this.#file.add(group);
    const { structural, broken } = mapped;
    for (let at = 0; at < structural.length; at += 2)
      this.#copying.onStructural(text.toString('utf8', structural[at], structural[at + 1]));
    for (let at = 0; at < broken.length; at += 3)
      this.#broken(this.lineCount + (broken[at] as number), text.subarray(broken[at + 1], broken[at + 2]));
    this.rowCount += mapped.rowCount;
    this.withoutGenotypeCount += mapped.withoutGenotypeCount;
    this.unclearCount += mapped.unclearCount;
    for (const build of mapped.genomeBuilds) this.genomeBuilds.add(build);
    this.lineCount += mapped.lineCount;
    this.smallGroupsLeft = Math.max(0, this.smallGroupsLeft - mapped.smallGroupCount);
    this.sourceBytes = sourceBytes;
    if (mapped.isCutShort) throw new LineTooLong().at(this.lineCount + 1);
  }

  #broken(line: number, bytes: Buffer): void {
    const { task, settings, report } = this.#copying;
    const { reason, column } = faultOf(bytes, settings.sampleCount);
    if (task.options.onError !== 'skip')
      throw new InputError(`Line ${line} is no VCF record: ${reason}.`, { line, ...(column && { column }) });
    report.warn({ line, message: `Skipped, it is no VCF record: ${reason}.` });
  }
}

function faultOf(line: Buffer, sampleCount: number): { reason: string; column?: number } {
  if (!isUtf8(line)) return { reason: 'it is not UTF-8 text', column: strangeColumn(line) };
  // A row may be too long by what several columns say together.
  return recordFault(line.toString('utf8'), sampleCount) ?? { reason: 'its alleles or texts are too long' };
}

/** The first column with bytes that are no UTF-8, in which a tab is never a part of another character. */
function strangeColumn(line: Buffer): number {
  let column = 1;
  for (let from = 0, to = line.indexOf(tab); to >= 0; from = to + 1, to = line.indexOf(tab, from)) {
    if (!isUtf8(line.subarray(from, to))) break;
    column += 1;
  }
  return column;
}
