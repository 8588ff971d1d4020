import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { RowSorter } from './row-sorter.ts';
import { WriteQueue } from './write-queue.ts';

const folder = mkdtempSync(join(tmpdir(), 'ploidy-sorter-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** The same numbers on every machine. */
function* numbers(seed: number): Generator<number> {
  let state = seed;
  for (;;) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    yield state >>> 8;
  }
}

async function check(count: number, keys: number, padding: number): Promise<void> {
  const sorter = new RowSorter(folder, 'rows', new WriteQueue());
  const random = numbers(count);
  const expected: { key: string; line: string; ordinal: number }[] = [];
  for (let ordinal = 0; ordinal < count; ordinal += 1) {
    const key = `k${Number(random.next().value) % keys}`;
    const line = `${key} ${ordinal} é${'x'.repeat(Number(random.next().value) % (padding + 1))}`;
    sorter.add(key, ordinal, line);
    if (ordinal % 500 === 0) await sorter.settle();
    if (ordinal % 7 !== 3) expected.push({ key, line, ordinal });
  }
  expected.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : a.ordinal - b.ordinal));
  const path = join(folder, 'sorted');
  const { rows, bytes, longestRowBytes } = await sorter.writeSorted(path, (ordinal) => ordinal % 7 === 3);
  const text = readFileSync(path, 'utf8');
  assert.ok(text === expected.map(({ line }) => `${line}\n`).join(''), 'the rows are not in order');
  assert.equal(rows, expected.length);
  assert.equal(bytes, Buffer.byteLength(text));
  assert.equal(
    longestRowBytes,
    expected.reduce((most, { line }) => Math.max(most, Buffer.byteLength(line) + 1), 0),
  );
  rmSync(path);
  assert.deepEqual(readdirSync(folder), []);
}

test('rows that fit into memory are sorted, rows of one key in the order in which they came', async () => {
  await check(0, 1, 0);
  await check(1, 1, 0);
  await check(5000, 50, 100);
});

test('rows that do not fit into memory are sorted in the same way', async () => {
  await check(250_000, 3000, 10);
  await check(60_000, 1_000_000, 2000);
});

test('a row longer than all memory set aside is sorted like others', async () => {
  await check(12, 3, 9_000_000);
});
