/** Statements that try to reach forbidden data; `FILE` is replaced by a readable file outside the project. */
export const attacks: readonly string[] = `
SELECT * FROM 'FILE'
SELECT * FROM "FILE"
SELECT * FROM read_csv('FILE')
SELECT * FROM read_csv_auto('FILE')
SELECT * FROM read_text('FILE')
SELECT * FROM read_blob('FILE')
SELECT * FROM read_json('FILE')
SELECT * FROM read_ndjson_objects('FILE')
SELECT * FROM read_parquet('FILE')
SELECT * FROM parquet_scan('FILE')
SELECT * FROM parquet_metadata('FILE')
SELECT * FROM parquet_file_metadata('FILE')
SELECT * FROM parquet_kv_metadata('FILE')
SELECT * FROM parquet_schema('FILE')
SELECT * FROM sniff_csv('FILE')
SELECT * FROM glob('/etc/*')
SELECT * FROM '/etc/passwd'
SELECT * FROM read_duckdb('FILE')
SELECT read_text('FILE')
SELECT (SELECT content FROM read_text('FILE'))
SELECT * FROM variant WHERE gene IN (SELECT content FROM read_text('FILE'))
SELECT * FROM variant, LATERAL (SELECT * FROM read_text('FILE'))
SELECT * FROM variant JOIN read_csv('FILE') ON true
SELECT gene FROM variant UNION ALL SELECT word FROM read_csv('FILE')
WITH x AS (SELECT * FROM read_csv('FILE')) SELECT * FROM x
WITH x AS MATERIALIZED (SELECT * FROM 'FILE') SELECT * FROM x
WITH "FILE" AS (SELECT 1) SELECT * FROM "FILE"
WITH "FILE" AS (SELECT 1) SELECT (SELECT word FROM "FILE")
SELECT * FROM (WITH "FILE" AS (SELECT 1 AS a) SELECT 1) AS s, "FILE"
WITH duckdb_settings AS (SELECT 1) SELECT * FROM duckdb_settings
SELECT * FROM (WITH duckdb_views AS (SELECT 1) SELECT 1) AS s, duckdb_views
SELECT * FROM (WITH sqlite_master AS (SELECT 1) SELECT 1) AS s, sqlite_master
WITH "a.csv" AS (SELECT 1) SELECT * FROM "a.csv"
WITH "http://example.org/a.parquet" AS (SELECT 1) SELECT * FROM "http://example.org/a.parquet"
WITH RECURSIVE x AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM x, read_text('FILE') WHERE n < 3) SELECT * FROM x
SELECT * FROM variant ORDER BY (SELECT content FROM read_text('FILE'))
SELECT * FROM variant LIMIT (SELECT size FROM read_text('FILE'))
SELECT * FROM variant LIMIT 1 OFFSET (SELECT size FROM read_text('FILE'))
SELECT count(*) FILTER (WHERE EXISTS (SELECT 1 FROM read_text('FILE'))) FROM variant
SELECT sum(position) OVER (ORDER BY (SELECT size FROM read_text('FILE'))) FROM variant
SELECT gene FROM variant QUALIFY row_number() OVER () = (SELECT size FROM read_text('FILE'))
SELECT gene FROM variant GROUP BY gene HAVING count(*) > (SELECT size FROM read_text('FILE'))
SELECT CASE WHEN true THEN (SELECT content FROM read_text('FILE')) END
SELECT [x FOR x IN (SELECT list(content) FROM read_text('FILE'))]
SELECT list_transform([1], x -> (SELECT content FROM read_text('FILE')))
SELECT * REPLACE ((SELECT content FROM read_text('FILE')) AS gene) FROM variant
SELECT COLUMNS(c -> c = (SELECT content FROM read_text('FILE'))) FROM variant
SELECT DISTINCT ON ((SELECT content FROM read_text('FILE'))) gene FROM variant
SELECT * FROM (VALUES ((SELECT content FROM read_text('FILE'))))
SELECT unnest((SELECT list(content) FROM read_text('FILE')))
SELECT * FROM unnest((SELECT list(content) FROM read_text('FILE')))
SELECT * FROM variant PIVOT (max((SELECT content FROM read_text('FILE'))) FOR gene IN ('GENE1'))
SELECT * FROM read_csv('FILE') PIVOT (count(*) FOR word IN ('a'))
PIVOT read_csv('FILE') ON word
PIVOT variant ON gene
SELECT * FROM (PIVOT variant ON gene USING count(*))
SELECT * FROM variant PIVOT (count(*) FOR gene IN my_enum)
SELECT * FROM query('SELECT * FROM read_text(''FILE'')')
SELECT * FROM query_table('FILE')
SELECT * FROM query_table(['variant', 'FILE'])
SELECT * FROM json_execute_serialized_sql(json_serialize_sql('SELECT * FROM read_text(''FILE'')'))
SELECT json_serialize_plan('SELECT * FROM read_text(''FILE'')')
SELECT json_serialize_sql('SELECT 1')
SELECT json_deserialize_sql('{}')
SELECT * FROM duckdb_settings()
SELECT * FROM duckdb_settings
SELECT * FROM duckdb_views()
SELECT * FROM duckdb_views
SELECT * FROM duckdb_tables()
SELECT * FROM duckdb_columns
SELECT * FROM duckdb_databases()
SELECT * FROM duckdb_secrets()
SELECT * FROM duckdb_functions()
SELECT * FROM duckdb_extensions()
SELECT * FROM duckdb_logs
SELECT * FROM duckdb_temporary_files()
SELECT * FROM which_secret('s3://a', 's3')
SELECT * FROM information_schema.tables
SELECT * FROM information_schema.columns
SELECT * FROM pg_catalog.pg_class
SELECT * FROM pg_views
SELECT * FROM sqlite_master
SELECT * FROM pragma_table_info('variant')
SELECT * FROM pragma_show('variant')
SELECT * FROM pragma_database_size()
SELECT * FROM pragma_platform()
SELECT * FROM system.information_schema.tables
SELECT * FROM memory.main.variant
SELECT * FROM temp.variant
SELECT * FROM "main"."duckdb_settings"
SELECT * FROM seq_scan('variant')
SELECT * FROM summary((SELECT * FROM variant))
SELECT * FROM test_all_types()
SELECT * FROM sql_auto_complete('SEL')
SELECT * FROM check_peg_parser('SELECT 1')
SELECT * FROM arrow_scan(0, 0, 0)
SELECT * FROM arrow_scan_dumb(123456, 123456, 123456)
SELECT * FROM repeat('x', 1000000000000)
SELECT * FROM repeat_row(1, num_rows := 1000000000)
SELECT * FROM histogram('variant', gene)
SELECT current_setting('allowed_paths')
SELECT getenv('HOME')
SELECT getvariable('x')
SELECT current_query()
SELECT current_database(), version()
SELECT pg_get_viewdef(1)
SELECT get_block_size('memory')
SELECT pg_sleep(1000)
SELECT sleep_ms(100000)
SELECT write_log('FILE')
SELECT nextval('s')
SELECT txid_current()
SELECT pg_catalog.pg_get_viewdef(1)
SELECT main.current_setting('temp_directory')
SELECT 'temp_directory'.current_setting()
SELECT list_transform(['temp_directory'], x -> current_setting(x))
SELECT sum(1) EXPORT_STATE
SELECT ?
SELECT $1
SELECT $name
SELECT 1 INTO other
SELECT 1; SELECT 2
SELECT 1; DROP VIEW variant
SELECT 1) TO 'FILE'; COPY (SELECT 1
SELECT 1 /*
SELECT 1) TO 'FILE' --
COPY variant TO 'FILE'
COPY (SELECT 1) TO 'FILE'
COPY variant FROM 'FILE'
EXPORT DATABASE '/tmp/x'
IMPORT DATABASE '/tmp/x'
ATTACH 'FILE' AS x
DETACH memory
INSTALL httpfs
LOAD httpfs
LOAD 'FILE'
SET memory_limit = '100GB'
RESET memory_limit
SET VARIABLE x = 1
PRAGMA enable_profiling
PRAGMA database_list
CALL enable_logging(storage = 'file')
CALL pragma_version()
CHECKPOINT
VACUUM
USE memory
CREATE TABLE x AS SELECT * FROM variant
CREATE VIEW x AS SELECT 1
CREATE OR REPLACE VIEW variant AS SELECT * FROM read_text('FILE')
CREATE MACRO sum(x) AS (SELECT content FROM read_text('FILE'))
CREATE SECRET (TYPE s3)
CREATE TYPE x AS ENUM (SELECT content FROM read_text('FILE'))
DROP VIEW variant
ALTER TABLE variant RENAME TO x
INSERT INTO variant VALUES (1)
UPDATE variant SET gene = 'x'
DELETE FROM variant
TRUNCATE variant
MERGE INTO variant USING variant AS v ON true WHEN MATCHED THEN DELETE
BEGIN
COMMIT
PREPARE x AS SELECT 1
EXECUTE x
EXPLAIN SELECT 1
EXPLAIN ANALYZE SELECT * FROM variant
DESCRIBE variant
DESCRIBE SELECT * FROM read_text('FILE')
SHOW TABLES
SHOW ALL TABLES
SUMMARIZE variant
SUMMARIZE SELECT * FROM read_text('FILE')
SELECT * FROM (DESCRIBE variant)
SELECT * FROM (SHOW ALL TABLES)
SELECT * FROM (SUMMARIZE 'FILE')
FROM (DESCRIBE SELECT * FROM read_text('FILE'))
WITH x AS (INSERT INTO variant VALUES (1) RETURNING *) SELECT * FROM x
SELECT * FROM variant AT (VERSION => 1)
SELECT * FROM variant FOR UPDATE
FROM 'FILE'
TABLE "FILE"
SELECT * FROM unknown_table
SELECT * FROM "variant "
SELECT * FROM "Variant""; DROP VIEW variant; --"
SELECT no_such_function(1)
SELECT "read_text"('FILE')
SELECT Read_Text('FILE')
SELECT 'FILE'.read_text()
SELECT 1e400::INTEGER FROM read_text('FILE')
`
  .trim()
  .split('\n');

