import { areEqual, compactJson, hashOf, type JsonValue, viewOf } from '@ploidy/formats';

/** A value, and where its text is kept. */
export interface KnownValue {
  value: JsonValue;
  view: DataView;
  start: number;
  size: number;
  hash: number;
  /** The one that stood in its place in the resource behind it. */
  next: KnownValue | undefined;
}

/** Shorter ones are read at once, longer ones hardly ever repeat. */
const sizeMin = 4;
const sizeMax = 4096;
/** Of the texts that are kept; when they are more, all are forgotten. */
const textBytesMax = 512 * 1024;
const slotBits = 13;
const triesMax = 4;

/**
 * JSON values by the bytes of their texts: in resources most concepts and references stand again and again, and one that is known costs
 * neither parsing nor memory. Whoever gets one must not change it. A value is kept when its text comes a second time.
 */
export class KnownValues {
  /** The one that `take` gave, if it is kept. */
  found: KnownValue | undefined;
  #texts = new Uint8Array(textBytesMax);
  #view = viewOf(this.#texts);
  #used = 0;
  readonly #slots: (KnownValue | undefined)[] = new Array(1 << slotBits).fill(undefined);
  /** Hashes of texts that have come, each at the place of its slot. */
  readonly #come = new Int32Array(1 << slotBits);
  readonly #onForget: () => void;

  /** `onForget`: all are forgotten, and whoever holds one should let go of it. */
  constructor(onForget: () => void) {
    this.#onForget = onForget;
  }

  /** The value whose text lies there, without escapes; undefined when it is no valid JSON, or not compact. */
  take(bytes: Buffer, view: DataView, start: number, end: number, isAscii: boolean): JsonValue | undefined {
    this.found = undefined;
    const size = end - start;
    if (size < sizeMin || size > sizeMax) return parsed(bytes, start, end, isAscii);
    const hash = hashOf(view, start, size);
    const first = hash >>> (32 - slotBits);
    let slot = first;
    for (let tries = 1; ; tries += 1) {
      const known = this.#slots[slot];
      if (!known) break;
      if (known.hash === hash && known.size === size && isAt(known, view, start, size)) {
        this.found = known;
        return known.value;
      }
      if (tries === triesMax) break;
      slot = (slot + 1) % this.#slots.length;
    }
    const value = parsed(bytes, start, end, isAscii);
    if (value === undefined) return undefined;
    if (this.#come[first] !== hash) this.#come[first] = hash;
    else this.#keep(slot, value, hash, bytes, start, end);
    return value;
  }

  #keep(slot: number, value: JsonValue, hash: number, bytes: Buffer, from: number, to: number): void {
    const size = to - from;
    if (this.#used + size > textBytesMax) {
      // Whoever holds one still compares with the old texts.
      this.#texts = new Uint8Array(textBytesMax);
      this.#view = viewOf(this.#texts);
      this.#used = 0;
      this.#slots.fill(undefined);
      this.#onForget();
    }
    const start = this.#used;
    this.#texts.set(bytes.subarray(from, to), start);
    this.#used += size;
    this.found = { value, view: this.#view, start, size, hash, next: undefined };
    this.#slots[slot] = this.found;
  }
}

/** Whether the text of a known value stands at a place, where so many bytes are left or belong to it. */
export function isAt(known: KnownValue, view: DataView, start: number, size: number): boolean {
  return known.size <= size && areEqual(view, start, known.view, known.start, known.size);
}

function parsed(bytes: Buffer, start: number, end: number, isAscii: boolean): JsonValue | undefined {
  const encoding = isAscii ? 'latin1' : 'utf8';
  if (bytes[start] === 0x22) return bytes.toString(encoding, start + 1, end - 1);
  const text = bytes.toString(encoding, start, end);
  if (compactJson(text) !== text) return undefined;
  try {
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}
