import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type pg from 'pg';
import { isDamaged } from './errors.ts';
import { onClient } from './fill.ts';
import { LostCommits } from './sqlite/lost-commits.ts';
import { openReader } from './sqlite/open.ts';

/** Structure of the records, as far as their store can verify it. */
interface Soundness {
  /** Parts that were verified, and those that the store cannot verify. */
  verified: string;
  /** Faults, at most `faultsMax`. */
  faults: string[];
}

const faultsMax = 20;

/**
 * Reads all records without changing them, and verifies their structure: pages, rows, indexes and references. SQLite keeps no checksums,
 * so altered letters of a row that no index has are not seen. Runs beside the service.
 */
export function verifyRecords(place: { folder: string; databaseUrl?: string }): Promise<Soundness> {
  if (place.databaseUrl) return onClient(place.databaseUrl, verifyPostgres);
  return Promise.resolve(verifySqlite(join(place.folder, 'records.sqlite')));
}

function verifySqlite(path: string): Soundness {
  const faults: string[] = [];
  let database: DatabaseSync | undefined;
  try {
    database = openReader(path);
    const found = database.prepare(`pragma integrity_check(${faultsMax})`).all();
    // https://www.sqlite.org/pragma.html#pragma_integrity_check
    faults.push(...found.map((row) => String(row['integrity_check'])).filter((text) => text !== 'ok'));
    for (const { table, rowid, parent } of database.prepare('pragma foreign_key_check').iterate())
      if (faults.push(`row ${rowid} of ${table} names a row of ${parent} that does not exist`) >= faultsMax)
        break;
  } catch (error) {
    if (!isDamaged(error) && !(error instanceof LostCommits)) throw error;
    if (faults.length === 0) faults.push(error.message);
  } finally {
    database?.close();
  }
  return { verified: 'sqlite, pages, indexes and references', faults };
}

/** https://www.postgresql.org/docs/current/amcheck.html */
async function verifyPostgres(client: pg.Client): Promise<Soundness> {
  const faults: string[] = [];
  const checksums = await client.query<{ on: string; failures: string | number }>(
    `select current_setting('data_checksums') as on, coalesce(checksum_failures, 0) as failures
     from pg_stat_database where datname = current_database()`,
  );
  const { on = 'off', failures = 0 } = checksums.rows[0] ?? {};
  if (Number(failures) > 0) faults.push(`${failures} pages have had a wrong checksum`);
  const sums = on === 'on' ? 'checksums on' : 'checksums off';
  const installed = await client.query("select 1 from pg_extension where extname = 'amcheck'");
  if (installed.rows.length === 0)
    return {
      verified: `postgres, ${sums}; pages and indexes are verified only with the extension amcheck`,
      faults,
    };
  const { rows } = await client.query<{ name: string; verify: string }>(relations);
  for (const { name, verify } of rows) {
    const found = await client.query<{ msg: string | null }>(verify).catch((error: unknown) => {
      if (error instanceof Error && /^XX00[12]$/.test(String(Reflect.get(error, 'code'))))
        return { rows: [{ msg: error.message }] };
      throw error;
    });
    for (const { msg } of found.rows) if (msg) faults.push(`${name}: ${msg}`);
    if (faults.length >= faultsMax) break;
  }
  return {
    verified: `postgres, ${sums}, ${rows.length} tables and indexes`,
    faults: faults.slice(0, faultsMax),
  };
}

/** Tables and B-tree indexes of the schema, each with the statement that verifies it. */
const relations = `
  select c.relname as name, case c.relkind
    when 'r' then format('select msg from verify_heapam(%s)', c.oid)
    else format('select bt_index_check(%s, true)::text as msg', c.oid) end as verify
  from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_am a on a.oid = c.relam
  where n.nspname = current_schema() and c.relpersistence <> 't'
    and (c.relkind = 'r' or (c.relkind = 'i' and a.amname = 'btree'))
  order by c.relname`;
