import { existsSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { clientConfig } from './postgres/pools.ts';
import { stepsNamed, type TableShape, tablesAfter } from './shape.ts';
import { exactValue } from './sqlite/connection.ts';
import { openReader } from './sqlite/open.ts';

/** All records as they were at one moment, whatever is written meanwhile. */
export interface Snapshot {
  readonly dialect: 'sqlite' | 'postgres';
  /** Names of the steps that the schema has gone. */
  readonly migrations: string[];
  readonly tables: TableShape[];
  /** The rows of a table by its key, in batches; values in the order of the columns: texts, numbers, nulls. */
  rows(table: TableShape): AsyncIterable<unknown[][]>;
  close(): Promise<void>;
}

const batchRows = 1000;

/** Source of batches of rows. */
interface Source {
  readonly dialect: Snapshot['dialect'];
  batches(query: string): AsyncIterable<unknown[][]>;
  close(): Promise<void>;
}

/**
 * Opens a snapshot of records that are there, without changing them: the schema is read as it is, also by a later version. Refuses
 * one that a newer version has written.
 */
export async function openSnapshot(place: { folder: string; databaseUrl?: string }): Promise<Snapshot> {
  const source = place.databaseUrl ? await postgresSource(place.databaseUrl) : sqliteSource(place.folder);
  try {
    const migrations: string[] = [];
    for await (const rows of source.batches('select name from schema_migrations order by name'))
      migrations.push(...rows.map(([name]) => String(name)));
    const tables = await tablesAfter(stepsNamed(migrations));
    return {
      dialect: source.dialect,
      migrations,
      tables,
      rows: ({ name, columns, key }) =>
        source.batches(`select ${names(columns)} from "${name}" order by ${names(key)}`),
      close: () => source.close(),
    };
  } catch (error) {
    await source.close();
    throw error;
  }
}

const names = (columns: readonly string[]): string => columns.map((name) => `"${name}"`).join(', ');

const noRecords = (where: string): Error => new Error(`There are no records in ${where}.`);

/** Opens a read transaction of SQLite, which sees the commits before its first look; writers continue beside it (WAL). */
function sqliteSource(folder: string): Source {
  const path = join(folder, 'records.sqlite');
  if (!existsSync(path)) throw noRecords(folder);
  const database = openReader(path);
  try {
    database.exec('begin');
    const found = database.prepare("select 1 from sqlite_master where name = 'schema_migrations'").get();
    if (!found) throw noRecords(folder);
  } catch (error) {
    database.close();
    throw error;
  }
  return {
    dialect: 'sqlite',
    batches: async function* (query) {
      const statement = database.prepare(query);
      statement.setReturnArrays(true);
      statement.setReadBigInts(true);
      let batch: unknown[][] = [];
      for (const row of statement.iterate() as Iterable<unknown>) {
        batch.push((row as unknown[]).map((value) => exactValue(value, () => undefined)));
        if (batch.length < batchRows) continue;
        yield batch;
        batch = [];
      }
      if (batch.length > 0) yield batch;
    },
    close: async () => database.close(),
  };
}

/** https://www.postgresql.org/docs/current/transaction-iso.html#XACT-REPEATABLE-READ */
async function postgresSource(url: string): Promise<Source> {
  const client = new pg.Client(clientConfig(url));
  // A connection lost between two queries: the next query reports it.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('begin transaction isolation level repeatable read, read only');
    const found = await client.query("select to_regclass('schema_migrations') as name");
    if (found.rows[0]?.name === null) throw noRecords('the database');
  } catch (error) {
    await client.end();
    throw error;
  }
  return {
    dialect: 'postgres',
    batches: async function* (query) {
      await client.query(`declare batch no scroll cursor for ${query}`);
      for (;;) {
        const text = `fetch ${batchRows} from batch`;
        const { rows } = await client.query<unknown[]>({ text, rowMode: 'array' });
        if (rows.length > 0) yield rows;
        if (rows.length < batchRows) break;
      }
      await client.query('close batch');
    },
    close: () => client.end(),
  };
}
