import { isUtf8 } from 'node:buffer';
import {
  type EncodedGroup,
  encodeGroup,
  type GenomeBuild,
  type MappingSettings,
  type PlainCounts,
  type RecordAccount,
  RecordMapper,
  type SortedGroup,
} from '@ploidy/formats';
import { compressPage } from '../../tables/compress-page.ts';
import { type GenomeFiles, openGenome } from '../genome-files.ts';
import type { Stretch } from './stretch-cutter.ts';

/** ASCII's unit separator; sound records do not contain it. */
const unitSeparator = 31;
const newline = 10;
const carriageReturn = 13;

/** Facts about a file that mapping needs. Plain data, which is sent to threads. */
export interface StretchSettings
  extends Omit<MappingSettings, 'onGroup' | 'onStructural' | 'seen' | 'genome'> {
  /** INFO keys of the first records. */
  seen: readonly string[];
  /** Gene models for records without annotations. */
  genomeFiles?: GenomeFiles | undefined;
  /** Set if a stretch ends at its first broken line. */
  endsAtBroken: boolean;
}

/** A row group, encoded, and the keys of its ends. */
export interface MappedGroup extends EncodedGroup, Pick<SortedGroup, 'first' | 'last'> {
  /** Rows of the group in `variant_call`. */
  calls?: EncodedGroup | undefined;
}

/** Outcome of a stretch. Plain data, which is sent between threads. Places count from the start of its memory. */
export interface MappedStretch {
  groups: MappedGroup[];
  counts: PlainCounts;
  /** Builds of accessions in this or an earlier stretch of the thread. */
  genomeBuilds: readonly GenomeBuild[];
  hasNumberedSex: boolean;
  lineCount: number;
  /** Lines without text, with those of the stretch. */
  blankCount: number;
  account: RecordAccount;
  /** Groups with few rows that chromosomes have of their own. */
  smallGroupCount: number;
  /** Start and end of each structural record. */
  structural: Int32Array;
  /** Number from 1, start and end of each line that is no record. */
  broken: Int32Array;
}

/** Maps whole lines of a VCF to row groups of `variant`. The groups depend on the stretch alone, not on earlier ones. */
export class StretchMapper {
  readonly #endsAtBroken: boolean;
  readonly #mapper: RecordMapper;
  #groups: MappedGroup[] = [];
  #structural: number[] = [];
  #broken: number[] = [];
  #blankCount = 0;

  constructor({ endsAtBroken, genomeFiles, ...settings }: StretchSettings) {
    this.#endsAtBroken = endsAtBroken;
    const genome = genomeFiles && openGenome(genomeFiles);
    this.#mapper = new RecordMapper({
      ...settings,
      bases: genome?.bases,
      // Known alleles have the annotations of their file alone.
      genome: settings.sitesOnly ? undefined : genome,
      onGroup: ({ columns, calls, first, last }) => {
        const group = encodeGroup(columns, compressPage);
        this.#groups.push({ first, last, ...group, calls: calls && encodeGroup(calls, compressPage, group) });
      },
      onStructural: (start, end) => this.#structural.push(start, end),
    });
  }

  /** Blank lines are dropped. `smallGroupsLeft`: maximum number of small groups. */
  map({ memory, start, before, byteCount, textBytes }: Stretch, smallGroupsLeft: number): MappedStretch {
    const mapper = this.#mapper;
    mapper.smallGroupsLeft = smallGroupsLeft;
    mapper.begin(Buffer.from(memory, start, textBytes - start));
    const lineCount = this.#lines(Buffer.from(memory, 0, byteCount), before);
    mapper.end();
    const mapped = {
      groups: this.#groups,
      counts: mapper.counts,
      genomeBuilds: [...mapper.genomeBuilds],
      hasNumberedSex: mapper.hasNumberedSex,
      lineCount,
      blankCount: this.#blankCount,
      account: mapper.takeAccount(),
      smallGroupCount: smallGroupsLeft - mapper.smallGroupsLeft,
      structural: Int32Array.from(this.#structural),
      broken: Int32Array.from(this.#broken),
    };
    this.#blankCount = 0;
    this.#groups = [];
    this.#structural = [];
    this.#broken = [];
    return mapped;
  }

  /** Maps the lines of a stretch. Checks that apply to all lines at once are not repeated for each. */
  #lines(text: Buffer, from: number): number {
    const mapper = this.#mapper;
    const own = text.subarray(from);
    const isEven = isUtf8(own) && !own.includes(carriageReturn) && !own.includes(unitSeparator);
    let line = 0;
    let start = from;
    for (let end = text.indexOf(newline, from); end >= 0; end = text.indexOf(newline, start)) {
      line += 1;
      const stop = isEven || text[end - 1] !== carriageReturn ? end : end - 1;
      if (stop <= start) this.#blankCount += 1;
      else if (!((isEven || isClean(text, start, stop)) && mapper.map(text, start, stop))) {
        this.#broken.push(line, start, stop);
        if (this.#endsAtBroken) return line;
      }
      start = end + 1;
    }
    return line;
  }
}

function isClean(text: Buffer, start: number, end: number): boolean {
  const line = text.subarray(start, end);
  return isUtf8(line) && !line.includes(carriageReturn) && !line.includes(unitSeparator);
}
