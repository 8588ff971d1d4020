import { isAscii, isUtf8 } from 'node:buffer';
import { DocumentSplitter, InputError, type Layout, recognise } from '@ploidy/formats';
import type { Intake, Place } from './intake.ts';

const headBytes = 64 * 1024;
/** The largest single resource that is read. */
export const resourceBytesMax = 64 * 1024 * 1024;
const lineFeed = 0x0a;

const unreadable = {
  empty: 'The file is empty.',
  utf16: 'The file is UTF-16; FHIR JSON must be UTF-8.',
  binary: 'The file is no FHIR JSON: it starts with neither an object nor a list.',
} as const;

/** Reads every resource of a source, whatever its layout, in little memory. `settle` is awaited after each chunk. */
export async function readResources(
  source: AsyncGenerator<Buffer>,
  intake: Intake,
  skipBroken: boolean,
  settle: () => Promise<void>,
): Promise<void> {
  let head: Buffer = Buffer.alloc(0);
  let complete = true;
  for await (const chunk of manual(source)) {
    head = head.length === 0 ? chunk : Buffer.concat([head, chunk]);
    if (head.length >= headBytes) {
      complete = false;
      break;
    }
  }
  const layout = recognise(head.subarray(0, headBytes), complete && head.length <= headBytes);
  if (typeof layout === 'string') throw new InputError(unreadable[layout], { line: 1, column: 1 });
  const reader = readerOf(layout, intake, skipBroken);
  reader.push(head.subarray(layout.skip));
  for await (const chunk of source) {
    reader.push(chunk);
    await settle();
  }
  reader.end();
}

/** The same chunks, without closing the source when the loop is left early. */
async function* manual(source: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  for (;;) {
    const next = await source.next();
    if (next.done) return;
    yield next.value;
  }
}

interface Reader {
  push(chunk: Buffer): void;
  end(): void;
}

function readerOf(layout: Layout, intake: Intake, skipBroken: boolean): Reader {
  if (layout.kind === 'lines') return new LineReader(intake, skipBroken);
  return new DocumentSplitter(resourceBytesMax, ({ kind, bytes, line, column, index, bundle }) => {
    const place: Place = { line, column, entry: index };
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (!isUtf8(buffer)) {
      intake.refuse(place, 'it is no valid UTF-8');
      return;
    }
    const text = buffer.toString('utf8').trim();
    if (kind === 'entry') intake.takeEntry(text, place, bundle);
    else intake.take(text, place);
  });
}

/** NDJSON: whole lines are cut out of the chunks; a line that is not finished waits for the next chunk. */
class LineReader implements Reader {
  readonly #intake: Intake;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #line = 0;
  #dropping = false;
  readonly #skipBroken: boolean;

  constructor(intake: Intake, skipBroken: boolean) {
    this.#intake = intake;
    this.#skipBroken = skipBroken;
  }

  push(chunk: Buffer): void {
    const end = chunk.lastIndexOf(lineFeed) + 1;
    if (end > 0) this.#takeLines(chunk, end);
    if (end === chunk.length) return;
    this.#waiting.push(chunk.subarray(end));
    this.#waitingBytes += chunk.length - end;
    if (this.#waitingBytes > resourceBytesMax) this.#dropLine();
  }

  end(): void {
    if (this.#waiting.length > 0) this.#takeLines(Buffer.from('\n'), 1);
  }

  #takeLines(chunk: Buffer, end: number): void {
    let start = 0;
    if (this.#waiting.length > 0 || this.#dropping) {
      start = chunk.indexOf(lineFeed) + 1;
      const first = Buffer.concat([...this.#waiting, chunk.subarray(0, start - 1)]);
      this.#waiting = [];
      this.#waitingBytes = 0;
      this.#line += 1;
      if (!this.#dropping) this.#takeLine(first, 0, first.length, isAscii(first));
      this.#dropping = false;
    }
    const ascii = isAscii(chunk.subarray(start, end));
    while (start < end) {
      const stop = chunk.indexOf(lineFeed, start);
      this.#line += 1;
      this.#takeLine(chunk, start, stop, ascii);
      start = stop + 1;
    }
  }

  #takeLine(bytes: Buffer, start: number, stop: number, ascii: boolean): void {
    const end = bytes[stop - 1] === 0x0d && stop > start ? stop - 1 : stop;
    const place = { line: this.#line, column: 1 };
    if (end - start > resourceBytesMax) {
      this.#intake.refuse(place, tooLarge);
      return;
    }
    if (!ascii && !isUtf8(bytes.subarray(start, end))) {
      this.#intake.refuse(place, 'it is no valid UTF-8');
      return;
    }
    const text = ascii ? bytes.toString('latin1', start, end) : bytes.toString('utf8', start, end);
    if (text !== '' && text.trim() !== '') this.#intake.take(text, place);
  }

  /** A line larger than any resource may be: ends the ingestion, or is passed over to its end. */
  #dropLine(): void {
    if (!this.#dropping) this.#intake.refuse({ line: this.#line + 1, column: 1 }, tooLarge);
    this.#dropping = this.#skipBroken;
    this.#waiting = [];
    this.#waitingBytes = 0;
  }
}

const tooLarge = `it is larger than ${resourceBytesMax / 1024 / 1024} MiB`;