/** Strange, but they reach nothing that is not the caller's. */
export const harmless: readonly string[] = [
  "SELECT 'x'::my_type",
  'SELECT filename FROM variant',
  'SELECT file_row_number FROM variant',
  'SELECT rowid FROM variant',
  'SELECT variant FROM variant LIMIT 1',
  'SELECT p.name FROM patient p',
  'SELECT current_user',
  'SELECT current_catalog, current_schema',
  "SELECT error('boom')",
  'SELECT DISTINCT typeof(name), name FROM patient',
  "SELECT '1; DROP VIEW variant; --'",
  "SELECT $$'; DROP VIEW variant; --$$",
  'SELECT 1 AS "x"") TO \'FILE\'; --"',
  'SELECT a FROM (SELECT 1 AS a) AS "x) TO \'FILE\' --"',
  "SELECT list_aggregate([1], 'read_text')",
  "SELECT COLUMNS('.*') FROM patient",
  'SELECT getvariable FROM (SELECT 1 AS getvariable)',
  'WITH variant AS (SELECT * FROM patient) SELECT * FROM variant',
  'WITH "_patient" AS (SELECT \'x\' AS name) SELECT * FROM patient',
  'SELECT * FROM "PATIENT" AS "select"',
  'SELECT/**/*/**/FROM--\n"patient"',
  "SELECT * FROM patient WHERE name = U&'x'",
  'FROM patient',
  'TABLE patient',
  "SELECT list_transform(['a'], x -> x || name) FROM patient",
  "PIVOT patient ON name IN ('x') USING count(*)",
  'SELECT * FROM patient, LATERAL (SELECT name || patient_id)',
  'SELECT * FROM patient POSITIONAL JOIN patient AS p',
  'SELECT CAST(name AS INTEGER), try(CAST(patient_id AS INTEGER)) FROM patient',
  'SELECT greatest(name, patient_id), concat(name, patient_id), typeof(name) FROM patient',
];
