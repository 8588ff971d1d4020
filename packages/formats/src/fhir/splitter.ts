import { joinedBytes } from '../bytes.ts';
import { InputError } from '../input-error.ts';
import { isObject, type JsonObject, parseJson } from './json.ts';
import { isMark } from './recognise.ts';

/** A piece of a document: a resource, or an entry of a Bundle. `line` and `column` (in bytes) count from 1. */
export interface Piece {
  kind: 'resource' | 'entry';
  bytes: Uint8Array;
  line: number;
  column: number;
  /** Number of the element in its list, from 1. */
  index: number | undefined;
  /** Entries: members of the Bundle before its entries. Rest of a Bundle: all of its members. */
  bundle: JsonObject | undefined;
}

/** Maximum size of a single resource, in any source. */
export const resourceBytesMax = 64 * 1024 * 1024;

/** A piece is larger than its receiver accepts. */
export class TooLargeError extends InputError {}

const entryKey = 'entry';
const emptyBytes = new Uint8Array(0);

/**
 * Cuts a stream of JSON values (Bundles, lists, single resources, any layout) into resources and entries, holding no more
 * than one of them. It only counts brackets and quotes; each piece is parsed, and thereby checked, by its receiver.
 */
export class DocumentSplitter {
  readonly #pieceBytesMax: number;
  readonly #receive: (piece: Piece) => void;
  readonly #valuesMax: number;
  /** Brackets and commas of the current piece. */
  #values = 0;
  /** Open brackets at the current byte. */
  #depth = 0;
  /** Depth of the elements of the current list; 0 outside of one. */
  #listDepth = 0;
  #inString = false;
  #escaped = false;
  /** The key being read at depth 1 (bytes), or the last one read. */
  #key = '';
  #keyOpen = false;
  #keyExpected = false;
  #line = 1;
  /** Position in the whole source of the chunk and of the first byte of the line. */
  #chunkStart = 0;
  #lineStart = 0;
  /** Bytes of the current piece from earlier chunks. */
  #parts: Uint8Array[] = [];
  #partsBytes = 0;
  /** Start of the current piece in the chunk; -1: no piece is open. */
  #from = -1;
  #pieceLine = 1;
  #pieceColumn = 1;
  /** The object around the entries, without them, and its place. */
  #envelope: { bytes: Uint8Array; line: number; column: number } | undefined;
  #bundle: JsonObject | undefined;
  /** Set once the object at the top has proved not to be a Bundle: it is not checked again at further entries. */
  #isResource = false;
  #index = 0;

  /** `valuesMax`: the memory of a parsed piece depends on its values more than on its bytes. */
  constructor(
    pieceBytesMax: number,
    receive: (piece: Piece) => void,
    valuesMax: number = Number.POSITIVE_INFINITY,
  ) {
    this.#pieceBytesMax = pieceBytesMax;
    this.#receive = receive;
    this.#valuesMax = valuesMax;
  }

