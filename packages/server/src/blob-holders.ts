import { type RawBuilder, sql } from 'kysely';
import type { Reader } from './platform/records/index.ts';

/** Every column that holds blobs. What none of them names is swept. */
const holders = [
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

/** Which of these keys some row names. */
export async function namedAmong(read: Reader, keys: readonly string[]): Promise<Set<string>> {
  if (keys.length === 0) return new Set();
  return new Set(await heldKeys(read, (key) => sql`${key} in (${sql.join(keys)})`));
}

/** Some of the keys that rows name, up to so many of each table. */
export function someNamed(read: Reader, ofEachTable: number): Promise<string[]> {
  return heldKeys(read, (key) => sql`${key} is not null limit ${ofEachTable}`);
}

async function heldKeys(
  read: Reader,
  condition: (key: RawBuilder<unknown>) => RawBuilder<unknown>,
): Promise<string[]> {
  const found = await Promise.all(
    holders.map(([table, column]) => {
      const key = sql.ref(column);
      const rows = sql<{
        key: string;
      }>`select ${key} as key from ${sql.table(table)} where ${condition(key)}`;
      return rows.execute(read);
    }),
  );
  return found.flatMap(({ rows }) => rows.map((row) => row.key));
}
