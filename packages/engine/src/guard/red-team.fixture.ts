/**
 * More statements that try to reach forbidden data, by category of trick. `FILE` is replaced by a readable file outside the
 * project.
 */
const tricks = `
-- other letters for the same names
SELECT * FROM "ＦＩＬＥ"
SELECT * FROM variаnt
SELECT * FROM "variant\u200b"
SELECT * FROM "\u202evariant"
SELECT * FROM pаtient
SELECT rеad_text('FILE')
SELECT * FROM ﬀile
SELECT ｒｅａｄ_ｔｅｘｔ('FILE')
SELECT * FROM "VARIANT\u00a0"
SELECT * FROM U&"\\0064uckdb_settings"
-- comments and blanks between the words
SELECT * FROM/**/read_text('FILE')
SELECT * FROM read_text/**/('FILE')
SELECT/*+ hint */ * FROM /* nested /* comment */ */ glob('/etc/*')
SELECT * FROM --\tvariant
SELECT 1 /* */; /* */ DROP VIEW variant
SELECT * FROM\tread_csv\t(\t'FILE'\t)
SELECT 1;;SELECT 2
/* SELECT 1 */ COPY variant TO 'FILE'
-- quoting
SELECT * FROM $$FILE$$
SELECT * FROM $tag$FILE$tag$
SELECT * FROM E'FILE'
SELECT * FROM "main"."FILE"
SELECT * FROM main.'FILE'
SELECT * FROM ['FILE']
SELECT * FROM ('FILE')
SELECT * FROM 'FI' 'LE'
SELECT * FROM "FI""LE"
SELECT * FROM read_text($$FILE$$)
SELECT * FROM read_text(E'\\x2fetc\\x2fpasswd')
SELECT * FROM "read_text"($$FILE$$)
SELECT * FROM "main"."read_text"('FILE')
SELECT "main"."getenv"('HOME')
SELECT * FROM 'file://FILE'
SELECT * FROM 'FILE' AS variant
SELECT * FROM 'FILE' variant(word)
SELECT * FROM 'variant.parquet'
SELECT * FROM 'VARIANT.csv'
SELECT * FROM "variant.*"
SELECT * FROM '~/.ssh/id_rsa'
SELECT * FROM '\\\\server\\share\\a.csv'
SELECT * FROM 'data:text/csv,a'
SELECT * FROM 'hf://datasets/a/b.parquet'
SELECT * FROM 'azure://a/b.parquet'
SELECT * FROM 'gs://a/b.parquet'
SELECT * FROM 'r2://a/b.parquet'
SELECT * FROM 'ftp://a/b.csv'
SELECT * FROM '/dev/stdin'
SELECT * FROM '/dev/fd/0'
SELECT * FROM '/proc/self/maps'
SELECT * FROM '/proc/self/fd/3'
SELECT * FROM '/proc/1/environ'
-- WITH names that stand for something else
WITH "pg_class" AS (SELECT 1) SELECT * FROM pg_class
WITH "information_schema.tables" AS (SELECT 1) SELECT * FROM "information_schema.tables"
WITH "Pragma_version" AS (SELECT 1) SELECT * FROM "Pragma_version"
WITH "DUCKDB_SETTINGS" AS (SELECT 1) SELECT * FROM duckdb_settings
WITH "a b" AS (SELECT 1) SELECT * FROM "a b"
WITH "x;DROP" AS (SELECT 1) SELECT * FROM "x;DROP"
WITH "" AS (SELECT 1) SELECT 1
WITH "s3://a/b.csv" AS (SELECT 1) SELECT 1
WITH a AS (SELECT * FROM b), b AS (SELECT * FROM 'FILE') SELECT * FROM a
WITH a AS (WITH b AS (SELECT * FROM read_text('FILE')) SELECT * FROM b) SELECT * FROM a
SELECT * FROM (WITH inner_only AS (SELECT 1) SELECT * FROM inner_only) AS s, inner_only
SELECT (WITH inner_only AS (SELECT 1 AS x) SELECT x FROM inner_only), x FROM inner_only
WITH a AS (SELECT 1) SELECT * FROM main.a
WITH a AS (SELECT 1) SELECT * FROM memory.main.a
WITH a AS NOT MATERIALIZED (SELECT * FROM read_blob('FILE')) SELECT 1
WITH a AS (DELETE FROM variant RETURNING *) SELECT * FROM a
WITH a AS (UPDATE variant SET gene = 'x' RETURNING *) SELECT * FROM a
WITH a AS (CREATE TABLE b AS SELECT 1) SELECT * FROM a
WITH a AS (COPY variant TO 'FILE') SELECT * FROM a
WITH a AS (CALL pragma_version()) SELECT * FROM a
WITH a AS (VALUES (1)) COPY a TO 'FILE'
WITH RECURSIVE a AS (SELECT 1 AS n UNION SELECT size FROM read_text('FILE'), a) SELECT * FROM a
WITH RECURSIVE a(n) USING KEY (n) AS (SELECT 1 UNION SELECT size FROM read_text('FILE'), a) SELECT * FROM a
-- WITH names where they may not be read yet, and so would be names of the process's own tables
WITH z AS (SELECT 1 FROM later), later AS (SELECT 1) SELECT * FROM z
WITH RECURSIVE z AS (SELECT 1 FROM later), later AS (SELECT 1) SELECT * FROM z
WITH z AS (SELECT 1 WHERE EXISTS (FROM later)), y AS (SELECT 1), later AS (SELECT 1) SELECT * FROM z
WITH z AS MATERIALIZED (SELECT 1 FROM later), later AS MATERIALIZED (SELECT 1) SELECT * FROM z
WITH z AS (WITH y AS (SELECT * FROM later) SELECT * FROM y), later AS (SELECT 1) SELECT * FROM z
WITH own AS (SELECT * FROM own) SELECT * FROM own
WITH own AS (SELECT * FROM (SELECT * FROM own)) SELECT 1
WITH RECURSIVE own AS (SELECT * FROM own) SELECT * FROM own
WITH RECURSIVE own AS (SELECT 1 AS n FROM own UNION ALL SELECT n + 1 FROM own WHERE n < 3) SELECT * FROM own
WITH RECURSIVE own AS (WITH y AS (SELECT * FROM own) SELECT 1 AS n UNION ALL SELECT n + 1 FROM y WHERE n < 3) SELECT 1
WITH RECURSIVE a AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM b WHERE n < 3), b AS (SELECT 1 AS n) SELECT * FROM a
WITH RECURSIVE a AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM a WHERE n < 3), b AS (SELECT * FROM c), c AS (FROM a) SELECT * FROM b
WITH _patient AS (SELECT * FROM _patient) SELECT * FROM _patient
WITH z AS (SELECT * FROM _patient), _patient AS (SELECT 1) SELECT * FROM z
(WITH inner_only AS (SELECT 1) SELECT * FROM inner_only) UNION ALL SELECT * FROM inner_only
SELECT * FROM (WITH inner_only AS (SELECT 1 AS x) SELECT * FROM inner_only) AS s, LATERAL (SELECT * FROM inner_only)
-- functions inside of functions, lambdas, lists, structs
SELECT list_transform(['FILE'], x -> read_text(x))
SELECT list_transform(['HOME'], lambda x: getenv(x))
SELECT list_filter(['x'], x -> x = current_setting('allowed_paths'))
SELECT list_reduce(['a', 'b'], (a, b) -> a || getenv(b))
SELECT transform(['HOME'], x -> getenv(x))
SELECT filter(['HOME'], x -> getenv(x) IS NULL)
SELECT [getenv(x) FOR x IN ['HOME']]
SELECT [x FOR x IN ['HOME'] IF getenv(x) <> '']
SELECT {'a': getenv('HOME')}
SELECT map {getenv('HOME'): 1}
SELECT struct_pack(a := current_setting('threads'))
SELECT COALESCE(NULL, getenv('HOME'))
SELECT CASE getenv('HOME') WHEN '' THEN 1 END
SELECT try(getenv('HOME'))
SELECT CAST(getenv('HOME') AS BLOB)
SELECT 'a' LIKE getenv('HOME')
SELECT gene FROM variant WHERE gene = ANY (SELECT getenv('HOME'))
SELECT count(*) FILTER (WHERE getenv('HOME') IS NOT NULL) FROM variant
SELECT string_agg(gene, getenv('HOME')) FROM variant
SELECT string_agg(gene ORDER BY getenv('HOME')) FROM variant
SELECT sum(position) OVER (PARTITION BY getenv('HOME')) FROM variant
SELECT sum(position) OVER w FROM variant WINDOW w AS (ORDER BY getenv('HOME'))
SELECT lag(gene, 1, getenv('HOME')) OVER (ORDER BY position) FROM variant
SELECT first_value(getenv('HOME')) OVER () FROM variant
SELECT 'HOME'.getenv()
SELECT ('HOME').upper().getenv()
SELECT date_parse(getenv('HOME'), '%Y')
SELECT date_format(now(), current_setting('TimeZone'))
SELECT concat('a', getenv('HOME'))
SELECT approx_distinct(getenv('HOME')) FROM variant
SELECT regexp_replace('a', 'a', getenv('HOME'))
SELECT sequence(1, CAST(getenv('X') AS INTEGER))
SELECT list_aggregate([1], getenv('HOME'))
-- FROM first, VALUES, table functions, joins of every kind
FROM read_text('FILE') SELECT content
FROM (FROM 'FILE')
FROM (VALUES (getenv('HOME')))
VALUES (getenv('HOME'))
VALUES ((SELECT content FROM read_text('FILE')))
(SELECT * FROM 'FILE')
SELECT * FROM (VALUES (1)) AS v(x) POSITIONAL JOIN 'FILE'
SELECT * FROM variant POSITIONAL JOIN read_text('FILE')
SELECT * FROM variant ASOF JOIN 'FILE' ON position >= word
SELECT * FROM variant SEMI JOIN 'FILE' ON gene = word
SELECT * FROM variant ANTI JOIN read_csv('FILE') AS f ON gene = word
SELECT * FROM variant NATURAL JOIN 'FILE'
SELECT * FROM variant LEFT JOIN LATERAL (SELECT * FROM read_text('FILE')) ON true
SELECT * FROM variant, LATERAL read_text('FILE')
SELECT * FROM variant CROSS JOIN duckdb_settings()
SELECT * FROM variant JOIN 'FILE' USING (gene)
SELECT * FROM variant TABLESAMPLE (getenv('X'))
SELECT * FROM 'FILE' TABLESAMPLE 10%
SELECT * FROM range(getenv('X'))
SELECT * FROM range((SELECT size FROM read_text('FILE')))
SELECT * FROM unnest([getenv('HOME')])
SELECT * FROM json_each(getenv('HOME'))
SELECT * FROM generate_series(1, (SELECT count(*) FROM glob('/*')))
SELECT * FROM variant QUALIFY getenv('HOME') IS NULL
SELECT DISTINCT ON (getenv('HOME')) gene FROM variant
SELECT gene FROM variant GROUP BY GROUPING SETS ((getenv('HOME')))
SELECT gene FROM variant GROUP BY ALL HAVING getenv('HOME') = ''
SELECT gene FROM variant ORDER BY getenv('HOME')
SELECT gene FROM variant LIMIT (SELECT getenv('X'))
SELECT gene FROM variant OFFSET (SELECT current_setting('threads'))
PIVOT variant ON getenv('HOME') IN ('a') USING count(*)
UNPIVOT read_csv('FILE') ON word INTO NAME n VALUE v
SELECT * FROM variant UNPIVOT (v FOR k IN (COLUMNS(c -> c = getenv('HOME'))))
SELECT * EXCLUDE (gene) REPLACE (getenv('HOME') AS position) FROM variant
SELECT COLUMNS(c -> getenv(c) IS NULL) FROM variant
SELECT * LIKE getenv('HOME') FROM variant
-- what describes, explains, prepares, sets
DESCRIBE SELECT 1
DESC variant
SHOW variant
SHOW DATABASES
SHOW SCHEMAS
SUMMARIZE SELECT 1
FROM (SUMMARIZE variant)
FROM (SHOW TABLES)
EXPLAIN (FORMAT json) SELECT 1
PREPARE p AS SELECT $1
EXECUTE p(1)
DEALLOCATE p
SELECT $1::INTEGER
SELECT $a, ?
SELECT ?1
SET threads = 100
SET SESSION threads = 1
SET GLOBAL allow_unsigned_extensions = true
RESET allowed_paths
SET VARIABLE v = getenv('HOME')
PRAGMA enable_checkpoint_on_shutdown
PRAGMA version
PRAGMA table_info('variant')
CREATE TEMP MACRO m() AS TABLE SELECT * FROM 'FILE'
CREATE FUNCTION m(x) AS x
CREATE TEMP TABLE t AS SELECT * FROM 'FILE'
CREATE SEQUENCE s
CREATE SCHEMA s
CREATE PERSISTENT SECRET s (TYPE s3)
DROP SECRET s
CREATE INDEX i ON variant (gene)
ATTACH ':memory:' AS x
ATTACH 'host=127.0.0.1' AS x (TYPE postgres)
COMMENT ON TABLE variant IS 'x'
ANALYZE
FORCE INSTALL httpfs FROM 'http://127.0.0.1:1'
UPDATE EXTENSIONS
LOAD httpfs; SELECT 1
SELECT 1 INTO OUTFILE 'FILE'
-- functions of extensions and of the inside
SELECT * FROM sqlite_attach('FILE')
SELECT * FROM postgres_query('x', 'SELECT 1')
SELECT * FROM mysql_query('x', 'SELECT 1')
SELECT * FROM iceberg_metadata('FILE')
SELECT * FROM st_drivers()
SELECT * FROM st_read_meta('FILE')
SELECT * FROM read_xlsx('FILE')
SELECT * FROM read_avro('FILE')
SELECT * FROM load_aws_credentials()
SELECT * FROM http_get('http://127.0.0.1')
SELECT http_post('http://127.0.0.1', '', '')
SELECT * FROM shell('ls')
SELECT * FROM duckdb_keywords()
SELECT * FROM duckdb_optimizers()
SELECT * FROM duckdb_external_file_cache()
SELECT * FROM duckdb_prepared_statements()
SELECT * FROM duckdb_dependencies()
SELECT * FROM duckdb_variables()
SELECT * FROM duckdb_which_secret('s3://a', 's3')
SELECT * FROM pragma_user_agent()
SELECT * FROM pragma_metadata_info('memory')
SELECT * FROM pragma_collations()
SELECT * FROM enable_profiling()
SELECT * FROM force_checkpoint()
SELECT * FROM truncate_duckdb_logs()
SELECT * FROM enable_logging(storage = 'file')
SELECT * FROM set_log_level('debug')
SELECT current_database()
SELECT current_schemas(true)
SELECT current_user()
SELECT session_user()
SELECT in_search_path('memory', 'main')
SELECT has_table_privilege('variant', 'select')
SELECT pg_typeof(1)
SELECT pg_get_expr('x', 1)
SELECT pg_table_is_visible(1)
SELECT obj_description(1)
SELECT stats(gene) FROM variant
SELECT __internal_compress_string_hugeint('x')
SELECT create_sort_key(gene, 'ASC') FROM variant
SELECT vector_type(gene) FROM variant
SELECT current_connection_id()
SELECT current_query_id()
SELECT current_transaction_id()
SELECT parse_duckdb_log_message('x', 'y')
SELECT system.main.upper('x')
SELECT pg_catalog.version()
`;

