/**
 * Statements of an attacker who wants more than the project's tables. Placeholders: `FILE` is a file of the host that the
 * service can read, `SEGMENT` a Parquet file of another project's lake. `BLOBS` is their folder, `OTHER` the id of that
 * project.
 */

/** Each line is one statement; all of them have to be refused before they run. */
export const refused: readonly string[] = `
SELECT * FROM 'FILE'
SELECT * FROM "FILE"
FROM 'SEGMENT'
FROM "SEGMENT"
TABLE "SEGMENT"
SELECT * FROM read_parquet('SEGMENT')
SELECT * FROM read_parquet(['SEGMENT'])
SELECT * FROM read_parquet(list_value('SEG' || 'MENT'))
SELECT * FROM parquet_scan('SEGMENT')
SELECT * FROM parquet_metadata('SEGMENT')
SELECT * FROM parquet_schema('SEGMENT')
SELECT * FROM parquet_kv_metadata('SEGMENT')
SELECT * FROM parquet_bloom_probe('SEGMENT', 'patient_id', 'x')
SELECT * FROM 'BLOBS/*/*'
SELECT * FROM glob('BLOBS/**')
SELECT * FROM glob('/proc/self/environ')
SELECT * FROM 'file:///etc/passwd'
SELECT * FROM '../../../etc/passwd'
SELECT * FROM '/proc/self/environ'
SELECT * FROM "/etc/passwd" AS patient
SELECT * FROM 'https://example.org/a.parquet'
SELECT * FROM 's3://bucket/a.parquet'
SELECT * FROM "patient.parquet"
SELECT * FROM read_csv('FILE')
SELECT * FROM read_csv_auto('FILE', header = false)
SELECT * FROM sniff_csv('FILE')
SELECT * FROM read_json_auto('FILE')
SELECT * FROM read_ndjson('FILE')
SELECT * FROM read_text('FILE')
SELECT * FROM read_blob('FILE')
SELECT * FROM read_xlsx('FILE')
SELECT * FROM st_read('FILE')
SELECT * FROM sqlite_scan('FILE', 'users')
SELECT * FROM sqlite_query('FILE', 'SELECT * FROM users')
SELECT * FROM postgres_scan('', 'public', 'users')
SELECT * FROM iceberg_scan('BLOBS')
SELECT * FROM delta_scan('BLOBS')
SELECT read_text('FILE')
SELECT getenv('HOME')
SELECT getenv('PLOIDY_DATABASE_URL')
SELECT getvariable('home')
SELECT current_setting('allowed_paths')
SELECT current_setting('temp_directory')
SELECT current_setting('home_directory')
SELECT system.main.current_setting('temp_directory')
SELECT * FROM duckdb_settings()
SELECT value FROM duckdb_settings WHERE name = 'allowed_paths'
SELECT sql FROM duckdb_views()
SELECT sql FROM duckdb_views WHERE view_name = 'patient'
SELECT * FROM duckdb_tables
SELECT * FROM duckdb_columns()
SELECT * FROM duckdb_databases()
SELECT * FROM duckdb_secrets()
SELECT * FROM duckdb_temporary_files()
SELECT * FROM duckdb_memory()
SELECT * FROM duckdb_variables()
SELECT * FROM duckdb_extensions()
SELECT * FROM duckdb_functions()
SELECT view_definition FROM information_schema.views
SELECT * FROM information_schema.tables
SELECT * FROM pg_catalog.pg_views
SELECT * FROM pg_views
SELECT * FROM sqlite_master
SELECT * FROM pragma_storage_info('patient')
SELECT * FROM pragma_table_info('patient')
SELECT * FROM pragma_database_list
PRAGMA database_list
PRAGMA show_tables
PRAGMA memory_limit = '100GB'
SET memory_limit = '100GB'
SET enable_external_access = true
SET VARIABLE x = (SELECT content FROM read_text('FILE'))
RESET lock_configuration
COPY patient TO 'FILE'
COPY (SELECT 1) TO '/tmp/ploidy-was-here'
COPY patient FROM 'SEGMENT'
ATTACH 'FILE' AS records (TYPE sqlite)
ATTACH ':memory:' AS more
DETACH memory
USE memory.main
INSTALL httpfs
FORCE INSTALL httpfs FROM 'http://example.org'
LOAD httpfs
LOAD '/tmp/evil.duckdb_extension'
EXPORT DATABASE '/tmp/ploidy-export'
IMPORT DATABASE '/tmp/ploidy-export'
CALL pragma_version()
CALL enable_logging()
CHECKPOINT
VACUUM
BEGIN TRANSACTION
CREATE TABLE t AS SELECT * FROM patient
CREATE TEMP VIEW patient AS SELECT content FROM read_text('FILE')
CREATE MACRO lower(x) AS (SELECT content FROM read_text('FILE'))
CREATE SECRET s (TYPE s3, KEY_ID 'x', SECRET 'y')
CREATE FUNCTION f(x) AS x
DROP VIEW patient
ALTER VIEW patient RENAME TO p
INSERT INTO patient SELECT * FROM patient
UPDATE patient SET data = 'x'
DELETE FROM patient
MERGE INTO patient USING patient AS p ON true WHEN MATCHED THEN DELETE
SELECT 1; SELECT 2
SELECT 1; COPY patient TO 'FILE'
SELECT 1;; SELECT * FROM 'FILE'
SELECT 1) TO 'FILE'; COPY (SELECT 1
SELECT 1 /* ; */ ; SELECT 2 -- x
PREPARE p AS SELECT 1
EXECUTE p
DEALLOCATE p
SELECT ?
SELECT $1
SELECT $name
SELECT * FROM patient WHERE patient_id = ?
EXPLAIN SELECT * FROM patient
EXPLAIN ANALYZE SELECT * FROM patient
EXPLAIN (FORMAT json) SELECT * FROM read_text('FILE')
DESCRIBE patient
DESCRIBE SELECT * FROM 'FILE'
SHOW TABLES
SHOW ALL TABLES
SHOW memory_limit
SUMMARIZE patient
SUMMARIZE 'SEGMENT'
SELECT * FROM (SUMMARIZE 'SEGMENT')
SELECT * FROM (DESCRIBE 'SEGMENT')
SELECT * FROM (SHOW ALL TABLES)
PIVOT patient ON patient_id
PIVOT 'SEGMENT' ON patient_id USING count(*)
PIVOT (SELECT * FROM read_text('FILE')) ON content IN ('a') USING count(*)
UNPIVOT 'SEGMENT' ON patient_id INTO NAME n VALUE v
SELECT * FROM query('SELECT * FROM read_text(''FILE'')')
SELECT * FROM query('FROM ''SEGMENT''')
SELECT * FROM query_table('SEGMENT')
SELECT * FROM query_table(['patient', 'SEGMENT'])
SELECT * FROM json_execute_serialized_sql('{}')
SELECT * FROM json_execute_serialized_sql(json_serialize_sql('FROM ''SEGMENT'''))
SELECT json_serialize_sql('SELECT 1')
SELECT json_serialize_plan('FROM ''SEGMENT''')
SELECT json_deserialize_sql('{}')
PRAGMA json_execute_serialized_sql('{}')
WITH s AS (FROM 'SEGMENT') FROM s
WITH "SEGMENT" AS (SELECT 1) FROM "SEGMENT"
WITH patient AS (FROM 'SEGMENT') FROM patient
WITH s AS MATERIALIZED (FROM read_parquet('SEGMENT')) FROM s
WITH RECURSIVE s AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM s, 'SEGMENT' WHERE n < 3) FROM s
WITH s AS (DELETE FROM patient RETURNING *) FROM s
WITH duckdb_settings AS (SELECT 1) FROM duckdb_settings
SELECT * FROM patient, LATERAL (FROM 'SEGMENT')
SELECT (SELECT content FROM read_text('FILE'))
SELECT * FROM patient WHERE EXISTS (FROM 'SEGMENT')
SELECT * FROM patient WHERE data IN (SELECT data FROM 'SEGMENT')
SELECT * FROM patient ORDER BY (SELECT count(*) FROM 'SEGMENT')
SELECT * FROM patient LIMIT (SELECT count(*) FROM 'SEGMENT')
SELECT count(*) FILTER (WHERE EXISTS (FROM 'SEGMENT')) FROM patient
SELECT first(data) OVER (ORDER BY (SELECT count(*) FROM 'SEGMENT')) FROM patient
SELECT patient_id FROM patient QUALIFY row_number() OVER () > (SELECT count(*) FROM 'SEGMENT')
SELECT patient_id FROM patient GROUP BY ALL HAVING count(*) > (SELECT count(*) FROM 'SEGMENT')
SELECT patient_id FROM patient UNION ALL BY NAME SELECT patient_id FROM 'SEGMENT'
SELECT patient_id FROM patient EXCEPT SELECT patient_id FROM read_parquet('SEGMENT')
SELECT list_transform([1], x -> (SELECT content FROM read_text('FILE')))
SELECT list_transform(['HOME'], lambda x: getenv(x))
SELECT list_reduce(['HOME', 'PATH'], (a, b) -> getenv(b))
SELECT [getenv(x) FOR x IN ['HOME']]
SELECT {'home': getenv('HOME')}
SELECT MAP {'home': getenv('HOME')}
SELECT 'HOME'.getenv()
SELECT COLUMNS(c -> c = getenv('HOME')) FROM patient
SELECT COLUMNS('.*') FROM 'SEGMENT'
SELECT * REPLACE (getenv('HOME') AS data) FROM patient
SELECT "getenv"('HOME')
SELECT GeTeNv('HOME')
SELECT main.getenv('HOME')
SELECT getenv/**/('HOME')
SELECT /*! getenv */ getenv('HOME')
SELECT * FROM read_text/* x */('FILE')
SELECT * FROM "read_text"('FILE')
SELECT * FROM ｒead_text('FILE')
SELECT * FROM rеad_text('FILE')
SELECT gеtenv('HOME')
SELECT * FROM "OTHER".patient
SELECT * FROM "OTHER"."patient"
SELECT * FROM memory.main.patient
SELECT * FROM temp.patient
SELECT * FROM system.main.duckdb_views
SELECT * FROM main.patient_secret
SELECT * FROM "patient "
SELECT * FROM раtient
SELECT * FROM _resource
SELECT * FROM _sample_link
SELECT * FROM patient AT (VERSION => 1)
SELECT * FROM patient FOR UPDATE
SELECT 1 INTO t
SELECT nextval('s')
SELECT * FROM arrow_scan(0, 0, 0)
SELECT * FROM seq_scan('patient')
SELECT * FROM repeat('x', 1000000000000)
SELECT pg_sleep(1000)
SELECT sleep_ms(100000)
SELECT write_log('x')
SELECT no_such_function(1)
SELECT * FROM no_such_table
SELECT
SELECT 1 /*
'; DROP TABLE users; --
`
  .trim()
  .split('\n');

