import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { until } from '../../../test/support/until.ts';
import type { ConversionTask } from './conversion.ts';
import { type Lake, makeLake, nicenessOf, openEngine, workersOf } from './engine.fixture.ts';
import { type ConversionOutcome, type ConversionProgress, type Engine, EngineError } from './engine.ts';
import { lowNice } from './watch.ts';

const mebibyte = 1024 ** 2;
let lake: Lake;
let engine: Engine;

before(async () => {
  lake = await makeLake();
  await writeFile(join(lake.folder, 'source.csv'), 'a,b\n1,x\n2,y\n3,z\n');
  const converter = { module: new URL('./converter.fixture.ts', import.meta.url).href, name: 'convertTest' };
  engine = await openEngine(lake.folder, {
    query: { idleWorkers: 0 },
    conversion: { idleWorkers: 1, residentMaxBytes: 400 * mebibyte, outputMaxBytes: 4 * mebibyte },
    converters: { vcf: converter, annotated: converter },
  });
});

after(async () => {
  await engine.close();
  await lake.remove();
});

interface Started {
  folder: string;
  done: Promise<ConversionOutcome>;
}

async function start(
  sourceName: string,
  signal = new AbortController().signal,
  onProgress?: (progress: ConversionProgress) => void,
  type: ConversionTask['type'] = 'vcf',
): Promise<Started> {
  const folder = join(lake.folder, `out-${sourceName}`);
  await mkdir(folder);
  const task: ConversionTask = {
    type,
    sourcePath: join(lake.folder, 'source.csv'),
    sourceSize: 16,
    sourceName,
    outputFolder: folder,
    setId: 'set',
    options: {},
  };
  return { folder, done: engine.convert(task, signal, onProgress) };
}

async function failure(name: string): Promise<Error> {
  const { folder, done } = await start(name);
  const error = await done.then(
    () => assert.fail('it succeeded'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof Error);
  assert.ok(!existsSync(folder), 'nothing is left');
  return error;
}

test('a conversion that is cancelled before its turn leaves no folder', async () => {
  const { folder, done } = await start('early', AbortSignal.abort(new Error('too early')));
  await assert.rejects(done, /too early/);
  await until(() => !existsSync(folder), 'the folder is gone');
});

test('a conversion returns its Parquet files with size and hash, the first hundred warnings and their count', async () => {
  const seen: ConversionProgress[] = [];
  const { folder, done } = await start('good', undefined, (progress) => seen.push(progress));
  const outcome = await done;
  assert.deepEqual(
    outcome.tables.map(({ table, rows }) => ({ table, rows })),
    [
      { table: 'variant', rows: 3 },
      { table: '_skipped', rows: 1 },
    ],
  );
  for (const table of outcome.tables) {
    const bytes = await readFile(table.path);
    assert.equal(table.size, bytes.length);
    assert.equal(table.sha256, createHash('sha256').update(bytes).digest('hex'));
    assert.ok(table.path.startsWith(folder));
  }
  assert.equal(outcome.warningCount, 250);
  assert.equal(outcome.warnings.length, 100);
  assert.deepEqual(outcome.warnings[99], { line: 100, message: 'odd' });
  assert.ok(seen.length >= 1 && seen.length < 250, 'progress is throttled');
});

test('a broken input ends INPUT with line and column', async () => {
  const error = await failure('broken');
  assert.ok(error instanceof EngineError);
  assert.deepEqual(
    [error.code, error.message, error.line, error.column],
    ['INPUT', 'POS is not a number', 7, 3],
  );
});

test('a conversion can open its source and its folder and nothing else', async () => {
  assert.match((await failure('nosy')).message, /file system operations are disabled/);
});

test('a conversion that needs too much memory is ended', async () => {
  const error = await failure('hungry');
  assert.ok(error instanceof EngineError);
  assert.ok(error.code === 'MEMORY' || error.code === 'WORKER_LOST', error.code);
});

// asvs: 5.2.3
test('a conversion that writes too much is ended', async () => {
  const error = await failure('wordy');
  assert.ok(error instanceof EngineError);
  assert.equal(error.code, 'RESULT_SIZE');
});

test('a cancelled long conversion, all of whose threads give way to others, rejects with the reason and leaves nothing', async () => {
  const cancel = new AbortController();
  const seen: ConversionProgress[] = [];
  const { folder, done } = await start('endless', cancel.signal, (progress) => seen.push(progress));
  await until(() => seen.length > 0, 'progress is reported');
  const niceness = () => workersOf(process.pid, 'conversion').flatMap(nicenessOf);
  await until(() => niceness().length > 0 && niceness().every((nice) => nice === lowNice), 'it gives way');
  cancel.abort(new Error('cancelled by the test'));
  await assert.rejects(done, /cancelled by the test/);
  await until(() => !existsSync(folder), 'the folder is gone');
});

test('an awaited conversion does not wait for filling annotations, which yields to all other work', async () => {
  const cancel = new AbortController();
  const seen: ConversionProgress[] = [];
  const filling = await start('filling', cancel.signal, (progress) => seen.push(progress), 'annotated');
  await until(() => seen.length > 0, 'progress is reported');
  assert.deepEqual(new Set(workersOf(process.pid, 'filling').flatMap(nicenessOf)), new Set([lowNice]));
  const { done } = await start('beside');
  assert.equal((await done).tables.length, 1);
  cancel.abort(new Error('no more of it'));
  await assert.rejects(filling.done, /no more of it/);
});
