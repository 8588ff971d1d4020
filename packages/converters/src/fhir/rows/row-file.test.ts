import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openWork } from '../work.ts';
import { rangesOf } from './ranges.ts';
import { mergeRows, type RowSource } from './row-cursor.ts';
import { RowFile, type Section } from './row-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'ploidy-rows-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Deterministic pseudo-random numbers. */
function* numbers(seed: number): Generator<number, never> {
  let state = seed;
  for (;;) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    yield state >>> 8;
  }
}

interface Made {
  key: string;
  text: string;
  slice: number;
}

const byKey = (a: Made, b: Made): number => (a.key < b.key ? -1 : a.key > b.key ? 1 : a.slice - b.slice);

/** Returns some files of sorted rows with random keys and lengths, and all rows in order. */
function makeFiles(files: number, rows: number, bytesMax: number): { sections: Section[]; all: Made[] } {
  const random = numbers(files * rows + bytesMax);
  const all: Made[] = [];
  const sections: Section[] = [];
  for (let slice = 0; slice < files; slice += 1) {
    const own = Array.from({ length: rows }, (_, index): Made => {
      const key = `k${random.next().value % (rows * 2)}`;
      return { key, slice, text: `${slice}/${index}${'y'.repeat(random.next().value % bytesMax)}` };
    });
    own.sort(byKey);
    all.push(...own);
    const file = new RowFile(join(folder, `${files}-${rows}-${slice}`));
    file.begin('table');
    for (const { key, text } of own) {
      const buffer = Buffer.from(key + text);
      const place = { keyStart: 0, start: key.length, end: buffer.length };
      file.add({ ...place, buffer, slice, number: 1, count: 1 });
    }
    sections.push(...file.end());
    file.close();
  }
  return { sections, all: all.sort(byKey) };
}

function textsOf(sources: readonly RowSource[]): string[] {
  return Array.from(mergeRows(sources), ({ buffer, start, end }) => buffer.toString('latin1', start, end));
}

test('rows of several files are merged in the order of their keys, equal keys in that of the files', () => {
  for (const [files, rows, bytesMax] of [
    [1, 1, 10],
    [7, 400, 60],
    [3, 5, 300_000],
  ] as const) {
    const { sections, all } = makeFiles(files, rows, bytesMax);
    assert.deepEqual(
      textsOf(sections),
      all.map(({ text }) => text),
    );
  }
});

test('files that were made one of several hold the same rows, and those are removed', () => {
  const { sections, all } = makeFiles(9, 300, 2000);
  const before = readdirSync(folder).length;
  const work = openWork({
    skipBroken: false,
    fullUrls: new Map(),
    hasSeveralBundles: false,
    idPrefix: '',
    source: undefined,
  });
  const path = join(folder, 'joined');
  const task = { kind: 'join', path, tables: [{ table: 'table', sources: sections }] } as const;
  const joined = work({ ...task, tables: [...task.tables] }).outcome as Section[];
  assert.equal(readdirSync(folder).length, before - 8);
  assert.deepEqual(
    textsOf(joined),
    all.map(({ text }) => text),
  );
});

test('ranges of keys hold every row once, in order', () => {
  const { sections, all } = makeFiles(5, 1000, 20_000);
  const ranges = rangesOf(sections);
  assert.ok(ranges.length > 2);
  const texts = ranges.flatMap(({ sources, from = '', to }) =>
    Array.from(mergeRows(sources), ({ buffer, keyStart, start, end }) => ({
      key: buffer.toString('latin1', keyStart, start),
      text: buffer.toString('latin1', start, end),
    }))
      .filter(({ key }) => key >= from && (to === undefined || key < to))
      .map(({ text }) => text),
  );
  assert.deepEqual(
    texts,
    all.map(({ text }) => text),
  );
});
