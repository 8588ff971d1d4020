/**
 * Start and a round of maintenance over records with poisoned rows in every table. The tables, their words and the kinds of
 * jobs are those of a sound service: new ones are poisoned too.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type App, createApp } from '../../packages/server/src/app/app.ts';
import { readConfig } from '../../packages/server/src/config/config.ts';
import { newKey } from '../../packages/server/src/platform/blobs/keys.ts';
import { openLog } from '../../packages/server/src/platform/log/log.ts';
import { openRecords } from '../../packages/server/src/platform/records/index.ts';
import { TestProject } from '../inputs/project.ts';
import { fhirText } from '../inputs/texts.ts';
import { call } from '../support/app.ts';
import { lendEngine } from '../support/kept-engine.ts';
import { postgresSkip, startPrepared } from '../support/postgres.ts';
import { openRaw } from '../support/raw-records.ts';
import { silent } from '../support/records.ts';
import { rowsLeft } from '../support/removals.ts';
import { until } from '../support/until.ts';
import { poisonJobs, poisonTable } from './poisoned-rows.ts';
import { type Watched, watchRecords } from './watched-records.ts';

/** Tables that stop a start on purpose, with the reason. */
const exempt: Record<string, string> = {
  schema_migrations: 'which version the records have: a foreign one is refused',
  signing_keys: 'a key that does not open shows that the master key is not the right one',
  identity: 'which records these are: one row, made once',
  sqlite_master: 'of the database itself',
};

interface Service {
  app: App;
  call: (method: string, path: string, options?: object) => ReturnType<typeof call>;
  first: { key: string; account: string } | undefined;
  stop(): Promise<void>;
}

async function start(settings: Record<string, string>, credentials?: Service['first']): Promise<Service> {
  const config = { ...readConfig(settings), overloadDelayMs: 60_000 };
  const { engine, giveBack } = await lendEngine(config);
  const app = await createApp(config, openLog('silent'), engine);
  const { baseUrl, firstRun } = await app.start();
  const first = credentials ?? (firstRun && { key: firstRun.apiKey, account: firstRun.account });
  return {
    app,
    first,
    call: (method, path, options = {}) => call(baseUrl, method, path, { ...first, ...options }),
    stop: async () => {
      await app.stop();
      await giveBack();
    },
  };
}

/** Watches a start and one round of maintenance. */
async function watchedRound(folder: string): Promise<Watched> {
  const settings = { PLOIDY_DATA_DIR: folder, PLOIDY_PORT: '0', PLOIDY_IDLE_WORKERS: '0' };
  await (await start(settings)).stop();
  const watched = watchRecords();
  const service = await start(settings);
  const released = () => watched.statements.filter((text) => /^delete from "duties"/.test(text)).length;
  await until(() => released() >= 3, 'a round of all chores has ended');
  await service.stop();
  watched.stop();
  return watched;
}

