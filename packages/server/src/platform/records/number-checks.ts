import { type Kysely, sql } from 'kysely';
import { exactMax } from './bound-numbers.ts';
import { onPostgres } from './columns.ts';

/** A column of numbers. */
interface NumberColumn {
  table: string;
  column: string;
  nullable: boolean;
  /** Part of the key of its table. */
  key: boolean;
  /** Has the check of its numbers. */
  checked: boolean;
}

/** Name of the check of a column; such names are unique in their table. */
const checkNameOf = (column: string): string => `${column}_exact`;

/** SQLite would otherwise treat null as a violation when it adds the check, though not when it writes. */
const isExact = (column: string): string =>
  `"${column}" is null or "${column}" between -${exactMax} and ${exactMax}`;

/** Columns of numbers of all tables, as the database has them, but for keys that it counts up itself. */
export async function numberColumns(db: Kysely<unknown>): Promise<NumberColumn[]> {
  interface Found extends Record<'nullable' | 'key' | 'checked', boolean | number> {
    table: string;
    column: string;
  }
  const { rows } = await sql.raw<Found>(onPostgres(db) ? inPostgres : inSqlite).execute(db);
  return rows.map(({ table, column, nullable, key, checked }) => ({
    ...{ table, column },
    ...{ nullable: Boolean(nullable), key: Boolean(key), checked: Boolean(checked) },
  }));
}

/**
 * Brings numbers that cannot be read exactly back into their bounds: to null where a column allows that, else to the nearest one. A row
 * with such a key could never be addressed, and goes.
 */
export async function repairNumbers(db: Kysely<unknown>): Promise<void> {
  for (const { table, column, nullable, key } of await numberColumns(db)) {
    const repaired = nullable ? 'null' : `case when "${column}" < 0 then -${exactMax} else ${exactMax} end`;
    const change = key ? `delete from "${table}"` : `update "${table}" set "${column}" = ${repaired}`;
    await sql.raw(`${change} where not (${isExact(column)})`).execute(db);
  }
}

/** Adds the check to each column of numbers that has none. */
export async function checkNumbers(db: Kysely<unknown>): Promise<void> {
  const unchecked = (await numberColumns(db)).filter(({ checked }) => !checked);
  const added = ({ column }: NumberColumn): string =>
    `add constraint "${checkNameOf(column)}" check (${isExact(column)})`;
  for (const [table, columns] of Map.groupBy(unchecked, (one) => one.table)) {
    // SQLite adds one at a time; PostgreSQL reads the rows of a table once for all.
    const changes = onPostgres(db) ? [columns.map(added).join(', ')] : columns.map(added);
    for (const change of changes) await sql.raw(`alter table "${table}" ${change}`).execute(db);
  }
}

const inPostgres = `
  select c.table_name as "table", c.column_name as "column", c.is_nullable = 'YES' as nullable,
    exists (
      select 1 from information_schema.key_column_usage as u
      join information_schema.table_constraints as k using (constraint_schema, constraint_name)
      where k.constraint_type = 'PRIMARY KEY' and u.table_schema = c.table_schema
        and u.table_name = c.table_name and u.column_name = c.column_name
    ) as "key",
    exists (
      select 1 from pg_constraint
      where conrelid = format('%I.%I', c.table_schema, c.table_name)::regclass and conname = c.column_name || '_exact'
    ) as checked
  from information_schema.columns as c
  join information_schema.tables as t using (table_schema, table_name)
  where table_schema = current_schema() and t.table_type = 'BASE TABLE' and c.is_identity = 'NO'
    and c.data_type in ('bigint', 'integer', 'double precision')
  order by 1, 2`;

const inSqlite = `
  select t.name as "table", c.name as "column", c."notnull" = 0 and c.pk = 0 as nullable, c.pk > 0 as "key",
    instr(t.sql, '"' || c.name || '_exact"') > 0 as checked
  from sqlite_master as t join pragma_table_info(t.name) as c
  where t.type = 'table' and t.name not like 'sqlite\\_%' escape '\\'
    and lower(c.type) in ('bigint', 'integer', 'double precision')
    and not (c.pk > 0 and t.sql like '%autoincrement%')
  order by 1, 2`;
