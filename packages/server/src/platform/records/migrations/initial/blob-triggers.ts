import { type Kysely, sql } from 'kysely';
import { onPostgres } from '../../columns.ts';

/** Every column whose rows own a blob, with its table. */
export const initialBlobColumns = [
  ['files', 'blob_key'],
  ['segments', 'blob_key'],
  ['annotated_segments', 'blob_key'],
  ['upload_parts', 'blob_key'],
  ['pictures', 'blob_key'],
  ['ehr_sync_pages', 'blob_key'],
  ['readgroup_sets', 'index_blob'],
  ['variant_indexes', 'index_blob'],
  ['reference_sets', 'bases_blob'],
] as const;

/**
 * Creates the triggers that keep `blob_intents` (keys of blobs that are being written or removed) in step with the rows that
 * name blobs. No transaction can name a blob without its intent, or forget one that it no longer names.
 */
export async function createBlobTriggers(db: Kysely<unknown>): Promise<void> {
  if (onPostgres(db)) for (const statement of functions) await sql.raw(statement).execute(db);
  await createBlobTriggersOf(db, initialBlobColumns);
}

/** Creates the triggers of further columns. */
export async function createBlobTriggersOf(
  db: Kysely<unknown>,
  columns: readonly (readonly [table: string, column: string])[],
): Promise<void> {
  const triggersOf = onPostgres(db) ? postgresTriggers : sqliteTriggers;
  for (const [table, column] of columns)
    for (const statement of triggersOf(table, column)) await sql.raw(statement).execute(db);
}

/** Segments share a blob: its first row removes the intent, and its last row leaves the order to remove it. */
function sqliteTriggers(table: string, column: string): string[] {
  const name = `${table}_${column}`;
  const take = `begin
      select raise(abort, 'A row names a blob that has no intent.')
        where not exists (select 1 from blob_intents where key = new.${column} and kind = 'write')
          and (select count(*) from ${table} where ${column} = new.${column}) = 1;
      delete from blob_intents where key = new.${column} and kind = 'write';
    end`;
  const free = `begin
      insert into blob_intents (key, kind, expires_at) select old.${column}, 'remove', 0
        where not exists (select 1 from ${table} where ${column} = old.${column})
        on conflict (key) do update set kind = 'remove', expires_at = 0;
    end`;
  const update = `after update of ${column} on ${table} when new.${column} is not old.${column}`;
  return [
    `create trigger ${name}_added after insert on ${table} when new.${column} is not null ${take}`,
    `create trigger ${name}_taken ${update} and new.${column} is not null ${take}`,
    `create trigger ${name}_freed ${update} and old.${column} is not null ${free}`,
    `create trigger ${name}_gone after delete on ${table} when old.${column} is not null ${free}`,
  ];
}

/** Two transactions may each delete one of the last two rows of a blob: a lock lets the second one see the first. */
const functions = [
  `create function take_blob_intent() returns trigger language plpgsql as $$
    declare
      named text := to_jsonb(new) ->> tg_argv[0];
      named_by bigint;
    begin
      if named is null or (tg_op = 'UPDATE' and named = to_jsonb(old) ->> tg_argv[0]) then return null; end if;
      delete from blob_intents where key = named and kind = 'write';
      if found then return null; end if;
      execute format('select count(*) from %I where %I = $1', tg_table_name, tg_argv[0]) into named_by using named;
      if named_by = 1 then raise exception 'A row names a blob that has no intent.'; end if;
      return null;
    end $$`,
  `create function free_blob() returns trigger language plpgsql as $$
    declare
      freed text := to_jsonb(old) ->> tg_argv[0];
      look text := format('select count(*) from %I where %I = $1', tg_table_name, tg_argv[0]);
      named_by bigint;
    begin
      if freed is null or (tg_op = 'UPDATE' and freed = to_jsonb(new) ->> tg_argv[0]) then return null; end if;
      execute look into named_by using freed;
      if named_by > 0 then
        perform pg_advisory_xact_lock(hashtextextended(freed, 0));
        execute look into named_by using freed;
      end if;
      if named_by = 0 then
        insert into blob_intents (key, kind, expires_at) values (freed, 'remove', 0)
          on conflict (key) do update set kind = 'remove', expires_at = 0;
      end if;
      return null;
    end $$`,
];

function postgresTriggers(table: string, column: string): string[] {
  const name = `${table}_${column}`;
  return [
    `create trigger ${name}_taken after insert or update of ${column} on ${table}
      for each row execute function take_blob_intent('${column}')`,
    `create trigger ${name}_freed after delete or update of ${column} on ${table}
      for each row execute function free_blob('${column}')`,
  ];
}