export const redTeam: readonly string[] = tricks
  .trim()
  .split('\n')
  .filter((line) => !line.startsWith('--'))
  .map((line) => line.replaceAll(String.raw`\t`, '\t'));

/** A name or a text as long as a statement may be, and nests as deep; each is refused in few words. */
export const excesses: readonly [string, string][] = [
  ['a very long table name', `SELECT * FROM "${'x'.repeat(60_000)}"`],
  ['a very long function name', `SELECT ${'f'.repeat(60_000)}(1)`],
  ['a very long WITH name', `WITH ${'Ü'.repeat(20_000)} AS (SELECT 1) SELECT 1`],
  ['a very long path', `SELECT * FROM '/${'a/'.repeat(30_000)}'`],
  ['very many texts between quotes', `SELECT * FROM ${"'a' ".repeat(15_000)}`],
  ['deep lists', `SELECT ${'['.repeat(3000)}1${']'.repeat(3000)}`],
  ['deep statements', `SELECT * FROM ${'(SELECT * FROM '.repeat(2000)}variant${')'.repeat(2000)}`],
  ['deep WITH', `${'WITH a AS ('.repeat(2000)}SELECT 1${') SELECT 1'.repeat(2000)}`],
  ['deep CASE', `SELECT ${'CASE WHEN true THEN '.repeat(2000)}1${' END'.repeat(2000)}`],
  ['deep functions', `SELECT ${'upper('.repeat(5000)}'a'${')'.repeat(5000)}`],
  ['deep lambdas', `SELECT ${'list_transform([1], x -> '.repeat(2000)}1${')'.repeat(2000)}`],
  ['deep casts', `SELECT 1${'::INT'.repeat(12_000)}`],
  ['deep comments', `${'/*'.repeat(20_000)} SELECT 1`],
  ['many tables', `SELECT 1 FROM ${Array.from({ length: 65 }, (_, k) => `variant v${k}`).join(', ')}`],
];
