import { columnsBeforeSamples, fieldPatterns, fixedColumns } from '@ploidy/formats';
import { adding, brokenLine, literal } from './sql-text.ts';

export interface RecordsInput {
  /** Relation with the one column `line`. */
  lines: string;
  sampleCount: number;
  passOnly: boolean;
}

/**
 * Lines → records: fields (a list), chromosome, site, ref (upper case), alts (a list), alt_count, info (with a `;` before each key).
 * A line that is no record raises `brokenLine`; the rules are those of `recordFault`.
 */
export function records({ lines, sampleCount, passOnly }: RecordsInput): string {
  const fields = `SELECT string_split(line, chr(9)) AS fields FROM ${lines} WHERE line IS NOT NULL`;
  const kept = passOnly ? `fields[7] = 'PASS' OR fields[7] = '.' OR fields[7] = ''` : 'true';
  const checked = `SELECT * FROM (${fields})
    WHERE CASE WHEN NOT (${isRecord(sampleCount)}) THEN error(${literal(brokenLine)}) ELSE ${kept} END`;
  const parts = `SELECT fields, fields[1] AS chrom, upper(fields[1]) AS chrom_upper, CAST(fields[2] AS BIGINT) AS site, upper(fields[4]) AS ref,
    string_split(fields[5], ',') AS alts, concat(';', fields[8]) AS info FROM (${checked})`;
  const bare = adding(parts, [
    ['bare', `CASE WHEN starts_with(chrom_upper, 'CHR') THEN substr(chrom_upper, 4) ELSE chrom_upper END`],
    ['alt_count', 'len(alts)'],
  ]);
  return `SELECT fields, ${chromosome} AS chromosome, site, ref, alts, alt_count, info FROM (${bare})`;
}

/** As `chromosomeName` of the formats. */
const chromosome = `CASE WHEN regexp_full_match(bare, '[1-9]|1[0-9]|2[0-2]|X|Y') THEN concat('chr', bare)
  WHEN bare = 'M' OR bare = 'MT' THEN 'chrM' ELSE chrom END`;

function isRecord(sampleCount: number): string {
  const expected = columnsBeforeSamples + sampleCount;
  const complete = [
    `len(fields) = ${expected}`,
    `(len(fields) = ${expected + 1} AND fields[${expected + 1}] = '')`,
    ...(sampleCount === 0 ? [`len(fields) = ${fixedColumns.length}`] : []),
  ];
  const matches = (place: number, pattern: string): string =>
    `regexp_full_match(fields[${place}], ${literal(pattern)})`;
  return [
    `(${complete.join(' OR ')})`,
    `fields[1] <> '' AND NOT starts_with(fields[1], '#')`,
    matches(2, fieldPatterns.position),
    matches(4, fieldPatterns.bases),
    matches(5, `${fieldPatterns.alternate}(?:,${fieldPatterns.alternate})*`),
  ].join(' AND ');
}
