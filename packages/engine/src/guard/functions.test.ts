import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openSql } from '../engine.fixture.ts';
import { allowedFunctions } from './functions.ts';

/** Functions of the engine that no query may call. */
const refused = [
  // the engine's own, never written by users
  /^__internal_/,
  /^(combine|finalize|cast_to_type|make_type|get_type|create_sort_key|constant_or_null|remap_struct|replace_type)$/,
  /^(can_cast_implicitly|timetz_byte_comparable|unpivot_list|vector_type|is_histogram_other_bin|stats|switch)$/,
  /^(icu_collate_\w+|icu_sort_key|st_\w+|variant_\w+)$/,
  // the host, the session, the catalogue, settings
  /^(pg_\w+|has_\w+_privilege|inet_\w+|map_to_pg_oid|format_type|format_pg_type|\w+_description|get_block_size)$/,
  /^current_(catalog|connection_id|database|query|query_id|role|schema|schemas|setting|transaction_id|user)$/,
  /^(session_user|user|version|getvariable|in_search_path|txid_current|currval|nextval)$/,
  // SQL out of texts, waiting, writing
  /^json_(serialize|deserialize)_(sql|plan)$/,
  /^(sleep_ms|write_log|parse_duckdb_log_message)$/,
];

test('every function of the engine is either allowed or refused by a decision', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'functions-'));
  const sql = await openSql(folder);
  const rows = await sql.rows(
    `SELECT DISTINCT lower(function_name) AS name FROM duckdb_functions()
     WHERE function_type IN ('scalar', 'aggregate', 'macro')`,
  );
  sql.close();
  await rm(folder, { recursive: true, force: true });
  const names = rows.map((row) => String(row['name']));
  const isRefused = (name: string): boolean => refused.some((pattern) => pattern.test(name));
  assert.deepEqual(
    names.filter((name) => !allowedFunctions.has(name) && !isRefused(name)),
    [],
    'new functions',
  );
  assert.deepEqual([...allowedFunctions].filter(isRefused), [], 'allowed and refused');
  // `unnest` and `unlist` are no entries of the catalogue.
  const gone = [...allowedFunctions].filter((name) => !names.includes(name));
  assert.deepEqual(gone, ['unlist', 'unnest'], 'allowed, but gone');
});
