/** Steps beside which earlier processes work add to the records and change nothing that these know. */
import assert from 'node:assert/strict';
import { type Kysely, sql } from 'kysely';
import { testOnNoRecords, testOnRecords } from '../../../../../test/support/records.ts';
import { type Migration, migrations } from './migrations/index.ts';
import type { Records } from './records.ts';

/** Part of the records that statements of a version depend on, as text; `isNeeded`: rows that lack it are refused. */
interface Part {
  table: string;
  text: string;
  isNeeded: boolean;
}

/** Lists columns, and what the store itself refuses or does when rows are written. */
async function partsOf(dialect: Records['dialect'], db: Kysely<unknown>): Promise<Part[]> {
  const tables = await db.introspection.getTables();
  const columns = tables.flatMap(({ name: table, columns: all }) =>
    all.map(
      ({ name, dataType, isNullable, hasDefaultValue, isAutoIncrementing }): Part => ({
        ...{ table, text: `column ${name} ${dataType} ${isNullable ? '' : 'not null'}` },
        isNeeded: !isNullable && !hasDefaultValue && !isAutoIncrementing,
      }),
    ),
  );
  const { rows } = await (dialect === 'sqlite' ? sqliteRules : postgresRules).execute(db);
  return [...columns, ...rows.map((rule) => ({ ...rule, isNeeded: true }))];
}

type Rule = { table: string; text: string };

const sqliteRules = sql<Rule>`select tbl_name as "table", type || ' ' || name || ' ' || sql as text from sqlite_master
  where sql is not null and (type = 'trigger' or sql like 'create unique%')`;

const postgresRules = sql<Rule>`select c.relname as "table", 'constraint ' || k.conname || ' ' || pg_get_constraintdef(k.oid) as text
    from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = current_schema() and k.contype <> 'n'
  union all select tablename, 'index ' || indexdef from pg_indexes where schemaname = current_schema() and indexdef like '%UNIQUE%'
  union all select c.relname, 'trigger ' || pg_get_triggerdef(t.oid) from pg_trigger t join pg_class c on c.oid = t.tgrelid
    join pg_namespace n on n.oid = c.relnamespace where n.nspname = current_schema() and not t.tgisinternal`;

/** Lists what a step removes, changes or demands of tables that were there before. */
function broken(before: readonly Part[], after: readonly Part[]): string[] {
  const named = ({ table, text }: Part): string => `${table}: ${text}`;
  const [was, is] = [before, after].map((parts) => new Set(parts.map(named))) as [Set<string>, Set<string>];
  const tables = new Set(before.map(({ table }) => table));
  const demanded = after.filter((part) => part.isNeeded && tables.has(part.table) && !was.has(named(part)));
  return [...[...was].filter((text) => !is.has(text)), ...demanded.map(named)];
}

/** Runs a step, and takes it back. Returns what it does beyond adding. */
async function brokenBy(records: Records, { up }: Migration): Promise<string[]> {
  const found: string[][] = [];
  const back = new Error('taken back');
  const work = records.transact(async (tx) => {
    const db = tx as unknown as Kysely<unknown>;
    const before = await partsOf(records.dialect, db);
    await up(db);
    found.push(broken(before, await partsOf(records.dialect, db)));
    throw back;
  });
  await assert.rejects(work, back);
  return found.at(-1) ?? assert.fail();
}

testOnNoRecords('steps that others work beside name an earlier step and only add', async ({ open }) => {
  for (const [name, step] of Object.entries(migrations)) {
    if (step.beside === undefined) continue;
    assert.ok(Object.hasOwn(migrations, step.beside) && step.beside < name, name);
    const earlier = Object.fromEntries(Object.entries(migrations).filter(([one]) => one < name));
    assert.deepEqual(await brokenBy(await open({ migrations: earlier }), step), [], name);
  }
});

const changes: Record<string, boolean> = {
  'create table added (id text not null)': true,
  'alter table exports add column note text': true,
  "alter table exports add column note text not null default 'n'": true,
  'create index exports_added on exports (request)': true,
  'create unique index exports_once on exports (request)': false,
  'alter table exports drop column request': false,
  'alter table exports rename column request to asked': false,
  'drop table exports': false,
};

testOnRecords('a step that removes, renames or demands does not only add', async ({ open }) => {
  const records = await open();
  for (const [statement, adds] of Object.entries(changes)) {
    const up = async (db: Kysely<unknown>) => void (await sql.raw(statement).execute(db));
    const found = await brokenBy(records, { up });
    assert.equal(found.length === 0, adds, `${statement}: ${found.join()}`);
  }
});
