import { find, isDigit, textOf } from '../../bytes.ts';
import type { Dictionary } from '../../parquet/index.ts';
import { columnsBeforeSamples, type FieldDefinition } from '../header.ts';
import { hasUncalledGenotypes, uncalledKeys } from './local-genotypes.ts';
import type { RecordLine } from './record-line.ts';

const formatColumn = columnsBeforeSamples - 1;
const missing = -2;
const zero = 48;

/** Samples of a record that carry some alternate. The next record reuses its arrays. */
export class Carriers {
  readonly sampleCount: number;
  count = 0;
  /** Number of the sample, from 1. */
  readonly samples: Int32Array;
  /** Start of the genotype; -1 without one. */
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** Start of the column of the sample. */
  readonly columns: Int32Array;
  /** Set if the record has genotypes. */
  hasGenotypes = false;
  /** Set if some allele of a sample is called. */
  hasCalls = false;
  /** Starts of the columns of all samples of a record in which none is called. */
  readonly #columnsOfAll: Int32Array;
  /** Keys whose values name no carrier. */
  readonly #uncalled: ReadonlySet<string>;
  /** Number of the sample that carries records without genotypes; 0: unknown. */
  readonly #ungenotyped: number;
  /** Start of the current column. */
  #column = 0;
  /** Alternates of carriers without genotypes of which no read was seen. */
  readonly #unseen = new Set<number>();

  /**
   * `tumor`: index of the sample of somatic calls without genotypes. Where a header defines GT, a record without it calls no sample.
   */
  constructor(
    sampleCount: number,
    tumor: number | undefined,
    format: ReadonlyMap<string, FieldDefinition> = new Map(),
  ) {
    this.sampleCount = sampleCount;
    this.#uncalled = uncalledKeys(format);
    const isSole = sampleCount === 1 && !format.has('GT');
    this.#ungenotyped = isSole ? 1 : (tumor ?? -1) + 1;
    this.samples = new Int32Array(sampleCount);
    this.starts = new Int32Array(sampleCount);
    this.ends = new Int32Array(sampleCount);
    this.columns = new Int32Array(sampleCount);
    this.#columnsOfAll = new Int32Array(sampleCount);
  }

  /** Set if no sample is called, though its reads may be counted. */
  get mayBeUncalled(): boolean {
    return this.count === 0 && !this.hasCalls && (this.hasGenotypes || this.sampleCount === 1);
  }

  /** Returns whether reads may decide who carries a record: no sample has a genotype. */
  isUngenotyped(hasPassed: boolean): boolean {
    return this.count > 0 ? !this.hasGenotypes : this.mayBeUncalled && hasPassed;
  }

