import {
  DocumentSplitter,
  InputError,
  type Layout,
  type Piece,
  recognise,
  resourceBytesMax,
} from '@ploidy/formats';
import type { BundleOfEntry } from './intake.ts';

/** Size of a slice, unless a resource is longer. */
const sliceBytes = 4 * 1024 * 1024;
const headBytes = 64 * 1024;
const lineFeed = 0x0a;

const unreadable = {
  empty: 'The file is empty.',
  utf16: 'The file is UTF-16; FHIR JSON must be UTF-8.',
  binary: 'The file is not FHIR JSON: it starts with neither an object nor a list.',
  yaml: 'The file is YAML. Write it as JSON (yq -o=json), which is read: a phenopacket or a FHIR resource.',
} as const;

/** A resource or entry in a slice of a document. */
interface PlacedPiece extends Pick<Piece, 'kind' | 'line' | 'column' | 'index'> {
  start: number;
  end: number;
  /** Bundle of an entry. */
  bundle: BundleOfEntry;
}

/** Whole resources of the source, in order. */
export interface Slice {
  /** Number of the slice, from 0. */
  number: number;
  memory: ArrayBuffer;
  length: number;
  /** The number of its first line. */
  line: number;
  /** Positions of its resources; undefined: one a line. */
  pieces: PlacedPiece[] | undefined;
  /** Set if the line exceeds the maximum and was dropped. */
  isTooLarge: boolean;
}

/** Cuts a source of any layout into slices that can be read separately, in little memory. Every reading cuts the same slices. */
export class Slices {
  /** Bundles, by their number in the source, whose type `history` followed their entries. */
  readonly lateHistories = new Set<number>();
  /** Number of complete objects, unless the layout is lines. */
  objects = 0;
  readonly #histories: ReadonlySet<number>;
  /** Memory for reuse, which saves the system clearing new pages. */
  readonly #free: ArrayBuffer[] = [];
  #count = 0;

  /** `histories`: Bundles that are known to be histories, by their number in the source. */
  constructor(histories: ReadonlySet<number> = new Set()) {
    this.#histories = histories;
  }

  isKnownHistory(bundle: number): boolean {
    return this.#histories.has(bundle);
  }

  giveBack(memory: ArrayBuffer): void {
    if (memory.byteLength === sliceBytes) this.#free.push(memory);
  }

  /** Cuts the source. Slices before a failure of the source are yielded first. */
  async *of(source: AsyncGenerator<Buffer>): AsyncGenerator<Slice> {
    try {
      const { layout, head } = await beginning(source);
      const cutter = layout.kind === 'lines' ? new LineCutter(this) : new PieceCutter(this);
      try {
        yield* cutter.push(head.subarray(layout.skip));
        for await (const chunk of source) yield* cutter.push(chunk);
      } catch (error) {
        yield* cutter.whole();
        throw error;
      }
      yield* cutter.end();
    } finally {
      // A failure within the head ends before the loop that would close the source.
      await source.return(undefined);
    }
  }

  memory(bytes = sliceBytes): Uint8Array<ArrayBuffer> {
    const free = bytes <= sliceBytes ? this.#free.pop() : undefined;
    return new Uint8Array(free ?? new ArrayBuffer(Math.max(bytes, sliceBytes)));
  }

  slice(bytes: Uint8Array<ArrayBuffer>, length: number, line: number, pieces?: PlacedPiece[]): Slice {
    this.#count += 1;
    return { number: this.#count - 1, memory: bytes.buffer, length, line, pieces, isTooLarge: false };
  }
}

/** Reads the head of the source and recognises its layout. */
async function beginning(source: AsyncGenerator<Buffer>): Promise<{ layout: Layout; head: Buffer }> {
  let head: Buffer = Buffer.alloc(0);
  let complete = true;
  for (let next = await source.next(); !next.done; next = await source.next()) {
    head = Buffer.concat([head, next.value]);
    complete = head.length < headBytes;
    if (!complete) break;
  }
  const layout = recognise(head.subarray(0, headBytes), complete && head.length <= headBytes);
  if (typeof layout === 'string') throw new InputError(unreadable[layout], { line: 1, column: 1 });
  return { layout, head };
}

/** NDJSON: slices end with a line. */
class LineCutter {
  readonly #slices: Slices;
  #bytes: Uint8Array<ArrayBuffer>;
  #used = 0;
  #line = 1;
  /** Set if the current line is too large and dropped. */
  #isDropping = false;

  constructor(slices: Slices) {
    this.#slices = slices;
    this.#bytes = slices.memory();
  }

