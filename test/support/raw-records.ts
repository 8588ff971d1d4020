import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';

/** Records as another program has them: past the service, its guard and the checks of its schema. */
export interface RawRecords {
  /** Runs a statement; answers its rows, with integers as text. */
  run(statement: string): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

/** Opens records past everything that protects them. On PostgreSQL the checks of numbers are gone afterwards. */
export async function openRaw(place: {
  folder: string;
  databaseUrl?: string | undefined;
}): Promise<RawRecords> {
  return place.databaseUrl ? openPostgres(place.databaseUrl) : openSqlite(place.folder);
}

function openSqlite(folder: string): RawRecords {
  const database = new DatabaseSync(join(folder, 'records.sqlite'), { timeout: 5000 });
  database.exec('pragma ignore_check_constraints = on');
  return {
    run: async (text) => {
      const statement = database.prepare(text);
      statement.setReadBigInts(true);
      const asText = (value: unknown) => (typeof value === 'bigint' ? String(value) : value);
      return statement
        .all()
        .map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, asText(value)])));
    },
    close: async () => database.close(),
  };
}

const checks = `
  select conrelid::regclass::text as "table", conname as name from pg_constraint
  where contype = 'c' and conname like '%\\_exact' and connamespace = current_schema()::regnamespace`;

async function openPostgres(connectionString: string): Promise<RawRecords> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const tables = Map.groupBy((await client.query(checks)).rows, ({ table }) => table);
  for (const [table, found] of tables)
    await client.query(
      `alter table ${table} ${found.map(({ name }) => `drop constraint "${name}"`).join(', ')}`,
    );
  return {
    run: async (text) => (await client.query(text)).rows,
    close: () => client.end(),
  };
}
