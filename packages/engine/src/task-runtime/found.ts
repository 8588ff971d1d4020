import type { ConvertedGenomics, ConvertedTable, Found, FoundNames, Sql } from '../conversion.ts';
import { literal } from './quote.ts';

/** Names of samples or patients that an ingestion lists. */
const namesMax = 20;

/** Lists the samples and patients of a conversion: each sample has a row in `sequence`, each resource one in `_resource`. */
export async function foundIn(sql: Sql, tables: readonly ConvertedTable[]): Promise<Found> {
  const namesOf = (table: string, column: string): Names[] =>
    tables.filter((one) => one.table === table && one.rows > 0).map((one) => namesIn(one, column));
  const ownNames = (column: string): Names[] =>
    tables
      .filter(({ ownColumns, rows }) => rows > 0 && ownColumns?.some(({ name }) => name === column))
      .map((one) => namesIn(one, column));
  return {
    samples: await distinct(sql, [...namesOf('sequence', 'id'), ...ownNames('sample_id')]),
    patients: await distinct(sql, [
      ...namesOf('sequence', 'patient_id'),
      ...namesOf('_resource', 'patient_id'),
      ...namesOf('patient', 'patient_id'),
      ...ownNames('patient_id'),
    ]),
  };
}

/** Lists the samples of the reads of a file. */
export function foundInReads(made: ConvertedGenomics): Found {
  const groups = made.kind === 'reads' ? made.summary.groups : [];
  const names = [...new Set(groups.flatMap(({ sampleName }) => sampleName ?? []))].sort();
  return {
    samples: { count: names.length, names: names.slice(0, namesMax) },
    patients: { count: 0, names: [] },
  };
}

/** Names in a column of a file: those that its writer noted, or a SELECT of them. */
interface Names {
  known: readonly string[] | undefined;
  select: string;
}

function namesIn({ path, values }: ConvertedTable, column: string): Names {
  const select = `SELECT ${column} AS name FROM read_parquet(${literal(path)})`;
  return { known: values?.textsOf(column), select };
}

async function distinct(sql: Sql, all: readonly Names[]): Promise<FoundNames> {
  const known = all.map((one) => one.known);
  if (known.every((names) => names !== undefined)) {
    const names = [...new Set(known.flat())].sort(compareTexts);
    return { count: names.length, names: names.slice(0, namesMax) };
  }
  const selects = all.map(({ select }) => select).join(' UNION ALL ');
  const rows = await sql.rows(
    `SELECT name, count(*) OVER () AS total FROM (SELECT DISTINCT name FROM (${selects}) WHERE name IS NOT NULL) ORDER BY name LIMIT ${namesMax}`,
  );
  return { count: Number(rows[0]?.['total'] ?? 0), names: rows.map(({ name }) => String(name)) };
}

/** Compares texts as the engine does: by their bytes. */
const compareTexts = (one: string, other: string): number =>
  Buffer.compare(Buffer.from(one), Buffer.from(other));
