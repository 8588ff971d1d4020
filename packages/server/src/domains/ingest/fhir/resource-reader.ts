import { areEqual, type JsonObject, viewOf } from '@ploidy/formats';
import { isAt, type KnownValue, KnownValues } from './known-values.ts';

/** A member that resources have. */
interface Member {
  key: string;
  /** Its key with quotes and colon. */
  view: DataView;
  size: number;
  /** Its value in a resource before. */
  last: KnownValue | undefined;
  /** The one that stood behind it. */
  next: Member | undefined;
}

/** Members are told from each other by so many names. */
const membersMax = 1000;
const sizeMax = 1024 * 1024;
/** Names that mean the same to an object however they are put in, and that cost little to be remembered. */
const plainKey = /^(?!__proto__$)[A-Za-z_][A-Za-z0-9_]{0,99}$/;

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/**
 * Reads resources one after the other, each with what it knows of those before: their members mostly stand in the same order, and have
 * values that stood there before. It gives what `JSON.parse` gives. What is not compact, has escapes or is broken is left to that.
 */
export class ResourceReader {
  readonly #members = new Map<string, Member>();
  /** A member that comes no more would keep the values of its time, and through their `next` those of all times after it. */
  readonly #values = new KnownValues(() => {
    for (const member of this.#members.values()) member.last = undefined;
  });
  #first: Member | undefined;

  /** The resource whose text lies there, valid UTF-8; undefined: it has to be read another way. Nobody may change it. */
  read(bytes: Buffer, view: DataView, start: number, end: number, isAscii: boolean): JsonObject | undefined {
    if (bytes[start] !== openBrace || end - start > sizeMax) return undefined;
    const resource: JsonObject = {};
    let before: Member | undefined;
    for (let at = start + 1; ; ) {
      const member = this.#memberAt(bytes, view, at, end, before);
      if (!member) return undefined;
      before = member;
      at += member.size;
      const expected = expectedAt(member.last, bytes, view, at, end);
      if (expected) {
        member.last = expected;
        resource[member.key] = expected.value;
        at += expected.size;
      } else {
        const stop = endOfValue(bytes, at, end);
        const value = stop < 0 ? undefined : this.#values.take(bytes, view, at, stop, isAscii);
        if (value === undefined) return undefined;
        note(member, this.#values.found);
        resource[member.key] = value;
        at = stop;
      }
      if (bytes[at] === comma) at += 1;
      else return bytes[at] === closeBrace && at + 1 === end ? resource : undefined;
    }
  }

  /** The member that begins there, mostly the one that stood behind `before` the last time. */
  #memberAt(
    bytes: Buffer,
    view: DataView,
    at: number,
    end: number,
    before: Member | undefined,
  ): Member | undefined {
    const expected = before ? before.next : this.#first;
    const isExpected =
      expected && expected.size <= end - at && areEqual(view, at, expected.view, 0, expected.size);
    if (isExpected) return expected;
    if (bytes[at] !== quote) return undefined;
    const close = bytes.indexOf(quote, at + 1);
    if (close < 0 || close + 1 >= end || bytes[close + 1] !== colon) return undefined;
    const member = this.#memberOf(bytes.toString('latin1', at + 1, close));
    if (before) before.next = member;
    else this.#first = member;
    return member;
  }

  #memberOf(key: string): Member | undefined {
    const known = this.#members.get(key);
    if (known || this.#members.size === membersMax || !plainKey.test(key)) return known;
    const text = Buffer.from(`"${key}":`);
    const member = { key, view: viewOf(text), size: text.length, last: undefined, next: undefined };
    this.#members.set(key, member);
    return member;
  }
}

/** What stands there, if it is the value of the resource before, or the one that came after that the last time: panels repeat in their order. */
function expectedAt(
  last: KnownValue | undefined,
  bytes: Uint8Array,
  view: DataView,
  at: number,
  end: number,
): KnownValue | undefined {
  if (!last) return undefined;
  if (isWholeAt(last, bytes, view, at, end)) return last;
  const { next } = last;
  return next && isWholeAt(next, bytes, view, at, end) ? next : undefined;
}

/** Whether a known value stands there, and not only one that begins like it. */
function isWholeAt(known: KnownValue, bytes: Uint8Array, view: DataView, at: number, end: number): boolean {
  if (!isAt(known, view, at, end - at)) return false;
  const behind = bytes[at + known.size];
  return behind === comma || behind === closeBrace;
}

function note(member: Member, found: KnownValue | undefined): void {
  if (!found) return;
  if (member.last) member.last.next = found;
  member.last = found;
}

/** Where the value that begins there ends, by its brackets and quotes; -1: it does not, or has an escape or a control character. */
function endOfValue(bytes: Uint8Array, start: number, end: number): number {
  let depth = 0;
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at] as number;
    if (byte === quote) {
      at = endOfText(bytes, at + 1, end);
      if (at < 0) return -1;
    } else if (byte === openBrace || byte === openBracket) {
      depth += 1;
      continue;
    } else if (byte === closeBrace || byte === closeBracket) {
      if (depth === 0) return at;
      depth -= 1;
    } else if (byte !== comma || depth > 0) continue;
    if (depth === 0) return byte === comma ? at : at + 1;
  }
  return -1;
}

/** Where the quote is that ends a text. */
function endOfText(bytes: Uint8Array, start: number, end: number): number {
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at] as number;
    if (byte === quote) return at;
    if (byte === backslash || byte < 0x20) return -1;
  }
  return -1;
}