async function poisonAndStart(folder: string, databaseUrl: string, watched: Watched): Promise<void> {
  const settings = {
    ...{ PLOIDY_DATA_DIR: folder, PLOIDY_PORT: '0', PLOIDY_IDLE_WORKERS: '0' },
    ...(databaseUrl && { PLOIDY_DATABASE_URL: databaseUrl }),
  };
  const before = await start(settings);
  const sound = await TestProject.make(before.call, 'Sound');
  const file = await sound.upload('patients.ndjson', fhirText('p', 3));
  await sound.take('before.ndjson', fhirText('p', 3));
  await sound.ask('select count(*) from patient');
  const due = await TestProject.make(before.call, 'Due');
  await due.upload('gone.txt', 'gone');
  await before.stop();

  const raw = await openRaw({ folder, databaseUrl });
  await raw.run(`update projects set deletion_at = 5 where id = '${due.id}'`);
  const account = before.first?.account;
  const orphan = newKey();
  await raw.run(`update queries set state = 'running', job_id = 'none'`);
  await raw.run(`insert into blob_intents (key, kind, expires_at) values ('${orphan}', 'remove', 0)`);
  await raw.run(`insert into removals (kind, id, account_id, state, counts, begun_at)
    values ('project', 'lost', '${account}', 'running', '{}', 5)`);
  await raw.run(`insert into trino_statements
    (id, user_id, account_id, project_id, query_text, statement, tables, masked, lake_version, state, progress, created_at, asked_at)
    values ('idle', 'u', '${account}', '${sound.id}', '', '', '[]', 0, 0, 'running', 0, 5, 5)`);
  const planted = new Map<string, number>();
  const records = await openRecords({ folder, databaseUrl, log: silent });
  const existing = new Set((await records.read.introspection.getTables()).map(({ name }) => name));
  for (const [table, words] of watched.tables)
    if (existing.has(table) && exempt[table] === undefined)
      planted.set(table, await poisonTable(records, raw, table, words));
  for (const kind of watched.kinds) await poisonJobs(raw, kind);
  await records.close();
  assert.deepEqual(
    [...planted].filter(([, rows]) => rows === 0),
    [],
    'every table has taken some',
  );

  const service = await start(settings, before.first);
  try {
    assert.equal((await service.call('GET', '/readyz')).status, 200);
    const isGone = async () => (await rowsLeft(service.app.core.records, 'project', due.id)).length === 0;
    await until(isGone, 'the project that is due is removed');
    const left = `
      select 'query' as what from queries where job_id = 'none' and state = 'running'
      union all select 'blob' from blob_intents where key = '${orphan}'
      union all select 'removal' from removals where id = 'lost' and state = 'running'
      union all select 'statement' from trino_statements where id = 'idle' and state = 'running'`;
    await until(
      async () => (await raw.run(left)).length === 0,
      'all that is sound among the poisoned is done',
    );
    const jobs = `select kind from jobs where id like 'poisoned-%' and state in ('queued', 'running')`;
    const isNone = async () => (await raw.run(jobs)).length === 0;
    await until(isNone, 'poisoned jobs of every kind have ended');
    const work = await sound.as(service.call).ingest(file);
    assert.equal(work.state, 'succeeded');
    assert.deepEqual(await sound.as(service.call).ask('select count(*) from patient'), ['3']);
    const lists = ['/v1/projects', '/v1/files', '/v1/ingestions', '/v1/accounts', '/v1/audit-events'];
    for (const path of lists) {
      const { status, text } = await service.call('GET', `${path}?datasetId=${sound.id}`);
      assert.ok(status < 500, `${path}: ${text}`);
    }
  } finally {
    await service.stop();
    await raw.close();
  }
}

const inFolder = async (work: (folder: string) => Promise<void>): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-poison-'));
  try {
    await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

let round: Promise<Watched> | undefined;
const roundOnce = (): Promise<Watched> => {
  round ??= new Promise((resolve, reject) => {
    inFolder(async (folder) => resolve(await watchedRound(folder))).catch(reject);
  });
  return round;
};

test('a start and a round of maintenance look at tables of every kind of work', async () => {
  const { tables, kinds } = await roundOnce();
  for (const kind of ['lake.run', 'ingestions.run', 'deletion.remove']) assert.ok(kinds.has(kind), kind);
  for (const table of [
    'jobs',
    'duties',
    'projects',
    'accounts',
    'removals',
    'trino_statements',
    'blob_intents',
  ])
    assert.ok(tables.has(table), table);
});

test('a service over poisoned records is ready, and does all that is sound (sqlite)', async () => {
  const watched = await roundOnce();
  await inFolder((folder) => poisonAndStart(folder, '', watched));
});

test('a service over poisoned records is ready, and does all that is sound (postgres)', {
  skip: postgresSkip,
}, async () => {
  const watched = await roundOnce();
  const database = await startPrepared();
  try {
    await inFolder((folder) => poisonAndStart(folder, database.url, watched));
  } finally {
    await database.stop();
  }
});