  *push(chunk: Buffer): Generator<Slice> {
    let rest = this.#isDropping ? this.#drop(chunk) : chunk;
    while (rest.length > 0) {
      const taken = rest.subarray(0, this.#bytes.length - this.#used);
      this.#bytes.set(taken, this.#used);
      this.#used += taken.length;
      rest = rest.subarray(taken.length);
      if (this.#used < this.#bytes.length) continue;
      yield* this.whole();
      if (this.#used < this.#bytes.length) continue;
      if (this.#used < resourceBytesMax + 2) this.#enlarge();
      else {
        yield { ...this.#slices.slice(this.#slices.memory(), 0, this.#line), isTooLarge: true };
        this.#used = 0;
        this.#isDropping = true;
        rest = this.#drop(rest);
      }
    }
  }

  /** Yields the complete lines. */
  *whole(): Generator<Slice> {
    const end = this.#bytes.subarray(0, this.#used).lastIndexOf(lineFeed) + 1;
    if (end === 0) return;
    const [bytes, used, line] = [this.#bytes, this.#used, this.#line];
    this.#bytes = this.#slices.memory(used - end);
    this.#bytes.set(bytes.subarray(end, used));
    this.#used = used - end;
    this.#line += linesIn(bytes.subarray(0, end));
    yield this.#slices.slice(bytes, end, line);
  }

  *end(): Generator<Slice> {
    if (this.#used > 0) yield this.#slices.slice(this.#bytes, this.#used, this.#line);
  }

  #enlarge(): void {
    const larger = new Uint8Array(Math.min(this.#bytes.length * 2, resourceBytesMax + 2));
    larger.set(this.#bytes);
    this.#bytes = larger;
  }

  /** Returns the bytes after the dropped line. */
  #drop(chunk: Buffer): Buffer {
    const end = chunk.indexOf(lineFeed) + 1;
    if (end === 0) return chunk.subarray(chunk.length);
    this.#isDropping = false;
    this.#line += 1;
    return chunk.subarray(end);
  }
}

function linesIn({ buffer, byteOffset, byteLength }: Uint8Array<ArrayBuffer>): number {
  // A Buffer is searched many bytes at once, another array one by one.
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  let lines = 0;
  for (let at = bytes.indexOf(lineFeed); at >= 0; at = bytes.indexOf(lineFeed, at + 1)) lines += 1;
  return lines;
}

/** Cuts other layouts: slices hold the resources and entries that a splitter extracts. */
class PieceCutter {
  readonly #slices: Slices;
  readonly #splitter: DocumentSplitter;
  readonly #ready: Slice[] = [];
  #bytes: Uint8Array<ArrayBuffer> | undefined;
  #used = 0;
  #pieces: PlacedPiece[] = [];
  /** Set if the entries of the current Bundle were read as those of a history; undefined without entries. */
  #isHistory: boolean | undefined;
  /** Entries of the current Bundle. */
  #entries = 0;

  constructor(slices: Slices) {
    this.#slices = slices;
    this.#splitter = new DocumentSplitter(resourceBytesMax, (piece) => this.#take(piece));
  }

  *push(chunk: Buffer): Generator<Slice> {
    // The splitter keeps bytes, whose memory the source reuses.
    this.#splitter.push(Buffer.from(chunk));
    yield* this.#ready.splice(0);
  }

  /** Yields the complete pieces. */
  *whole(): Generator<Slice> {
    this.#endSlice();
    yield* this.#ready.splice(0);
  }

  *end(): Generator<Slice> {
    yield* this.whole();
    this.#splitter.end();
  }

  #take({ kind, bytes, line, column, index, bundle }: Piece): void {
    if (this.#bytes && this.#used + bytes.length > this.#bytes.length) this.#endSlice();
    this.#bytes ??= this.#slices.memory(bytes.length);
    this.#bytes.set(bytes, this.#used);
    const start = this.#used;
    this.#used += bytes.length;
    const isHistory = bundle?.['type'] === 'history' || this.#slices.isKnownHistory(this.#slices.objects);
    this.#pieces.push({
      kind,
      line,
      column,
      index,
      start,
      end: this.#used,
      bundle: { number: this.#slices.objects, isHistory, entries: this.#entries },
    });
    if (kind === 'entry') {
      this.#isHistory = isHistory;
      this.#entries += 1;
    }
    if (kind === 'resource' && index === undefined) this.#endObject(isHistory);
  }

  /** Ends an object. Members have no order: the type of a Bundle may follow its entries. */
  #endObject(isHistory: boolean): void {
    if (isHistory && this.#isHistory === false) this.#slices.lateHistories.add(this.#slices.objects);
    this.#slices.objects += 1;
    this.#isHistory = undefined;
    this.#entries = 0;
  }

  #endSlice(): void {
    if (!this.#bytes) return;
    const line = this.#pieces[0]?.line ?? 1;
    this.#ready.push(this.#slices.slice(this.#bytes, this.#used, line, this.#pieces));
    this.#bytes = undefined;
    this.#used = 0;
    this.#pieces = [];
  }
}
