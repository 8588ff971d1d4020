import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Delimiter } from './fields.ts';
import { RecordReader } from './record-reader.ts';

/** Records as `line:field|field`, faults as `line!reason`. */
function read(text: string | Uint8Array, delimiter: Delimiter, pieceBytes = 1 << 16, skipped = 0): string[] {
  const seen: string[] = [];
  const reader = new RecordReader(delimiter, skipped, {
    record: (fields, line) => seen.push(`${line}:${fields.join('|')}`),
    fault: ({ message, column }, line) => seen.push(`${line}!${column ?? ''}${message}`),
  });
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  for (let at = 0; at < bytes.length; at += pieceBytes) reader.add(bytes.subarray(at, at + pieceBytes));
  reader.end();
  return seen;
}

describe('records of a text', () => {
  test('line ends of every kind, blank lines, a byte order mark and no last line end make no difference', () => {
    assert.deepEqual(read('\ufeffa\tb\r\n\nc\td', '\t'), ['1:a|b', '3:c|d']);
    assert.deepEqual(read('a,b\n\r\nc,d\r\n', ','), ['1:a|b', '3:c|d']);
  });

  test('between tabs a quotation mark is a character like others, but for those around a whole field', () => {
    assert.deepEqual(read('a"\t"b\n', '\t'), ['1:a"|"b']);
    assert.deepEqual(read('"a,b"\t""\t"c ""d"""\n', '\t'), ['1:a,b||c "d"']);
    assert.deepEqual(read('"\t"a" and "b"\t5"\n', '\t'), ['1:"|"a" and "b"|5"']);
  });

  test('quoted fields hold commas, quotation marks and lines; the record has the number of its first line', () => {
    assert.deepEqual(read('a,"b,""c""",\n"d\ne\r\nf",g\nh,i\n', ','), ['1:a|b,"c"|', '2:d\ne\nf|g', '5:h|i']);
  });

  test('bytes may be cut anywhere', () => {
    const text = 'ä,"b\n,c"\r\n"d","€"\n\ne,f';
    const whole = read(text, ',');
    for (let piece = 1; piece < 12; piece += 1) assert.deepEqual(read(text, ',', piece), whole);
  });

  test('a quotation mark inside a field is a fault with its column, and the next line is read', () => {
    const reason = 'a quotation mark is misplaced';
    assert.deepEqual(read('a,b"c"\n"d"e,f\ng,h\n', ','), [`1!2${reason}`, `2!1${reason}`, '3:g|h']);
  });

  test('an unterminated quoted field is reported with the line of its start', () => {
    assert.throws(() => read('a,b\nc,"d\ne,f\n', ','), { name: 'InputError', line: 2 });
    assert.throws(() => read(`a,"b\n${'c,d\n'.repeat(400_000)}`, ','), { name: 'InputError', line: 1 });
  });

  test('invalid UTF-8 and control characters are faults of their line alone', () => {
    const bytes = Uint8Array.from([97, 10, 255, 10, 98, 13, 99, 10, 100, 0, 10, 101]);
    const control = 'the line contains a control character';
    assert.deepEqual(read(bytes, '\t'), [
      '1:a',
      '2!it is not UTF-8 text',
      `3!${control}`,
      `4!${control}`,
      '5:e',
    ]);
  });

  test('a line that never ends is refused before it fills the memory', () => {
    assert.throws(() => read(new Uint8Array(17 << 20).fill(97), '\t', 1 << 20), {
      name: 'InputError',
      line: 1,
    });
  });

  test('lines before the records are passed over, whatever is in them', () => {
    assert.deepEqual(read('#"\na,b\nc,d\n', ',', 3, 2), ['3:c|d']);
  });
});
