import { DatabaseSync } from 'node:sqlite';
import { transactionHandles } from './handles.ts';
import { migrate } from './migrate.ts';
import { type Migration, migrations } from './migrations/index.ts';
import { SqliteConnection } from './sqlite/connection.ts';
import { sqliteFlavour } from './sqlite/dialect.ts';
import { refusalOf } from './unknown-steps.ts';

/** A table as the migrations make it, on both stores alike. */
export interface TableShape {
  name: string;
  /** Columns in their order. */
  columns: string[];
  /** Columns of the primary key, which order the rows. */
  key: string[];
  /** The column whose numbers the store counts up itself. */
  counted: string | undefined;
}

/** Applied migrations are compared by name; messages between processes and rows for a client that waits are useless to later ones. */
const ignoredTables = new Set(['schema_migrations', 'changes', 'sqlite_sequence', 'trino_statements']);

/** Returns the steps of these names. Throws when one is unknown. */
export function stepsNamed(
  names: readonly string[],
  known: Readonly<Record<string, Migration>> = migrations,
): Record<string, Migration> {
  const refusal = refusalOf(names, known);
  if (refusal !== undefined) throw new Error(refusal);
  return Object.fromEntries(Object.entries(known).filter(([name]) => names.includes(name)));
}

/** Returns the tables that hold something worth keeping, after these steps. Found by taking the steps, on an empty store in memory. */
export async function tablesAfter(steps: Readonly<Record<string, Migration>>): Promise<TableShape[]> {
  const connection = new SqliteConnection(new DatabaseSync(':memory:'));
  const { tx, end } = transactionHandles(sqliteFlavour)(connection);
  try {
    await migrate(tx, steps);
    return tablesIn(connection.database);
  } finally {
    end();
    connection.database.close();
  }
}

function tablesIn(database: DatabaseSync): TableShape[] {
  const tables = database.prepare("select name, sql from sqlite_master where type = 'table' order by name");
  return tables.all().flatMap(({ name, sql }) => {
    if (ignoredTables.has(String(name))) return [];
    const columns = database
      .prepare('select name, pk from pragma_table_info(?) order by cid')
      .all(name ?? '');
    const key = columns
      .filter(({ pk }) => Number(pk) > 0)
      .sort((a, b) => Number(a['pk']) - Number(b['pk']))
      .map((column) => String(column['name']));
    const counted = /\bautoincrement\b/i.test(String(sql)) ? key[0] : undefined;
    return [{ name: String(name), columns: columns.map((column) => String(column['name'])), key, counted }];
  });
}