/** Too much of something; refused as well. */
export const oversized: readonly string[] = [
  `SELECT ${Array(5001).fill('1').join(' + ')}`,
  `SELECT ${'['.repeat(3000)}${']'.repeat(3000)}`,
  `SELECT * FROM ${'(SELECT * FROM '.repeat(500)}patient${')'.repeat(500)}`,
  `SELECT count(*) FROM ${Array.from({ length: 65 }, (_, at) => `patient AS p${at}`).join(', ')}`,
  `SELECT count(*) FROM patient ${Array.from({ length: 65 }, (_, at) => `JOIN patient AS p${at} USING (patient_id)`).join(' ')}`,
  `SELECT ${'NOT '.repeat(6000)}true`,
  `SELECT '${'x'.repeat(70_000)}'`,
  `WITH ${Array.from({ length: 1500 }, (_, at) => `c${at} AS (SELECT 1)`).join(', ')} SELECT 1`,
  'SELECT \u0000 1',
  "SELECT '\ud800'",
];

/** Strange, but they are statements over the own tables; they run, and reach nothing else. */
export const run: readonly string[] = [
  'SELECT * FROM patient',
  'WITH patient AS (SELECT 1 AS one) SELECT * FROM patient',
  'WITH RECURSIVE patient AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM patient WHERE n < 3) SELECT * FROM patient',
  'SELECT COLUMNS(*) FROM patient',
  "SELECT * FROM 'patient'",
  `SELECT ${'('.repeat(5000)}1${')'.repeat(5000)}`,
  'SELECT filename, file_row_number FROM patient',
  'SELECT rowid FROM patient',
  'SELECT patient FROM patient',
  `SELECT "x"") TO 'FILE'; --" FROM (SELECT 1 AS "x"") TO 'FILE'; --")`,
  "SELECT error('boom ' || data) FROM patient",
  'SELECT CAST(data AS INTEGER) FROM patient',
  'SELECT 1 / 0, CAST(1e400 AS VARCHAR)',
  "SELECT $$'; COPY patient TO 'FILE'; --$$",
  "SELECT json_extract(data, '$.name') FROM patient",
  "SELECT list_transform(range(10), x -> x + 1), {'a': 1}.a, struct_pack(b := 2)",
  "SELECT regexp_matches(rpad('', 50000, 'a'), '(a+)+$')",
];

/** Statements that exhaust time, memory or disk; each ends `failed` within its limits. */
export const bombs: readonly string[] = [
  'SELECT count(*) FROM range(1000000) AS a(x), range(1000000) AS b(y), range(1000) AS c(z) WHERE x * y % 7 = z',
  "SELECT list(rpad('', 1000000, 'x') || n) FROM range(1000000) AS r(n)",
  "SELECT rpad('', 1000000000, 'x')",
  "SELECT repeat('x', 1000000000)",
  'WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r) SELECT max(n) FROM r',
];
