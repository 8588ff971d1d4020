/** Encodes DER (ITU-T X.690): the few types that a certificate consists of. */

const element = (tag: number, ...contents: Uint8Array[]): Buffer => {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.of(tag), length(content.length), content]);
};

function length(bytes: number): Buffer {
  if (bytes < 0x80) return Buffer.of(bytes);
  const digits = big(BigInt(bytes));
  return Buffer.concat([Buffer.of(0x80 | digits.length), digits]);
}

function big(value: bigint): Buffer {
  const hex = value.toString(16);
  return Buffer.from(hex.length % 2 ? `0${hex}` : hex, 'hex');
}

export const sequence = (...contents: Uint8Array[]): Buffer => element(0x30, ...contents);
export const set = (...contents: Uint8Array[]): Buffer => element(0x31, ...contents);
export const octetString = (content: Uint8Array): Buffer => element(0x04, content);
export const utf8String = (text: string): Buffer => element(0x0c, Buffer.from(text));
export const boolean = (value: boolean): Buffer => element(0x01, Buffer.of(value ? 0xff : 0));
export const none = (): Buffer => element(0x05);

/** Encodes an explicit `[tag]` around content. */
export const explicit = (tag: number, content: Uint8Array): Buffer => element(0xa0 | tag, content);

/** Encodes a non-negative integer. */
export function integer(value: bigint): Buffer {
  const digits = big(value);
  // A leading one bit would make it negative.
  return element(0x02, (digits[0] ?? 0) & 0x80 ? Buffer.concat([Buffer.of(0), digits]) : digits);
}

/** Encodes bits; `unused`: trailing bits that do not count. */
export const bitString = (content: Uint8Array, unused = 0): Buffer =>
  element(0x03, Buffer.of(unused), content);

/** Encodes an object identifier from its dotted form. */
export function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return element(0x06, Buffer.from([first * 40 + second, ...rest].flatMap(base128)));
}

function base128(value: number): number[] {
  const digits = [value & 0x7f];
  for (let left = value >>> 7; left > 0; left >>>= 7) digits.unshift((left & 0x7f) | 0x80);
  return digits;
}

/** Encodes a time to the second; until 2049 with two digits of the year (RFC 5280 §4.1.2.5). */
export function time(at: Date): Buffer {
  const digits = at.toISOString().replace(/[-:T]|\.\d+/g, '');
  return at.getUTCFullYear() < 2050
    ? element(0x17, Buffer.from(digits.slice(2)))
    : element(0x18, Buffer.from(digits));
}
