import { bytesOf, concreteBase, equal, find, grown, isBase, isDigit, textOf, upperOf } from '../../bytes.ts';
import { columnsBeforeSamples, fixedColumns } from '../header.ts';
import { areAlternates, repeatsSequence, unspecifiedAlternates } from '../record.ts';

const infoColumn = 7;
const unspecified = unspecifiedAlternates.map(bytesOf);

/** Positions of the fields and alternates of one line. The next line reuses its arrays. */
export class RecordLine {
  bytes: Uint8Array = new Uint8Array();
  end = 0;
  /** Start of each column before the samples, and of the first sample; a column ends one before the next begins. */
  readonly starts = new Int32Array(columnsBeforeSamples + 2);
  columnCount = 0;
  position = 0;
  alternateCount = 0;
  /** Set if all alternates are sequences. */
  isPlain = true;
  alternateStarts = new Int32Array(16);
  alternateEnds = new Int32Array(16);

  /** Reads a line; returns whether it has the columns before the samples, a sound position and sound alleles. */
  read(bytes: Uint8Array, start: number, end: number): boolean {
    this.bytes = bytes;
    this.end = end;
    const { starts } = this;
    let column = 0;
    starts[0] = start;
    let at = start;
    while (column < infoColumn && at < end) if (bytes[at++] === 9) starts[++column] = at;
    if (column === infoColumn && at < end) {
      // INFO is long: the built-in search is faster for it than a loop.
      const next = bytes.indexOf(9, at);
      at = next < 0 || next >= end ? end : next + 1;
      if (next >= 0 && next < end) starts[++column] = at;
    }
    while (column >= infoColumn + 1 && column < columnsBeforeSamples && at < end)
      if (bytes[at++] === 9) starts[++column] = at;
    this.columnCount = column + 1;
    starts[column + 1] = end + 1;
    if (this.columnCount < fixedColumns.length) return false;
    return (
      this.endOf(0) > start &&
      bytes[start] !== 35 &&
      this.#hasPosition() &&
      this.#hasReference() &&
      this.#hasAlternates()
    );
  }

  startOf(column: number): number {
    return this.starts[column] as number;
  }

  endOf(column: number): number {
    return (this.starts[column + 1] as number) - 1;
  }

  is(column: number, text: string): boolean {
    const start = this.startOf(column);
    if (this.endOf(column) - start !== text.length) return false;
    for (let index = 0; index < text.length; index += 1) {
      if (this.bytes[start + index] !== text.charCodeAt(index)) return false;
    }
    return true;
  }

  /** Returns whether QUAL is absent, a number, or a word for a missing one (VCF 4.3 §1.3). */
  hasSoundQuality(): boolean {
    const start = this.startOf(5);
    const end = this.endOf(5);
    let at = start;
    while (at < end && (isDigit(this.bytes[at]) || this.bytes[at] === 46)) at += 1;
    return (
      at === end ||
      /^(?:\+?[\d.]+(?:e[-+]?\d+)?|-0(?:\.0*)?|[-+]?(?:inf(?:inity)?|nan))$/i.test(
        textOf(this.bytes, start, end),
      )
    );
  }

  /** Returns whether an alternate is neither a sequence nor a placeholder for any other allele. */
  isStructural(): boolean {
    const { bytes, alternateStarts, alternateEnds } = this;
    for (let place = 0; place < this.alternateCount; place += 1) {
      const start = alternateStarts[place] as number;
      const end = alternateEnds[place] as number;
      if (this.#areBases(start, end)) continue;
      if (!unspecified.some((text) => equal(bytes, start, end, text))) return true;
    }
    return false;
  }

  /** Returns whether an alternate, from 1, is a sequence other than the reference. */
  isSequence(alternate: number): boolean {
    const place = alternate - 1;
    const isPlain = this.#areBases(
      this.alternateStarts[place] as number,
      this.alternateEnds[place] as number,
    );
    return isPlain && !this.isReference(alternate);
  }

  /** Returns whether an alternate, from 1, is the reference. */
  isReference(alternate: number): boolean {
    const { bytes } = this;
    const start = this.alternateStarts[alternate - 1] as number;
    const end = this.alternateEnds[alternate - 1] as number;
    const from = this.startOf(3);
    if (this.endOf(3) - from !== end - start) return false;
    for (let at = start; at < end; at += 1)
      if (upperOf(bytes[at] as number) !== concreteBase(bytes[from + at - start] as number)) return false;
    return true;
  }

  #hasPosition(): boolean {
    const start = this.startOf(1);
    const end = this.endOf(1);
    if (end === start || end - start > 15) return false;
    this.position = 0;
    for (let at = start; at < end; at += 1) {
      if (!isDigit(this.bytes[at])) return false;
      this.position = this.position * 10 + (this.bytes[at] as number) - 48;
    }
    return true;
  }

  #hasReference(): boolean {
    const start = this.startOf(3);
    const end = this.endOf(3);
    for (let at = start; at < end; at += 1) if (!isBase(this.bytes[at] as number)) return false;
    return end > start;
  }

  #hasAlternates(): boolean {
    const start = this.startOf(4);
    const end = this.endOf(4);
    this.alternateCount = 0;
    this.isPlain = true;
    for (let from = start; from <= end; ) {
      const comma = find(this.bytes, 44, from, end);
      const to = comma < 0 ? end : comma;
      this.isPlain &&= to > from && this.#areBases(from, to);
      this.#addAlternate(from, to);
      from = to + 1;
    }
    if (!this.isPlain && !areAlternates(textOf(this.bytes, start, end))) return false;
    return this.alternateCount === 1 || !repeatsSequence(textOf(this.bytes, start, end));
  }

  #areBases(start: number, end: number): boolean {
    for (let at = start; at < end; at += 1) if (!isBase(this.bytes[at] as number)) return false;
    return true;
  }

  #addAlternate(start: number, end: number): void {
    if (this.alternateCount === this.alternateStarts.length) {
      this.alternateStarts = grown(this.alternateStarts);
      this.alternateEnds = grown(this.alternateEnds);
    }
    this.alternateStarts[this.alternateCount] = start;
    this.alternateEnds[this.alternateCount] = end;
    this.alternateCount += 1;
  }
}
