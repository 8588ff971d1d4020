import assert from 'node:assert/strict';
import { existsSync, symlinkSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openEngine, secret, useEngine, workersOf } from './engine.fixture.ts';
import { EngineError, type QueryTable } from './engine.ts';

const opened = useEngine({ query: { idleWorkers: 2, runTimeMaxMs: 20_000 } });

/** The second line of defence: what the process refuses although the guard was never asked. FOLDER is the lake's. */
const escapes = [
  "SELECT * FROM read_csv('FOLDER/secret.csv')",
  "SELECT * FROM 'FOLDER/secret.csv'",
  "SELECT * FROM 'FOLDER/link.csv'",
  "SELECT * FROM read_text('FOLDER/secret.csv')",
  "SELECT * FROM read_text('FOLDER/variant.parquet/../secret.csv')",
  "SELECT * FROM read_blob('/etc/passwd')",
  "SELECT * FROM read_text('/proc/self/environ')",
  "SELECT * FROM read_text('/proc/self/cmdline')",
  "SELECT * FROM read_parquet('FOLDER/patient.parquet')",
  "SELECT * FROM glob('FOLDER/*')",
  "SELECT * FROM read_csv('http://127.0.0.1:1/a.csv')",
  "SELECT * FROM 's3://bucket/a.parquet'",
  "SELECT 1) TO 'FOLDER/evil.csv' (FORMAT csv); --",
  "SELECT 1) TO 'FOLDER/evil.csv'; COPY (SELECT 1",
  "SELECT 1; COPY (SELECT 1) TO 'FOLDER/evil.csv'",
  "COPY (SELECT 1) TO 'FOLDER/variant.parquet'",
  "ATTACH 'FOLDER/evil.csv' AS x",
  'INSTALL httpfs',
  'LOAD httpfs',
  'SET enable_external_access = true',
  "SET allowed_paths = ['/etc/passwd']",
  "SET memory_limit = '100GB'",
  'RESET lock_configuration',
  "CALL enable_logging(storage = 'file', storage_path = 'FOLDER/evil.csv')",
  "EXPORT DATABASE 'FOLDER/evil.csv'",
];

for (const attempt of escapes) {
  test(`the process refuses: ${attempt}`, async () => {
    const link = join(opened.lake.folder, 'link.csv');
    if (!existsSync(link)) symlinkSync(opened.lake.secretPath, link);
    const raw = await readFile(join(opened.lake.folder, 'variant.parquet'));
    const path = join(opened.lake.folder, `escape-${escapes.indexOf(attempt)}.csv`);
    const statement = { sql: attempt.replaceAll('FOLDER', opened.lake.folder), tables: ['variant'] };
    const done = opened.engine.query(
      { statement, tables: opened.lake.tables, outputPath: path },
      new AbortController().signal,
    );
    const error = await done.then(
      async (outcome) => `succeeded: ${JSON.stringify(outcome)} ${await readFile(path, 'utf8')}`,
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof Error, String(error));
    if (error instanceof EngineError)
      assert.ok(error.code === 'SQL' || error.code === 'WORKER_LOST', error.message);
    assert.ok(!error.message.includes(opened.lake.folder), error.message);
    assert.ok(!error.message.includes(secret));
    assert.ok(!(await readdir(opened.lake.folder)).includes('evil.csv'));
    assert.deepEqual(await readFile(join(opened.lake.folder, 'variant.parquet')), raw);
  });
}

test('a statement meets nothing of the one that its process ran before: files, relations, results', async (context) => {
  const { lake } = opened;
  const engine = await openEngine(lake.folder, { query: { idleWorkers: 1 } });
  context.after(() => engine.close());
  const [variant, patient] = lake.tables as [QueryTable, QueryTable];
  let count = 0;
  const run = async (sql: string, tables: QueryTable[]): Promise<string> => {
    const path = join(lake.folder, `after-${++count}.csv`);
    const statement = { sql, tables: tables.map(({ name }) => name) };
    await engine.query({ statement, tables, outputPath: path }, new AbortController().signal);
    return await readFile(path, 'utf8');
  };
  const settled = { name: 'settled_rows', sql: patient.sql, files: patient.files };
  const before = () =>
    run('SELECT name FROM patient', [{ ...patient, sql: 'SELECT * FROM settled_rows', settled }]);
  const processes = workersOf(process.pid, 'query');
  await before();
  const catalogue = `SELECT string_agg(view_name, ',') AS views, (SELECT count(*) FROM duckdb_tables()) AS tables
    FROM duckdb_views() WHERE NOT internal`;
  assert.equal(await run(catalogue, [variant]), 'views,tables\nvariant,0\n');
  assert.deepEqual(workersOf(process.pid, 'query'), processes, 'the same process');
  for (const sql of [
    'SELECT * FROM patient',
    'SELECT * FROM settled_rows',
    `SELECT * FROM read_parquet('${patient.files[0]}')`,
    `SELECT * FROM read_csv('${join(lake.folder, 'after-1.csv')}')`,
    "SELECT * FROM glob('*/settled-*.parquet')",
  ]) {
    await before();
    await assert.rejects(run(sql, [variant]), EngineError, sql);
  }
});