  push(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0;
      if (this.#inString) {
        at = this.#string(chunk, at);
      } else if (byte === 0x0a) {
        this.#newline(at);
      } else if (byte !== 0x20 && byte !== 0x0d && byte !== 0x09) {
        this.#token(chunk, at, byte);
      }
    }
    this.#keepOpenPiece(chunk);
    this.#chunkStart += chunk.length;
  }

  /** Ends the source; throws if it ends inside a value. */
  end(): void {
    if (this.#depth > 0) throw this.#error(0, 'The JSON text ends in the middle of a value.');
  }

  #string(chunk: Uint8Array, start: number): number {
    for (let at = start; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0;
      if (this.#keyOpen && byte !== 0x22 && this.#key.length <= entryKey.length) {
        this.#key += String.fromCharCode(byte);
      }
      if (byte === 0x0a) this.#newline(at);
      if (this.#escaped) this.#escaped = false;
      else if (byte === 0x5c) this.#escaped = true;
      else if (byte === 0x22) {
        this.#inString = false;
        this.#keyOpen = false;
        return at;
      }
    }
    return chunk.length;
  }

  #token(chunk: Uint8Array, at: number, byte: number): void {
    if (byte === 0x2c || byte === 0x7b || byte === 0x5b) this.#values += 1;
    if (this.#values > this.#valuesMax) throw this.#tooLarge(`holds more than ${this.#valuesMax} values`);
    if (byte === 0x7b || byte === 0x5b) this.#open(chunk, at, byte);
    else if (byte === 0x7d || byte === 0x5d) this.#close(chunk, at, byte);
    else if (byte === 0x2c && this.#listDepth > 0 && this.#depth === this.#listDepth) {
      this.#finish(chunk, at);
    } else if (this.#depth === 0) {
      if (isMark(byte)) return;
      throw this.#error(at, 'Neither a JSON object nor a list starts here.');
    } else {
      this.#startElement(at);
      if (byte === 0x22) this.#openString();
      else if (byte === 0x2c && this.#depth === 1) this.#keyExpected = true;
      else if (byte === 0x3a && this.#depth === 1) this.#keyExpected = false;
    }
  }

  #openString(): void {
    this.#inString = true;
    if (this.#depth === 1 && this.#listDepth === 0 && this.#keyExpected) {
      this.#keyOpen = true;
      this.#key = '';
    }
  }

  #open(chunk: Uint8Array, at: number, byte: number): void {
    if (this.#depth === 0) {
      this.#envelope = undefined;
      this.#bundle = undefined;
      this.#isResource = false;
      this.#key = '';
      this.#keyExpected = true;
      if (byte === 0x5b) this.#startList();
      else this.#startPiece(at);
    } else if (this.#opensEntryList(byte)) this.#leaveEnvelope(chunk, at + 1);
    else this.#startElement(at);
    this.#depth += 1;
  }

  #opensEntryList(byte: number): boolean {
    const isEntry = this.#key === entryKey && !this.#keyExpected;
    return byte === 0x5b && isEntry && this.#depth === 1 && this.#listDepth === 0 && !this.#isResource;
  }

  /** Starts the entries of a Bundle. A `List` has entries too, but is an ordinary resource. */
  #leaveEnvelope(chunk: Uint8Array, end: number): void {
    if (this.#envelope) throw this.#error(end - 1, 'A Bundle lists its entries twice.');
    const bytes = this.#take(chunk, end);
    const opened = opening(bytes);
    if (opened && opened['resourceType'] !== undefined && opened['resourceType'] !== 'Bundle') {
      this.#isResource = true;
      this.#parts = [bytes];
      this.#partsBytes = bytes.length;
      this.#from = end;
      return;
    }
    this.#envelope = { line: this.#pieceLine, column: this.#pieceColumn, bytes };
    this.#bundle = opened;
    this.#startList();
  }

  #startList(): void {
    this.#listDepth = this.#depth + 1;
    this.#index = 0;
  }

  #close(chunk: Uint8Array, at: number, byte: number): void {
    if (this.#depth === 0) throw this.#error(at, 'A closing bracket has no opening bracket.');
    if (this.#depth === this.#listDepth) {
      if (byte !== 0x5d) throw this.#error(at, 'A list is closed by the wrong bracket.');
      if (this.#from >= 0) this.#finish(chunk, at);
      else if (this.#index > 0) throw this.#error(at, 'A value is missing after the last comma of the list.');
      this.#listDepth = 0;
      if (this.#depth > 1) this.#from = at;
    }
    this.#depth -= 1;
    if (this.#depth === 0 && this.#from >= 0) this.#finishObject(chunk, at);
  }

  #startElement(at: number): void {
    if (this.#from < 0 && this.#depth === this.#listDepth) this.#startPiece(at);
  }

  #startPiece(at: number): void {
    this.#from = at;
    this.#pieceLine = this.#line;
    this.#pieceColumn = this.#chunkStart + at - this.#lineStart + 1;
  }

  /** Ends an element of a list, before `end`. */
  #finish(chunk: Uint8Array, end: number): void {
    if (this.#from < 0) throw this.#error(end, 'A value is missing before the comma.');
    this.#index += 1;
    const kind = this.#depth === 1 ? 'resource' : 'entry';
    const [line, column] = [this.#pieceLine, this.#pieceColumn];
    const bytes = this.#take(chunk, end);
    this.#receive({ kind, bytes, line, column, index: this.#index, bundle: this.#bundle });
  }

  /** Ends an object at the top, at `at`: a resource, or the rest of a Bundle without its entries. */
  #finishObject(chunk: Uint8Array, at: number): void {
    const rest = this.#take(chunk, at + 1);
    const { bytes, line, column } = this.#envelope ?? {
      bytes: emptyBytes,
      line: this.#pieceLine,
      column: this.#pieceColumn,
    };
    const whole = bytes.length === 0 ? rest : joinedBytes([bytes, rest]);
    const bundle = this.#envelope && objectOf(new TextDecoder().decode(whole));
    this.#receive({ kind: 'resource', bytes: whole, line, column, index: undefined, bundle });
  }

  #take(chunk: Uint8Array, end: number): Uint8Array {
    const last = chunk.subarray(this.#from, end);
    const bytes = this.#parts.length === 0 ? last : joinedBytes([...this.#parts, last]);
    this.#from = -1;
    this.#parts = [];
    this.#partsBytes = 0;
    this.#values = 0;
    this.#checkSize(bytes.length);
    return bytes;
  }

  /** Keeps the bytes of a piece that the chunk has not ended. */
  #keepOpenPiece(chunk: Uint8Array): void {
    if (this.#from < 0) return;
    this.#parts.push(chunk.subarray(this.#from));
    this.#partsBytes += chunk.length - this.#from;
    this.#from = 0;
    this.#checkSize(this.#partsBytes);
  }

  #newline(at: number): void {
    this.#line += 1;
    this.#lineStart = this.#chunkStart + at + 1;
  }

  #checkSize(bytes: number): void {
    const mebibytesMax = Math.floor(this.#pieceBytesMax / 1024 / 1024);
    if (bytes > this.#pieceBytesMax) throw this.#tooLarge(`is larger than ${mebibytesMax} MiB`);
  }

  #tooLarge(what: string): TooLargeError {
    return new TooLargeError(`A resource ${what}.`, {
      line: this.#pieceLine,
      column: this.#pieceColumn,
    });
  }

  #error(at: number, message: string): InputError {
    return new InputError(message, { line: this.#line, column: this.#chunkStart + at - this.#lineStart + 1 });
  }
}

/** Parses the members of an object before its entries; undefined if they cannot be parsed, which its receiver reports. */
function opening(bytes: Uint8Array): JsonObject | undefined {
  return objectOf(`${new TextDecoder().decode(bytes)}]}`);
}

function objectOf(text: string): JsonObject | undefined {
  try {
    const value = parseJson(text);
    return isObject(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
