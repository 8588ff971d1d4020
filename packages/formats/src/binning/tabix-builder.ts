import { BaiBuilder } from '../bai/index.ts';
import type { VirtualOffset } from '../bgzf/index.ts';
import { bytesOf, find, joinedBytes, textOf } from '../bytes.ts';
import { InputError } from '../input-error.ts';
import { positionsMax } from './bins.ts';
import { type Column, endOfRecord } from './record-end.ts';
import { vcfFormat } from './tabix.ts';

const tab = 9;
const hash = 35;
const formatColumn = 8;
/** Sites without ALT and INFO are accepted, as in tabix. */
const columnsMin = 4;

/** Range of a record on its sequence: 0-based, half-open. */
export interface RecordPlace {
  name: string;
  begin: number;
  end: number;
}

/**
 * Builds the tabix index of a VCF from its lines, as `tabix -p vcf` does: bins, windows and counts are those of a BAI. Records of a BCF
 * are added by their places.
 */
export class TabixBuilder {
  readonly #names = new Map<string, number>();
  #builder: BaiBuilder | undefined;
  #name = '';
  #begin = 0;
  /** Lines of a VCF, or records of a BCF. */
  #count = 0;
  #unit: 'Line' | 'Record' = 'Line';
  /** Records so far. */
  records = 0;

  /**
   * Adds the next line, without its end; `start` and `next`: start of the line and of what follows. InputError when it cannot
   * be indexed.
   */
  add(line: Uint8Array, start: VirtualOffset, next: VirtualOffset): void {
    this.#count += 1;
    if (line.length === 0 || line[0] === hash) return;
    this.#place(this.#placeOf(line), start, next);
  }

  /** Adds the place of the next record of a BCF. */
  addRecord(place: RecordPlace, start: VirtualOffset, next: VirtualOffset): void {
    this.#unit = 'Record';
    this.#count += 1;
    this.#place(place, start, next);
  }

  #place({ name, begin, end }: RecordPlace, start: VirtualOffset, next: VirtualOffset): void {
    if (end > positionsMax) throw this.#error('is beyond 512 Mb, the limit of a tabix index');
    if (name !== this.#name) this.#beginSequence(name);
    else if (begin < this.#begin)
      throw this.#error('is before the previous record: sort the file (bcftools sort)');
    this.#begin = begin;
    this.#builder ??= new BaiBuilder(0, start);
    const referenceId = this.#names.size - 1;
    this.#builder.add({ referenceId, position: begin, end, isMapped: true }, next);
    this.records += 1;
  }

  /** Returns the uncompressed bytes of the index, once all lines were added, followed by places by block. */
  finish(): Uint8Array {
    const names = bytesOf([...this.#names.keys()].map((name) => `${name}\0`).join(''));
    const head = new Uint8Array(36 + names.length);
    const view = new DataView(head.buffer);
    head.set(bytesOf('TBI\x01'));
    // Sequence and position are the first two columns, without an end column; `#` begins other lines, from the first on.
    const numbers = [this.#names.size, vcfFormat, 1, 2, 0, hash, 0, names.length];
    for (const [at, number] of numbers.entries()) view.setInt32(4 + at * 4, number, true);
    head.set(names, 36);
    // After its magic number and count, a BAI equals the part of tabix after the names.
    const builder = this.#builder ?? new BaiBuilder(0, 0);
    return joinedBytes([head, builder.finish().subarray(8), builder.finishExtents()]);
  }

  #beginSequence(name: string): void {
    if (this.#names.has(name))
      throw this.#error('returns to an earlier sequence: sort the file (bcftools sort)');
    this.#names.set(name, this.#names.size);
    this.#name = name;
    this.#begin = 0;
  }

  #placeOf(line: Uint8Array): RecordPlace {
    const columns = columnsOf(line);
    const [sequence, position] = columns;
    const text = position && columns.length >= columnsMin ? textOf(line, position.start, position.end) : '';
    if (sequence === undefined || !/^\d{1,10}$/.test(text)) {
      throw this.#error('is not a VCF record: it has no sequence and position');
    }
    // 0 is the telomere, before the first base (VCF §1.6.1).
    const begin = Math.max(0, Number(text) - 1);
    return {
      name: textOf(line, sequence.start, sequence.end),
      begin,
      end: endOfRecord(line, columns, begin),
    };
  }

  #error(what: string): InputError {
    const place = this.#unit === 'Line' ? { line: this.#count } : {};
    return new InputError(`${this.#unit} ${this.#count} ${what}.`, place);
  }
}

/** Columns from CHROM to FORMAT, as many as the line has. */
function columnsOf(line: Uint8Array): Column[] {
  const columns: Column[] = [];
  let start = 0;
  while (columns.length <= formatColumn) {
    const found = find(line, tab, start, line.length);
    columns.push({ start, end: found < 0 ? line.length : found });
    if (found < 0) break;
    start = found + 1;
  }
  return columns;
}
