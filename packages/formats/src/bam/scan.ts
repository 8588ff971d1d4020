import { BaiBuilder, baiPositionMax } from '../bai/builder.ts';
import { InputError } from '../input-error.ts';
import { BlockPlaces, type ContentBlock } from './block-places.ts';
import { type BamHeader, readBamHeader } from './header.ts';
import { CoordinateOrder, requireDistinctNames, SequenceEnds } from './order.ts';
import { GroupCounter } from './read-counts.ts';
import { BamRecord, recordBytesMax, recordFlags } from './record.ts';
import { parseSamHeader, type SamHeader } from './sam-header.ts';

/** Content of a file of reads, after it was read to the end. */
export interface ScannedReads {
  header: BamHeader;
  sam: SamHeader;
  /** Reads and bases by read group, in the order of the header. */
  counts: GroupCounter;
  records: number;
  /** Mapped reads that reach beyond the end of their sequence. */
  beyondCount: number;
}

/** Content of a BAM. */
export interface ScannedBam extends ScannedReads {
  /** Bytes of its BAI, followed by our own extension if it has one. */
  index: Uint8Array;
  extents: Uint8Array;
}

/**
 * Reads a BAM in one pass, from its uncompressed bytes and their blocks: checks records and their order, counts them, and
 * builds the index. Memory holds one batch and the index. Throws `InputError` that names the record.
 */
export class BamScan {
  readonly #places = new BlockPlaces();
  readonly #record = new BamRecord();
  /** Buffer for all that is read; `#length` bytes of it are filled. */
  #bytes = new Uint8Array(0);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;
  #position = 0;
  /** Bytes that are needed before reading can continue. */
  #needed = 0;
  #header: BamHeader | undefined;
  #sam: SamHeader | undefined;
  #counts = new GroupCounter([]);
  #index = new BaiBuilder(0, 0);
  #order = new CoordinateOrder(0);
  /** Records read so far. */
  records = 0;
  #ends = new SequenceEnds([]);

  /** Adds the content of the next blocks; `nextStart`: start of the block after them in the file. */
  take(content: Uint8Array, blocks: readonly ContentBlock[], nextStart: number): void {
    const rest = this.#length - this.#position;
    this.#places.take(this.#position, rest, blocks, nextStart);
    this.#append(content);
    if (this.#length < this.#needed) return;
    if (!this.#header) this.#readHeader();
    if (this.#header) this.#readRecords();
  }

  /** Ends the file. */
  finish(): ScannedBam {
    if (!this.#header || !this.#sam)
      throw new InputError('The file ends within its header: it is not complete.');
    if (this.#position < this.#length) {
      throw new InputError(`The file ends within record ${this.records + 1}: it is not complete.`);
    }
    const { records } = this;
    const { beyondCount } = this.#ends;
    const index = this.#index.finish();
    const extents = this.#index.finishExtents();
    return {
      header: this.#header,
      sam: this.#sam,
      counts: this.#counts,
      records,
      beyondCount,
      index,
      extents,
    };
  }

  /** Moves the unread bytes to the front, and appends the content. */
  #append(content: Uint8Array): void {
    const rest = this.#bytes.subarray(this.#position, this.#length);
    this.#length = rest.length + content.length;
    this.#position = 0;
    if (this.#length > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(this.#length, this.#bytes.length * 2));
      larger.set(rest);
      this.#bytes = larger;
      this.#view = new DataView(larger.buffer);
    } else this.#bytes.set(rest);
    this.#bytes.set(content, rest.length);
  }

  #readHeader(): void {
    const header = readBamHeader(this.#bytes.subarray(0, this.#length));
    if ('bytesNeeded' in header) {
      this.#needed = header.bytesNeeded;
      return;
    }
    requireDistinctNames(header.references);
    this.#header = header;
    this.#sam = parseSamHeader(header.text);
    this.#counts = new GroupCounter(this.#sam.readGroups.map((tags) => tags.get('ID') ?? ''));
    this.#position = header.size;
    this.#order = new CoordinateOrder(header.references.length);
    this.#ends = new SequenceEnds(header.references);
    this.#index = new BaiBuilder(header.references.length, this.#places.offsetOf(header.size));
  }

  #readRecords(): void {
    const view = this.#view;
    const length = this.#length;
    this.#needed = 4;
    while (this.#position + 4 <= length) {
      const size = view.getInt32(this.#position, true);
      if (size < 0 || size > recordBytesMax) throw this.#damaged();
      const end = this.#position + 4 + size;
      if (end > length) {
        this.#needed = 4 + size;
        return;
      }
      this.#readRecord(this.#position + 4, end);
      this.#position = end;
    }
  }

  #readRecord(start: number, end: number): void {
    const record = this.#record;
    try {
      record.read(this.#bytes, this.#view, start, end);
    } catch (error) {
      throw this.#damaged(error);
    }
    this.records += 1;
    this.#checkPlace(record);
    this.#counts.add(record, this.#bytes, this.#view);
    const { referenceId, position } = record;
    const isMapped = (record.flags & recordFlags.unmapped) === 0;
    if (isMapped) this.#ends.check(referenceId, record.end);
    this.#index.add({ referenceId, position, end: record.end, isMapped }, this.#places.offsetOf(end));
  }

  #checkPlace({ referenceId, position, end }: BamRecord): void {
    this.#order.check(referenceId, position, this.records);
    if (referenceId >= 0 && end > baiPositionMax) {
      throw new InputError(
        `Record ${this.records} is beyond position 536,870,912, the limit of a BAI index. Split sequences of that length.`,
      );
    }
  }

  #damaged(cause?: unknown): InputError {
    return new InputError(`Record ${this.records + 1} is damaged: its fields exceed its length.`, {}, cause);
  }
}
