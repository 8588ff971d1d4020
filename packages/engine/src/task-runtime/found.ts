import type { ConvertedGenomics, ConvertedTable, Found, FoundNames, Sql } from '../conversion.ts';
import { literal } from './quote.ts';

/** Names of samples or patients that an ingestion lists. */
const namesMax = 20;

/** Lists the samples and patients of a conversion: each sample has a row in `sequence`, each resource one in `_resource`. */
export async function foundIn(sql: Sql, tables: readonly ConvertedTable[]): Promise<Found> {
  const namesOf = (table: string, column: string): string[] =>
    tables
      .filter((one) => one.table === table && one.rows > 0)
      .map(({ path }) => `SELECT ${column} AS name FROM read_parquet(${literal(path)})`);
  const ownNames = (column: string): string[] =>
    tables
      .filter(({ ownColumns, rows }) => rows > 0 && ownColumns?.some(({ name }) => name === column))
      .map(({ path }) => `SELECT ${column} AS name FROM read_parquet(${literal(path)})`);
  return {
    samples: await namesIn(sql, [...namesOf('sequence', 'id'), ...ownNames('sample_id')]),
    patients: await namesIn(sql, [
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

async function namesIn(sql: Sql, selects: readonly string[]): Promise<FoundNames> {
  if (selects.length === 0) return { count: 0, names: [] };
  const distinct = `SELECT DISTINCT name FROM (${selects.join(' UNION ALL ')}) WHERE name IS NOT NULL`;
  const rows = await sql.rows(
    `SELECT name, count(*) OVER () AS total FROM (${distinct}) ORDER BY name LIMIT ${namesMax}`,
  );
  return { count: Number(rows[0]?.['total'] ?? 0), names: rows.map(({ name }) => String(name)) };
}
