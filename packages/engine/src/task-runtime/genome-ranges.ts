import type { Sql } from '../conversion.ts';
import { literal } from './quote.ts';

/** Positions that stay together: 16 kb, the bin of a BAM index. */
const binBits = 14;

/**
 * Cuts a relation with `chromosome` and `position` into ranges of about `rowsMax` rows, in order: conditions that each row fulfils exactly one of.
 * Whatever is done range by range needs memory for one, and files in that order are read once in all.
 */
export async function genomeRanges(sql: Sql, relation: string, rowsMax: number): Promise<string[]> {
  const chromosomes = await sql.rows(
    `SELECT chromosome, count(*)::INTEGER AS rows FROM ${relation} GROUP BY chromosome ORDER BY chromosome`,
  );
  const ranges: string[] = [];
  let small: string[] = [];
  let smallRows = 0;
  const endSmall = (): void => {
    const [first, last] = [small[0], small.at(-1)];
    if (first !== undefined && last !== undefined)
      ranges.push(`chromosome BETWEEN ${literal(first)} AND ${literal(last)}`);
    small = [];
    smallRows = 0;
  };
  for (const row of chromosomes) {
    const name = String(row['chromosome']);
    const rows = Number(row['rows']);
    if (smallRows + rows > rowsMax) endSmall();
    if (rows > rowsMax) {
      for (const range of await positionRanges(sql, relation, name, rowsMax)) ranges.push(range);
    } else {
      small.push(name);
      smallRows += rows;
    }
  }
  endSmall();
  return ranges;
}

/** Divides positions into ranges; a range whose only bin has more rows than that stays whole. */
async function positionRanges(sql: Sql, relation: string, name: string, rowsMax: number): Promise<string[]> {
  const chromosome = `chromosome = ${literal(name)}`;
  const bins = await sql.rows(
    `SELECT (position >> ${binBits})::INTEGER AS bin, count(*)::INTEGER AS rows FROM ${relation} WHERE ${chromosome} GROUP BY bin ORDER BY bin`,
  );
  const starts: number[] = [];
  let sum = 0;
  for (const row of bins) {
    const rows = Number(row['rows']);
    if (sum > 0 && sum + rows > rowsMax) {
      starts.push(Number(row['bin']) * 2 ** binBits);
      sum = 0;
    }
    sum += rows;
  }
  return [undefined, ...starts].map((start, index) => {
    const end = starts[index];
    const from = start === undefined ? '' : ` AND position >= ${start}`;
    return `${chromosome}${from}${end === undefined ? '' : ` AND position < ${end}`}`;
  });
}
