import { type ByteWriter, bytesOf, textOf } from '../../../bytes.ts';
import { roomOf, viewOf } from '../../../parquet/index.ts';
import { decoded } from '../columns/texts.ts';

const [quote, percent, backslash] = [34, 37, 92];
/** Each byte, repeated four times. */
const [quotes, percents, backslashes] = [quote, percent, backslash].map((byte) => byte * 0x01010101) as [
  number,
  number,
  number,
];

/** Text that is written often, four bytes a number. */
export interface Label {
  size: number;
  words: Int32Array;
}

export function labelOf(text: string): Label {
  const bytes = bytesOf(text);
  const padded = new Uint8Array(Math.ceil(bytes.length / 4) * 4);
  padded.set(bytes);
  const view = viewOf(padded);
  const words = Int32Array.from({ length: padded.length / 4 }, (_, at) => view.getInt32(at * 4, true));
  return { size: bytes.length, words };
}

/** Writes ranges of a line as strings of JSON, four bytes at a time: records have dozens of them. */
export class JsonText {
  #source: Uint8Array = new Uint8Array();
  #sourceView = viewOf(this.#source);
  #target: Uint8Array = this.#source;
  #targetView = this.#sourceView;

  label(target: ByteWriter, { size, words }: Label): void {
    target.reserve(size + 3);
    this.#look(this.#source, target.bytes);
    const to = this.#targetView;
    for (let at = 0; at < words.length; at += 1)
      to.setInt32(target.length + at * 4, words[at] as number, true);
    target.length += size;
  }

  /** Writes a string with its percent codes decoded. */
  write(target: ByteWriter, source: Uint8Array, start: number, end: number): void {
    target.reserve(end - start);
    this.#look(source, target.bytes);
    const [from, to] = [this.#sourceView, this.#targetView];
    const before = target.length;
    const last = end - 4;
    let length = before;
    let found = 0;
    let at = start;
    for (; at <= last; at += 4, length += 4) {
      const word = from.getInt32(at, true);
      found |= specialsIn(word);
      to.setInt32(length, word, true);
    }
    for (; at < end; at += 1, length += 1) {
      const byte = source[at] as number;
      if (byte < 32 || byte === quote || byte === percent || byte === backslash) found = -1;
      target.bytes[length] = byte;
    }
    target.length = length;
    if ((found & 0x80808080) === 0) return;
    target.length = before;
    target.text(JSON.stringify(decoded(textOf(source, start, end))).slice(1, -1));
  }

  #look(source: Uint8Array, target: Uint8Array): void {
    if (source !== this.#source) {
      this.#source = source;
      this.#sourceView = roomOf(source, this.#sourceView);
    }
    if (target === this.#target) return;
    this.#target = target;
    this.#targetView = viewOf(target);
  }
}

/**
 * Sets the highest bit of each byte that needs escaping: a percent sign or a control character ("Bit Twiddling Hacks": zero
 * bytes of a word).
 */
function specialsIn(word: number): number {
  const one = word ^ quotes;
  const two = word ^ percents;
  const three = word ^ backslashes;
  return (
    ((word - 0x20202020) & ~word) |
    ((one - 0x01010101) & ~one) |
    ((two - 0x01010101) & ~two) |
    ((three - 0x01010101) & ~three)
  );
}
