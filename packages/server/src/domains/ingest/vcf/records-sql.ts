import { chromosomeNames, columnsBeforeSamples, fieldPatterns, fixedColumns } from '@ploidy/formats';
import { carriersOfRecord, type GenotypeShape } from './genotypes-sql.ts';
import { brokenLine, literal, lookUp } from './sql-text.ts';

export interface RecordsInput {
  /** Relation with the one column `line`. */
  lines: string;
  sampleCount: number;
  genotypes: GenotypeShape;
  passOnly: boolean;
}

/**
 * Lines → records: chromosome, site, ids, ref, alts, alt_count, info (with a `;` before each key) and the samples that carry an
 * alternate. A line that is no record raises `brokenLine`; the rules are those of `recordFault`.
 */
export function records({ lines, sampleCount, genotypes, passOnly }: RecordsInput): string {
  const fields = `SELECT string_split(line, chr(9)) AS f FROM ${lines} WHERE line IS NOT NULL`;
  const kept = passOnly ? `f[7] IN ('PASS', '.', '')` : 'true';
  return `SELECT ${chromosome('f[1]')} AS chromosome, CAST(f[2] AS BIGINT) AS site, f[3] AS ids, upper(f[4]) AS ref,
    string_split(f[5], ',') AS alts, len(string_split(f[5], ',')) AS alt_count, concat(';', f[8]) AS info,
    ${carriersOfRecord(genotypes)}
    FROM (${fields})
    WHERE CASE WHEN NOT (${isRecord(sampleCount)}) THEN error(${literal(brokenLine)}) ELSE ${kept} END`;
}

function isRecord(sampleCount: number): string {
  const expected = columnsBeforeSamples + sampleCount;
  const complete = [
    `len(f) = ${expected}`,
    `(len(f) = ${expected + 1} AND f[${expected + 1}] = '')`,
    ...(sampleCount === 0 ? [`len(f) = ${fixedColumns.length}`] : []),
  ];
  const matches = (field: string, pattern: string, common: string): string =>
    `(${field} IN (${common}) OR regexp_full_match(${field}, ${literal(pattern)}))`;
  const bases = `'A', 'C', 'G', 'T'`;
  return [
    `(${complete.join(' OR ')})`,
    `f[1] <> '' AND NOT starts_with(f[1], '#')`,
    `regexp_full_match(f[2], ${literal(fieldPatterns.position)})`,
    matches('f[4]', fieldPatterns.bases, bases),
    matches('f[5]', `${fieldPatterns.alternate}(?:,${fieldPatterns.alternate})*`, bases),
  ].join(' AND ');
}

function chromosome(field: string): string {
  const bare = `upper(CASE WHEN starts_with(lower(${field}), 'chr') THEN substr(${field}, 4) ELSE ${field} END)`;
  return lookUp(bare, chromosomeNames, field);
}
