import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type RawBuilder, sql } from 'kysely';
import pg from 'pg';
import { renameDurably, syncFile } from '../blobs/durable.ts';
import { transactionHandles } from './handles.ts';
import { migrate } from './migrate.ts';
import { type Migration, migrations } from './migrations/index.ts';
import { connectionOn, inTransaction } from './postgres/connection.ts';
import { clientConfig, openSingle, postgresFlavour } from './postgres/pools.ts';
import { lockRecords } from './postgres/postgres-records.ts';
import type { Records, Transaction } from './records.ts';
import { stepsNamed, type TableShape } from './shape.ts';
import { SqliteConnection } from './sqlite/connection.ts';
import { sqliteFlavour } from './sqlite/dialect.ts';
import { openReader, openWriter } from './sqlite/open.ts';

/** Records that are being filled: all in one transaction. */
export interface Filling {
  readonly dialect: Records['dialect'];
  readonly tx: Transaction;
  /** Makes the tables as they were after these steps. */
  begin(steps: readonly string[]): Promise<void>;
  /** Adds rows; values in the order of the columns. */
  add(table: TableShape, rows: readonly unknown[][]): Promise<void>;
  /** Lets the store count on after the rows that were added, and takes all later steps. */
  complete(tables: readonly TableShape[]): Promise<void>;
}

/** SQLite takes 32,766 values a statement, PostgreSQL 65,535. */
const valuesMax = 30_000;

/** Reports whether the database has never held records. */
export async function isUnfilled(place: { folder: string; databaseUrl?: string }): Promise<boolean> {
  if (!place.databaseUrl) return !existsSync(join(place.folder, 'records.sqlite'));
  return onClient(place.databaseUrl, hasNoTables);
}

async function hasNoTables(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query(
    'select 1 from pg_catalog.pg_tables where schemaname = current_schema() limit 1',
  );
  return rows.length === 0;
}

/** Fills the records on one dialect, in one transaction. */
type Fill = (dialect: Records['dialect'], tx: Transaction) => Promise<void>;

/** Another process was first. */
export class FilledMeanwhile extends Error {}

/** Returns the identity of the present records; `undefined` if they are foreign, or of a version without identities. */
export async function identityAt(place: {
  folder: string;
  databaseUrl?: string;
}): Promise<string | undefined> {
  const asked = 'select id from identity';
  if (place.databaseUrl)
    return onClient(place.databaseUrl, async (client) => {
      const { rows } = await client.query("select to_regclass('identity') as name");
      if (rows[0]?.name === null) return undefined;
      return (await client.query<{ id: string }>(asked)).rows[0]?.id;
    });
  const database = openReader(join(place.folder, 'records.sqlite'));
  try {
    const found = database.prepare("select 1 from sqlite_master where name = 'identity'").get();
    return found && (database.prepare(asked).get() as { id: string } | undefined)?.id;
  } finally {
    database.close();
  }
}

/** Runs `work` on a connection of its own. */
export async function onClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(clientConfig(url));
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Fills empty records. They are there when `work` is done, whole; before, and after a crash or failure, there are none. */
export async function fillRecords(
  place: { folder: string; databaseUrl?: string },
  work: (filling: Filling) => Promise<void>,
  known: Readonly<Record<string, Migration>> = migrations,
): Promise<void> {
  const fill = (dialect: Records['dialect'], tx: Transaction) => work(fillingOf(dialect, tx, known));
  if (place.databaseUrl) await fillPostgres(place.databaseUrl, fill);
  else await fillSqlite(join(place.folder, 'records.sqlite'), fill);
}

async function fillPostgres(url: string, fill: Fill): Promise<void> {
  const pool = openSingle(url);
  try {
    await inTransaction(pool, async (client) => {
      await lockRecords(client);
      if (!(await hasNoTables(client))) throw new FilledMeanwhile('The database is not empty any more.');
      const { tx, end } = transactionHandles(postgresFlavour)(connectionOn(client));
      await fill('postgres', tx);
      end();
    });
  } finally {
    await pool.end();
  }
}

/** Fills a file under another name, which becomes the records' when it is complete. */
async function fillSqlite(path: string, fill: Fill): Promise<void> {
  const temporary = `${path}.filling`;
  for (const end of ['', '-wal', '-shm']) rmSync(temporary + end, { force: true });
  const writer = new SqliteConnection(openWriter(temporary));
  try {
    const { tx, end } = transactionHandles(sqliteFlavour)(writer);
    writer.run('begin immediate');
    await fill('sqlite', tx);
    end();
    writer.run('commit');
  } finally {
    // The last connection moves the journal into the file.
    writer.database.close();
  }
  await syncFile(temporary);
  await renameDurably(temporary, path);
}

function fillingOf(
  dialect: Records['dialect'],
  tx: Transaction,
  known: Readonly<Record<string, Migration>>,
): Filling {
  const postgres = dialect === 'postgres';
  return {
    dialect,
    tx,
    begin: (steps) => migrate(tx, stepsNamed(steps, known)),
    add: async ({ name, columns, counted }, rows) => {
      const given = postgres && counted !== undefined ? sql`overriding system value` : sql``;
      const into = sql`insert into ${sql.table(name)} (${list(columns.map((one) => sql.ref(one)))}) ${given}`;
      const rowsAtOnce = Math.floor(valuesMax / columns.length);
      for (let at = 0; at < rows.length; at += rowsAtOnce) {
        const values = rows
          .slice(at, at + rowsAtOnce)
          .map((row) => sql`(${list(row.map((one) => sql`${one}`))})`);
        await sql`${into} values ${list(values)}`.execute(tx);
      }
    },
    complete: async (tables) => {
      for (const { name, counted } of postgres ? tables : []) {
        if (counted === undefined) continue;
        await sql`
          select setval(pg_get_serial_sequence(${name}, ${counted}), max(${sql.ref(counted)}))
          from ${sql.table(name)} having count(*) > 0
        `.execute(tx);
      }
      await migrate(tx, known);
    },
  };
}

const list = (parts: readonly RawBuilder<unknown>[]): RawBuilder<unknown> => sql.join(parts);
