import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import type { Records, RecordsSettings } from '../../packages/server/src/platform/records/index.ts';
import { openRecords } from '../../packages/server/src/platform/records/index.ts';
import { postgresSkip, startPostgres, startPrepared } from './postgres.ts';
import { prepareSqlite } from './prepared-records.ts';

/** Store that the runner tests on (adr/0016): `sqlite` or `postgres`; both without a runner. */
export const onlyStore = process.env['PLOIDY_TEST_STORE'];

/** A log without output. */
export const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** One empty store for one test, and ways into it. */
export interface RecordsFixture {
  dialect: 'sqlite' | 'postgres';
  /** Options of `openRecords` for this store, also in another process. */
  settings: Pick<RecordsSettings, 'folder' | 'databaseUrl'>;
  /** Opens the store; each call acts as another process. Closed after the test. */
  open(more?: Partial<RecordsSettings>): Promise<Records>;
}

type Body = (fixture: RecordsFixture, context: TestContext) => Promise<void>;

/** Registers a test that must hold on every store: once on SQLite, once on PostgreSQL, each time on one that has tables without rows. */
export function testOnRecords(name: string, body: Body): void {
  register(name, body, 'prepared');
}

/** Registers a test on empty stores, for migrations. */
export function testOnNoRecords(name: string, body: Body): void {
  register(name, body, 'empty');
}

function register(name: string, body: Body, state: State): void {
  testOnDialect('sqlite', `${name} (sqlite)`, (context) =>
    onSqlite((fixture) => body(fixture, context), state),
  );
  testOnDialect('postgres', `${name} (postgres)`, (context) =>
    onPostgres((fixture) => body(fixture, context), state),
  );
}

/** Registers a test that needs this store, and runs where the runner tests on it. */
export function testOnDialect(
  dialect: RecordsFixture['dialect'],
  name: string,
  body: (context: TestContext) => Promise<void>,
): void {
  if (onlyStore !== undefined && onlyStore !== dialect) return;
  test(name, { skip: dialect === 'postgres' && postgresSkip }, body);
}

/** State of a new store: with the tables of this version (copied, ten times faster), or empty. */
type State = 'prepared' | 'empty';

/** Runs a body on a SQLite database without rows. */
export async function onSqlite(
  body: (fixture: RecordsFixture) => Promise<void>,
  state: State = 'prepared',
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'ploidy-records-'));
  try {
    if (state === 'prepared') prepareSqlite({ dataFolder: folder, databaseUrl: '' });
    await withFixture('sqlite', { folder }, body);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs a body on a PostgreSQL database without rows. */
export async function onPostgres(
  body: (fixture: RecordsFixture) => Promise<void>,
  state: State = 'prepared',
): Promise<void> {
  const database = await (state === 'prepared' ? startPrepared() : startPostgres());
  try {
    await withFixture('postgres', { folder: '', databaseUrl: database.url }, body);
  } finally {
    await database.stop();
  }
}

async function withFixture(
  dialect: RecordsFixture['dialect'],
  settings: RecordsFixture['settings'],
  body: (fixture: RecordsFixture) => Promise<void>,
): Promise<void> {
  const opened: Records[] = [];
  try {
    await body({
      dialect,
      settings,
      open: async (more = {}) => {
        const records = await openRecords({ ...settings, log: silent, connectionsMax: 8, ...more });
        opened.push(records);
        return records;
      },
    });
  } finally {
    for (const records of opened) await records.close();
  }
}
