import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NoParquet } from './compact-reader.ts';
import { footerBytes, rowsInFooter } from './footer.ts';

/** Bytes of Thrift's compact protocol: a field begins with the difference from the last id, and its type. */
const head = (step: number, type: number): number => (step << 4) | type;
const [i32, i64, binary, list, struct] = [5, 6, 8, 9, 12];

/** Number in the protocol: zigzag, seven bits a byte. */
function number(value: number): number[] {
  const bytes: number[] = [];
  let rest = BigInt(value) * 2n;
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return [...bytes, Number(rest)];
}

/** FileMetaData: version, schema (of structs that hold texts, numbers and structs), rows. */
const metaData = (rows: number): Uint8Array => {
  const name = [...'schema'].map((letter) => letter.charCodeAt(0));
  const inner = [head(1, i32), ...number(7), head(2, 1), 0];
  const element = [
    head(4, binary),
    name.length,
    ...name,
    head(1, i32),
    ...number(3),
    head(2, struct),
    ...inner,
    0,
  ];
  const version = [head(1, i32), ...number(2)];
  // A list begins with its length and the type of its items.
  const schema = [head(1, list), head(2, struct), ...element, ...element];
  return Uint8Array.from([...version, ...schema, head(1, i64), ...number(rows), 0]);
};

test('the rows of a footer are read after any other fields, also beyond 32 bits', () => {
  for (const rows of [0, 1, 63, 64, 1000, 2 ** 32, 2 ** 45 + 3])
    assert.equal(rowsInFooter(metaData(rows)), rows);
});

test('a footer that is cut off anywhere, or is none, is refused and never misread', () => {
  const whole = metaData(123_456);
  for (let length = 0; length < whole.length - 1; length += 1)
    assert.throws(() => rowsInFooter(whole.subarray(0, length)), NoParquet, `${length} bytes`);
  assert.throws(() => rowsInFooter(Uint8Array.of(0)), /does not state the number of rows/);
  assert.throws(() => rowsInFooter(Uint8Array.of(head(1, 15))), /unknown type/);
  assert.throws(() => rowsInFooter(Uint8Array.from({ length: 100 }, () => head(1, struct))), /too deeply/);
  assert.throws(() => rowsInFooter(Uint8Array.from({ length: 100 }, () => 255)), NoParquet);
});

test('any byte of a footer may be wrong: the outcome is rows or NoParquet, nothing else', () => {
  const whole = metaData(5);
  for (let at = 0; at < whole.length; at += 1) {
    for (const byte of [0, 1, 0x1c, 0x59, 0x7f, 0x80, 0xf9, 0xff]) {
      const broken = Uint8Array.from(whole);
      broken[at] = byte;
      try {
        assert.equal(typeof rowsInFooter(broken), 'number');
      } catch (error) {
        assert.ok(error instanceof NoParquet, String(error));
      }
    }
  }
});

test('the length of the footer follows from the end of the file, which must be one of Parquet', () => {
  const tail = (length: number, word = 'PAR1'): Uint8Array => {
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setUint32(0, length, true);
    bytes.set(new TextEncoder().encode(word), 4);
    return bytes;
  };
  assert.equal(footerBytes(tail(100), 112), 100);
  assert.equal(footerBytes(Uint8Array.from([9, 9, ...tail(3)]), 1000), 3);
  assert.throws(() => footerBytes(tail(101), 112), /longer than the file/);
  assert.throws(() => footerBytes(tail(2 ** 32 - 1), 1000), /longer than the file/);
  assert.throws(() => footerBytes(tail(1, 'PARE'), 1000), /does not end as a Parquet file/);
  assert.throws(() => footerBytes(tail(1).subarray(1), 1000), NoParquet);
});
