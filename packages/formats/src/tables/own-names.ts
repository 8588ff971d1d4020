/** Names of tables that a project may choose: unquoted in SQL whatever their case. */
const namePattern = /^[a-z][a-z0-9_]{2,62}$/;

/** Schemas and catalogues of the engine and its clients. */
const foreignPrefix = /^(?:pg|duckdb|sqlite|information|ploidy)_/;

/** Keywords that DuckDB 1.5 does not accept as the name of a table: `duckdb_keywords()`, all but `unreserved`. */
const keywords =
  'all analyse analyze and anti any array as asc asof asymmetric at authorization between bigint binary bit boolean both by case cast char character check coalesce collate collation column columns concurrently constraint create cross dec decimal default deferrable desc describe distinct do else end except exists extract false fetch float for foreign freeze from full generated glob group grouping grouping_id having ilike in initially inner inout int integer intersect interval into is isnull join lambda lateral leading left like limit map national natural nchar none not notnull null nullif numeric offset on only or order out outer overlaps overlay pivot pivot_longer pivot_wider placing position positional precision primary qualify real references returning right row select semi setof show similar smallint some struct substring summarize symmetric table tablesample then time timestamp to trailing treat trim true try_cast union unique unpack unpivot using values varchar variadic verbose when where window with xmlattributes xmlconcat xmlelement xmlexists xmlforest xmlnamespaces xmlparse xmlpi xmlroot xmlserialize xmltable';

/** Words of analytics queries, and names of patients and their fields there. */
const queryWords =
  'and or xor not all count samples genes expression universe components filter aggregate patients dob patient_id sample_id cohorts';

const reserved: ReadonlySet<string> = new Set(`${keywords} ${queryWords}`.split(' '));

/**
 * Returns why a project's table cannot have a name; undefined if it can. `taken`: names and plurals of the
 * tables that every project has.
 */
export function faultOfTableName(name: string, taken: Iterable<string>): string | undefined {
  if (!namePattern.test(name))
    return 'must have 3 to 63 small letters, digits and underscores, the first a letter';
  if (foreignPrefix.test(name)) return 'begins like a table of the engine; choose another name';
  if (reserved.has(name)) return 'is a reserved word; choose another name';
  if (new Set(taken).has(name)) return 'is the name of a table that every project has; choose another name';
  return undefined;
}

/**
 * Turns the title of a column into a name for SQL: small letters and digits of any script, with underscores
 * between. Empty if nothing is left.
 */
export function columnNameOf(title: string): string {
  const words = title
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '_')
    .replace(/^_+|(?<!_)_+$/g, '');
  return /^\p{N}/u.test(words) ? `c_${words}` : words;
}

/** Derives a table's name from that of its file: `lists/Biobank 2024.csv.gz` → `biobank_2024`. */
export function tableNameOfFile(fileName: string): string {
  const last = fileName.split('/').at(-1) ?? '';
  const stem = last.replace(/(?:\.(?:csv|tsv|txt|tab|parquet|ndjson|jsonl|gz|bgz))+$/i, '');
  return columnNameOf(stem.normalize('NFKD').replace(/\p{M}/gu, ''));
}
