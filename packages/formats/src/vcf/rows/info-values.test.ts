import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesOf } from '../../bytes.ts';
import { InfoValues } from './info-values.ts';
import { RecordLine } from './record-line.ts';

/** Bytes whose searches for a semicolon fail beyond the longest record. */
class Searched extends Uint8Array {
  override indexOf(byte: number, from = 0): number {
    if (byte === 59) assert.ok(this.length - from < 100, `${this.length - from} bytes are searched`);
    return super.indexOf(byte, from);
  }
}

/** Returns the values of the key CSQ in each record. `longSlot`: 0 if the key has annotations, else -1. */
function valuesOf(records: readonly string[], longSlot: number): (string | undefined)[] {
  const text = records.map((record) => `${record}\n`).join('');
  const bytes = new Searched(bytesOf(text));
  const values = new InfoValues(['CSQ'], longSlot);
  const line = new RecordLine();
  let start = 0;
  return records.map((record) => {
    const end = start + record.length;
    assert.ok(line.read(bytes, start, end));
    values.read(line);
    start = end + 1;
    return values.has(0, bytes) ? text.slice(values.starts[0], values.ends[0]) : undefined;
  });
}

const recordOf = (info: string, position: number): string =>
  `chr1\t${position}\t.\tA\tC\t.\t.\t${info}\tGT\t0/1`;

test('a value of INFO without a semicolon is read without searching later records', () => {
  const infos = Array.from(
    { length: 200 },
    (_, at) => ['.', 'CSQ=C|x', 'DP=1', 'DP=1;CSQ=C|y;AC=1'][at % 4] as string,
  );
  const records = infos.map((info, at) => recordOf(info, at + 1));
  const expected = infos.map((info) => /CSQ=([^;]+)/.exec(info)?.[1]);
  assert.deepEqual(valuesOf(records, 0), expected);
  assert.deepEqual(valuesOf(records, -1), expected);
});
