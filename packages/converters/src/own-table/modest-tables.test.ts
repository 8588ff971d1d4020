import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { keptSql } from '../../../../test/support/kept-sql.ts';
import { convertContent, lines } from './conversion.fixture.ts';
import { requireModestFooter } from './parquet-footer.ts';

async function withParquet(select: string, use: (path: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'ploidy-parquet-'));
  try {
    const path = join(folder, 'a.parquet');
    await (await keptSql(256 << 20)).run(`COPY (${select}) TO '${path}' (FORMAT parquet)`);
    await use(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test('NDJSON is refused at the line with the key after the two thousandth', async () => {
  const line = (number: number): string => JSON.stringify({ patient_id: `P${number}`, [`k${number}`]: 1 });
  const text = lines(...Array.from({ length: 20_000 }, (_, number) => line(number)), 'this line is not JSON');
  await assert.rejects(convertContent(text), {
    name: 'InputError',
    line: 2000,
    message: /more than 2000 columns/,
  });
});

test('a delimited file with too many titles is refused before its first line', async () => {
  const titles = Array.from({ length: 2001 }, (_, at) => `t${at}`).join(',');
  const text = lines(titles, 'a line with one value');
  await assert.rejects(convertContent(text), {
    name: 'InputError',
    line: 1,
    message: /more than 2000 columns/,
  });
});

test('Parquet is refused by its footer for too many levels or columns, before its data is read', async () => {
  const nested = `${'['.repeat(40)}1${']'.repeat(40)}`;
  await withParquet(`SELECT 'P' AS patient_id, ${nested} AS deep`, async (path) => {
    await assert.rejects(convertContent(await readFile(path)), /more than 64 levels deep/);
  });
  const wide = Array.from({ length: 2001 }, (_, at) => `1 AS c${at}`).join(', ');
  await withParquet(`SELECT ${wide}`, async (path) => {
    await assert.rejects(convertContent(await readFile(path)), /more than 2000 columns/);
  });
});

test('each limit of a footer refuses a file above it, and accepts one at it', async () => {
  const sql = await keptSql(256 << 20);
  const never = Number.POSITIVE_INFINITY;
  const none = { footerBytesMax: never, depthMax: never, valuesMax: never, rowGroupBytesMax: never };
  await withParquet('SELECT i AS a, {b: [i], c: i} AS s FROM range(1000) t(i)', async (path) => {
    await requireModestFooter(sql, path, { ...none, depthMax: 4, valuesMax: 2000 });
    const refused = [
      [{ footerBytesMax: 10 }, /footer .* more than 10 bytes/],
      [{ depthMax: 3 }, /more than 3 levels/],
      [{ valuesMax: 1999 }, /more than 1999 values/],
      [{ rowGroupBytesMax: 100 }, /row group .* more than 100 bytes/],
    ] as const;
    for (const [limit, message] of refused)
      await assert.rejects(requireModestFooter(sql, path, { ...none, ...limit }), message);
  });
});
