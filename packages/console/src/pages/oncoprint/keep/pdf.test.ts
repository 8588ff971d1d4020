import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inflateSync } from 'node:zlib';
import { pdfOf } from './pdf.ts';

test('a page holds its rectangles, Latin texts as such and others as pictures, at the places of its table', async () => {
  const asked: string[] = [];
  const bytes = await pdfOf(
    {
      ...{ width: 200, height: 100, batches: [{ colour: '#ff0000', rects: [1, 2, 3.5, 4] }] },
      texts: [
        { text: 'BRAF (é)', left: 5, middle: 50 },
        { text: 'شجرة', left: 5, middle: 70 },
      ],
    },
    async (text) => {
      asked.push(text);
      return { jpeg: Uint8Array.of(1, 2, 3), pixels: { width: 30, height: 10 }, width: 10, height: 3 };
    },
  );
  assert.deepEqual(asked, ['شجرة']);
  const text = Buffer.from(bytes).toString('latin1');
  const start = Number(/startxref\n(\d+)/.exec(text)?.[1]);
  const places = [...text.slice(start).matchAll(/^(\d{10}) 00000 n /gm)].map(([, place]) => Number(place));
  assert.equal(places.length, 6);
  for (const [at, place] of places.entries()) assert.ok(text.slice(place).startsWith(`${at + 1} 0 obj\n`));
  const [, length = '0'] = /FlateDecode \/Length (\d+) >>\nstream\n/.exec(text) ?? [];
  const from = text.indexOf('stream\n') + 'stream\n'.length;
  const content = inflateSync(bytes.subarray(from, from + Number(length))).toString();
  assert.match(content, /1 0 0 rg\n1 2 3\.5 4 re\nf/);
  assert.match(content, /<425241462028e929>/);
  assert.match(content, /\/I0 Do/);
  assert.match(text, /MediaBox \[0 0 150 75\]/);
});

test('a page that is too large for readers is made smaller', async () => {
  const content = { width: 100_000, height: 500, batches: [], texts: [] };
  const text = Buffer.from(await pdfOf(content, () => assert.fail())).toString('latin1');
  assert.match(text, /MediaBox \[0 0 14400 72\]/);
});
