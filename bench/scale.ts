/** Costs of a catalogue of a million ingestions: what a query reads of it, in time and memory. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { presentTables } from '../packages/server/src/domains/lake/catalogue/catalogue.ts';
import { filesAt, recordFiles } from '../packages/server/src/domains/lake/catalogue/lake-files.ts';
import { openRecords, type Records } from '../packages/server/src/platform/records/index.ts';
import { silent } from '../test/support/records.ts';
import { comparisons } from './comparisons.ts';

const tables = ['variant'];
const ingestions = 1_000_000;
/** Files of each table: a merged file has at most 1,000 ingestions. */
const files = 1_000;
const rounds = 21;
const mebibyte = 2 ** 20;

/** `argument`: address of an empty PostgreSQL database; absent: SQLite. */
export async function bench(databaseUrl = ''): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'ploidy-scale-'));
  const records = await openRecords({ folder, databaseUrl, log: silent });
  try {
    await withoutTriggers(records);
    for (const table of tables) await addIngestions(records, table);
    const report = (name: string, value: number, unit: string) =>
      process.stdout.write(`${name.padEnd(44)} ${value.toFixed(1).padStart(9)} ${unit}\n`);
    const { rowCounts } = await presentTables(records.read, 'p');
    if (rowCounts.get('variant') !== ingestions) throw new Error('The catalogue has other rows.');
    const empty = await medianMs(() => ofQuery(records, 'empty'));
    globalThis.gc?.();
    const before = process.memoryUsage().rss;
    report('catalogue of an empty project', empty, 'ms');
    report(`catalogue of ${ingestions} ingestions`, await medianMs(() => ofQuery(records, 'p')), 'ms');
    report('growth of the process', (process.memoryUsage().rss - before) / mebibyte, 'MiB');
    report('state of a file among them', await medianMs(() => recorded(records)), 'ms');
    for (const { name, ms } of await comparisons(folder)) report(name, ms, 'ms');
  } finally {
    await records.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Reads what POST /query and the run of a query over all tables read. */
async function ofQuery(records: Records, project: string): Promise<void> {
  const { version } = await presentTables(records.read, project);
  await filesAt(records.read, project, version, tables);
}

/** Records a file that is there, as its replacement does. */
async function recorded(records: Records): Promise<void> {
  await records.transact((tx) => recordFiles(tx, { project: 'p', version: 2, keys: ['variant-7'] }));
}

async function medianMs(work: () => Promise<void>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const from = performance.now();
    await work();
    times.push(performance.now() - from);
  }
  return times.toSorted((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0;
}

/** Rows of the generator name no blobs. */
async function withoutTriggers(records: Records): Promise<void> {
  await records.transact(async (tx) => {
    if (records.dialect === 'postgres') {
      await sql`alter table segments disable trigger user`.execute(tx);
      return;
    }
    const { rows } = await sql<{ name: string }>`
      select name from sqlite_master where type = 'trigger' and tbl_name = 'segments'
    `.execute(tx);
    for (const { name } of rows) await sql`drop trigger ${sql.ref(name)}`.execute(tx);
  });
}

/** Adds a row per ingestion, merged into files. */
async function addIngestions(records: Records, table: string): Promise<void> {
  const each = sql.lit(ingestions / files);
  await records.transact((tx) =>
    sql`
      with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${sql.lit(ingestions)})
      insert into segments (id, project_id, table_name, source_file_id, ingestion_id, blob_key, row_count, size, sha256,
        genome_build, source, ordinal, file_rows, added_version, removed_version, removed_at)
      select ${table} || n, 'p', ${table}, 'f' || n, 'i' || n, ${table} || '-' || (n % ${sql.lit(files)}), 1, 1, '',
        null, '', n, ${each}, 1, null, null
      from numbers
    `.execute(tx),
  );
  await records.transact(async (tx) => {
    for (let file = 0; file < files; file += 1)
      await recordFiles(tx, { project: 'p', version: 1, keys: [`${table}-${file}`] });
  });
}
