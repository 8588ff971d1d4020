import { BaiBuilder, baiPositionMax } from '../bai/builder.ts';
import { InputError } from '../input-error.ts';
import { BlockPlaces, type ContentBlock } from './block-places.ts';
import { type BamHeader, readBamHeader } from './header.ts';
import { GroupCounter } from './read-counts.ts';
import { BamRecord, recordBytesMax, recordFlags } from './record.ts';
import { parseSamHeader, type SamHeader } from './sam-header.ts';

/** What a BAM holds, once it was read to its end. */
export interface ScannedBam {
  header: BamHeader;
  sam: SamHeader;
  /** Reads and bases by read group, in the order of the header. */
  counts: GroupCounter;
  records: number;
  /** The bytes of its BAI, and what goes behind it where it is ours alone. */
  index: Uint8Array;
  extents: Uint8Array;
}

/** What the record before was. */
interface Previous {
  referenceId: number;
  position: number;
}

/**
 * Reads a BAM in one pass, from its uncompressed bytes and the blocks that they came from: checks records and their order, counts
 * them, and builds the index. Memory is what one batch and the index take. Throws `InputError` that names the record.
 */
export class BamScan {
  readonly #places = new BlockPlaces();
  readonly #record = new BamRecord();
  /** One buffer for all that is read; `#length` bytes of it are filled. */
  #bytes = new Uint8Array(0);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;
  #position = 0;
  /** Nothing can be done before so many bytes are there. */
  #needed = 0;
  #header: BamHeader | undefined;
  #sam: SamHeader | undefined;
  #counts = new GroupCounter([]);
  #index = new BaiBuilder(0, 0);
  #previous: Previous = { referenceId: 0, position: -1 };
  /** Records read so far. */
  records = 0;

  /** Takes the content of the blocks that come next; `nextStart`: where the one behind them begins in the file. */
  take(content: Uint8Array, blocks: readonly ContentBlock[], nextStart: number): void {
    const rest = this.#length - this.#position;
    this.#places.take(this.#position, rest, blocks, nextStart);
    this.#append(content);
    if (this.#length < this.#needed) return;
    if (!this.#header) this.#readHeader();
    if (this.#header) this.#readRecords(this.#header.references.length);
  }

  /** The file has ended. */
  finish(): ScannedBam {
    if (!this.#header || !this.#sam)
      throw new InputError('The file ends within its header: it is not complete.');
    if (this.#position < this.#length) {
      throw new InputError(`The file ends within record ${this.records + 1}: it is not complete.`);
    }
    const { records } = this;
    const index = this.#index.finish();
    const extents = this.#index.finishExtents();
    return { header: this.#header, sam: this.#sam, counts: this.#counts, records, index, extents };
  }

  /** Moves what is not read yet to the front, and puts the content behind it. */
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
    refuseSameNames(header);
    this.#header = header;
    this.#sam = parseSamHeader(header.text);
    this.#counts = new GroupCounter(this.#sam.readGroups.map((tags) => tags.get('ID') ?? ''));
    this.#position = header.size;
    this.#index = new BaiBuilder(header.references.length, this.#places.offsetOf(header.size));
  }

  #readRecords(referenceCount: number): void {
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
      this.#readRecord(this.#position + 4, end, referenceCount);
      this.#position = end;
    }
  }

  #readRecord(start: number, end: number, referenceCount: number): void {
    const record = this.#record;
    try {
      record.read(this.#bytes, this.#view, start, end);
    } catch (error) {
      throw this.#damaged(error);
    }
    this.records += 1;
    if (record.referenceId < -1 || record.referenceId >= referenceCount || record.position < -1) {
      throw new InputError(`Record ${this.records} names a sequence or position that cannot be.`);
    }
    this.#checkOrder(record);
    this.#counts.add(record, this.#bytes, this.#view);
    const { referenceId, position } = record;
    const isMapped = (record.flags & recordFlags.unmapped) === 0;
    this.#index.add({ referenceId, position, end: record.end, isMapped }, this.#places.offsetOf(end));
  }

  /** By reference and position; those without a reference come last (SAM spec §1.3, SO:coordinate). */
  #checkOrder({ referenceId, position, end }: BamRecord): void {
    const previous = this.#previous;
    // None, −1, counts as the last of all.
    const isBehind =
      referenceId === previous.referenceId
        ? referenceId < 0 || position >= previous.position
        : referenceId < 0 || (previous.referenceId >= 0 && referenceId > previous.referenceId);
    if (!isBehind) {
      throw new InputError(
        `Record ${this.records} lies before its predecessor: the file is not sorted by coordinate. Sort it (samtools sort), then ingest it.`,
      );
    }
    if (referenceId >= 0 && end > baiPositionMax) {
      throw new InputError(
        `Record ${this.records} lies beyond position 536,870,912, which a BAI index cannot tell. Sequences of that length have to be split.`,
      );
    }
    previous.referenceId = referenceId;
    previous.position = position;
  }

  #damaged(cause?: unknown): InputError {
    return new InputError(`Record ${this.records + 1} is damaged: its parts do not fit into it.`, {}, cause);
  }
}

/** Which of them a region is of nobody could tell, and samtools opens no such file (SAM spec §1.3: names of @SQ are distinct). */
function refuseSameNames({ references }: BamHeader): void {
  const names = new Set(references.map(({ name }) => name));
  if (names.size < references.length) throw new InputError('Two sequences of the header have the same name.');
}