  /** Reads a line; returns whether it has as many samples as the header, with sound genotypes. */
  read(line: RecordLine): boolean {
    const { bytes, end } = line;
    this.count = 0;
    this.hasCalls = false;
    if (this.#unseen.size > 0) this.#unseen.clear();
    if (line.columnCount <= columnsBeforeSamples) return false;
    const place = genotypePlace(line);
    this.hasGenotypes = place >= 0;
    const isOwned = place < 0 && this.#ungenotyped > 0 && !hasUncalledGenotypes(line, this.#uncalled);
    const carrier = isOwned ? this.#ungenotyped : 0;
    let at = line.startOf(columnsBeforeSamples);
    const colonsMax = colonsIn(bytes, line.startOf(formatColumn), line.endOf(formatColumn));
    for (let sample = 1; ; sample += 1) {
      const carriers = this.count;
      if (sample > this.sampleCount) return at === end;
      this.#column = at;
      this.#columnsOfAll[sample - 1] = at;
      const next =
        place < 0
          ? this.#withoutGenotype(sample, sample === carrier)
          : this.#genotype(line, sample, at, place);
      if (next === undefined) return false;
      at = next < 0 ? at : next;
      while (at < end && bytes[at] !== 9) at += 1;
      // The values of others are not read.
      if (this.count > carriers && colonsIn(bytes, this.#column, at) > colonsMax) return false;
      if (at === end) return sample === this.sampleCount;
      at += 1;
    }
  }

  /** Returns the index of a genotype among the texts, with this alternate as 1 and every other one as 0; -1 without one. */
  take(line: RecordLine, carrier: number, alternate: number, texts: Dictionary): number {
    const start = this.starts[carrier] as number;
    if (start < 0) return -1;
    const end = this.ends[carrier] as number;
    if (line.alternateCount === 1) return texts.take(line.bytes, start, end);
    const target = texts.begin();
    for (let at = start; at < end; ) {
      const byte = line.bytes[at++] as number;
      if (!isDigit(byte)) {
        target.byte(byte);
        continue;
      }
      let allele = byte - 48;
      for (; at < end && isDigit(line.bytes[at]); at += 1)
        allele = allele * 10 + (line.bytes[at] as number) - 48;
      target.byte(allele === alternate ? 49 : 48);
    }
    return texts.end();
  }

  /** Returns whether a carrier's genotype names this alternate; without a genotype, unless its reads deny it. */
  carries(line: RecordLine, carrier: number, alternate: number): boolean {
    const start = this.starts[carrier] as number;
    if (start < 0) return !this.#unseen.has(unseenKey(carrier, alternate));
    if (line.alternateCount === 1) return true;
    let allele = 0;
    for (let at = start; at <= (this.ends[carrier] as number); at += 1) {
      const byte = line.bytes[at];
      if (at < (this.ends[carrier] as number) && isDigit(byte)) allele = allele * 10 + (byte as number) - 48;
      else if (allele === alternate) return true;
      else allele = 0;
    }
    return false;
  }

  /** Returns whether some genotype names this alternate; true without samples. */
  someCarry(line: RecordLine, alternate: number): boolean {
    if (this.sampleCount === 0 || line.alternateCount === 1) return true;
    for (let carrier = 0; carrier < this.count; carrier += 1)
      if (this.carries(line, carrier, alternate)) return true;
    return false;
  }

  /** Takes the samples of a record without any call for which `isSupported` holds, by the start of their column. */
  takeUncalled(isSupported: (column: number) => boolean): void {
    for (let sample = 1; sample <= this.sampleCount; sample += 1) {
      this.#column = this.#columnsOfAll[sample - 1] as number;
      if (isSupported(this.#column)) this.#add(sample, -1, -1);
    }
  }

  /**
   * Drops from carriers without a genotype the alternates of which no read was seen: such reads are a call. `isUnseen`: undefined
   * where a part of the reads was counted, which is none.
   */
  dropUnseen(
    alternateCount: number,
    isUnseen: (column: number, alternate: number) => boolean | undefined,
  ): void {
    for (let carrier = 0; carrier < this.count; carrier += 1)
      for (let alternate = 1; alternate <= alternateCount; alternate += 1) {
        const found = isUnseen(this.columns[carrier] as number, alternate);
        this.hasCalls ||= found === true;
        if (found !== false) this.#unseen.add(unseenKey(carrier, alternate));
      }
    if (this.#unseen.size === this.count * alternateCount) this.count = 0;
  }

  /** Drops carriers. */
  keep(isKept: (column: number) => boolean): void {
    let kept = 0;
    for (let carrier = 0; carrier < this.count; carrier += 1) {
      if (!isKept(this.columns[carrier] as number)) continue;
      for (const values of [this.samples, this.starts, this.ends, this.columns])
        values[kept] = values[carrier] as number;
      kept += 1;
    }
    this.count = kept;
  }

  #withoutGenotype(sample: number, isCarrier: boolean): number {
    if (isCarrier) this.#add(sample, -1, -1);
    return -1;
  }

  /** Returns the place after the genotype; undefined when it cannot be read. */
  #genotype(line: RecordLine, sample: number, from: number, place: number): number | undefined {
    const { bytes, end } = line;
    let start = from;
    for (let skipped = 0; skipped < place; skipped += 1) {
      while (start < end && bytes[start] !== 58 && bytes[start] !== 9) start += 1;
      if (start === end || bytes[start] === 9) return start;
      start += 1;
    }
    const separator = bytes[start + 1];
    if (
      start + 3 <= end &&
      (separator === 47 || separator === 124) &&
      (start + 3 === end || bytes[start + 3] === 58 || bytes[start + 3] === 9)
    ) {
      const first = alleleOf(bytes[start] as number);
      const second = alleleOf(bytes[start + 2] as number);
      if (first !== undefined && second !== undefined) {
        if (first > line.alternateCount || second > line.alternateCount) return undefined;
        if (first >= 0 || second >= 0) this.hasCalls = true;
        if (first > 0 || second > 0) this.#add(sample, start, start + 3);
        return start + 3;
      }
    }
    return this.#anyGenotype(line, sample, start);
  }

  /** Reads any ploidy, any number of digits, a separator in front. */
  #anyGenotype(line: RecordLine, sample: number, start: number): number | undefined {
    const { bytes, end } = line;
    let stop = start;
    while (stop < end && bytes[stop] !== 58 && bytes[stop] !== 9) stop += 1;
    if (stop === start) return stop;
    let at = bytes[start] === 47 || bytes[start] === 124 ? start + 1 : start;
    let isCarrier = false;
    for (;;) {
      const first = at;
      let allele = 0;
      if (bytes[at] === 46) at += 1;
      else
        for (this.hasCalls = true; at < stop && isDigit(bytes[at]); at += 1)
          allele = allele * 10 + (bytes[at] as number) - 48;
      if (at === first || at > stop || at - first > 6 || allele > line.alternateCount) return undefined;
      if (bytes[first] === zero && at > first + 1) return undefined;
      isCarrier ||= allele > 0;
      if (at === stop) break;
      if (bytes[at] !== 47 && bytes[at] !== 124) return undefined;
      at += 1;
    }
    if (isCarrier) this.#add(sample, start, stop);
    return stop;
  }

  #add(sample: number, start: number, end: number): void {
    this.samples[this.count] = sample;
    this.starts[this.count] = start;
    this.ends[this.count] = end;
    this.columns[this.count] = this.#column;
    this.count += 1;
  }
}

const unseenKey = (carrier: number, alternate: number): number => carrier * 0x1_0000_0000 + alternate;

function alleleOf(byte: number): number | undefined {
  if (byte >= 48 && byte <= 57) return byte - 48;
  return byte === 46 ? missing : undefined;
}

/** Returns the index of GT among the fields of a sample, -1 without one. It is nearly always the first. */
function genotypePlace(line: RecordLine): number {
  const { bytes } = line;
  const start = line.startOf(formatColumn);
  const end = line.endOf(formatColumn);
  if (bytes[start] === 71 && bytes[start + 1] === 84 && (end === start + 2 || bytes[start + 2] === 58))
    return 0;
  if (find(bytes, 71, start, end) < 0) return -1;
  return textOf(bytes, start, end).split(':').indexOf('GT');
}

function colonsIn(bytes: Uint8Array, start: number, end: number): number {
  let count = 0;
  for (let at = start; at < end; at += 1) if (bytes[at] === 58) count += 1;
  return count;
}
