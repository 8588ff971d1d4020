import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { until } from '../../../test/support/until.ts';
import { type Lake, makeLake, nicenessOf, openEngine, openSql, workersOf } from './engine.fixture.ts';
import type { Engine, QueryOutcome } from './engine.ts';
import { lowNice } from './watch.ts';

let lake: Lake;
let engine: Engine;
let source: string;

before(async () => {
  lake = await makeLake();
  engine = await openEngine(lake.folder, { query: { idleWorkers: 0 } });
  source = join(lake.folder, 'variant.parquet');
});

after(async () => {
  await engine.close();
  await lake.remove();
});

/** Writes a file for each statement into a fresh folder. */
async function rewrite(
  name: string,
  selects: string[],
  signal = new AbortController().signal,
): Promise<{ outputFolder: string; paths: string[]; done: Promise<QueryOutcome[]> }> {
  const outputFolder = join(lake.folder, name);
  await mkdir(outputFolder);
  const paths = selects.map((_, index) => join(outputFolder, `${index}.parquet`));
  const rewrites = selects.map((select, index) => ({
    select,
    files: [source],
    path: paths[index] as string,
  }));
  return { outputFolder, paths, done: engine.rewrite({ rewrites, outputFolder }, signal) };
}

const rows = (): string => `SELECT * FROM read_parquet(['${source}'])`;

test('each file has the rows of its statement in order, and is returned with its size and hash', async () => {
  const { paths, done } = await rewrite('good', [
    `${rows()} ORDER BY gene, position DESC`,
    `${rows()} WHERE position < 0`,
  ]);
  const outcomes = await done;
  assert.deepEqual(
    outcomes.map(({ rowCount }) => rowCount),
    [1000, 0],
  );
  for (const [index, { size, sha256 }] of outcomes.entries()) {
    const bytes = await readFile(paths[index] as string);
    assert.equal(size, bytes.length);
    assert.equal(sha256, createHash('sha256').update(bytes).digest('hex'));
  }
  const sql = await openSql(lake.folder);
  const places = async (of: string) =>
    (await sql.rows(of)).map((row) => [row['gene'], Number(row['position']), String(row['depths'])]);
  assert.deepEqual(
    await places(`SELECT * FROM '${paths[0]}'`),
    await places(`SELECT * FROM '${source}' ORDER BY gene, position DESC`),
  );
  sql.close();
});

test('a rewrite opens the files that it names and no other', async () => {
  const { outputFolder, done } = await rewrite('nosy', [`SELECT * FROM read_csv('${lake.secretPath}')`]);
  await assert.rejects(done, /file system operations are disabled/);
  assert.ok(!existsSync(outputFolder), 'nothing is left');
});

test('a rewrite of several files leaves none when one fails, and the source unchanged', async () => {
  const before = await stat(source);
  const { outputFolder, done } = await rewrite('broken', [rows(), `${rows()} WHERE gene::INTEGER = 1`]);
  await assert.rejects(done, /Could not convert string/);
  assert.ok(!existsSync(outputFolder), 'not even the first');
  assert.equal((await stat(source)).mtimeMs, before.mtimeMs);
});

test('a cancelled rewrite with threads of low priority rejects with the reason, and leaves no process or file', async () => {
  const cancel = new AbortController();
  const endless = `SELECT v.* FROM read_parquet(['${source}']) AS v, range(100000000000) WHERE hash(range) = 7`;
  const { outputFolder, paths, done } = await rewrite('endless', [rows(), endless], cancel.signal);
  await until(() => existsSync(paths[1] as string), 'the second file is begun');
  const [worker, ...others] = workersOf(process.pid, 'rewrite') as [number];
  assert.deepEqual(others, []);
  const niceness = nicenessOf(worker);
  assert.ok(niceness.length > 1, 'its own thread and those of the engine');
  assert.deepEqual(new Set(niceness), new Set([lowNice]));
  cancel.abort(new Error('cancelled by the test'));
  await assert.rejects(done, /cancelled by the test/);
  await until(() => !existsSync(outputFolder), 'the folder is gone');
  assert.deepEqual(workersOf(process.pid, 'rewrite'), []);
});
