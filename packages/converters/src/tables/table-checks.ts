import { rename } from 'node:fs/promises';
import type { Sql } from '@ploidy/engine';
import { literal } from '@ploidy/engine/task-runtime';
import { InputError, storedTable } from '@ploidy/formats';

/** Columns that are equal in two rows with the same finding in one sample, by table. */
const keys: Readonly<Record<string, readonly string[]>> = {
  variant: ['sample_id', 'variant_id', 'transcript_id'],
  copynumber: [
    ...['sample_id', 'chromosome', 'start_position', 'end_position'],
    "coalesce(gene, json_extract_string(attributes, '$.gene_id'))",
  ],
  fusion: [
    ...['sample_id', 'gene1', 'gene2', 'chromosome1', 'start_position1', 'chromosome2', 'start_position2'],
    ...['effect', 'attributes'],
  ],
  gene: [
    'sample_id',
    'coalesce(gene_name, gene_id)',
    'gene_id',
    "json_extract_string(attributes, '$.transcript_id')",
  ],
};

const whatRepeats: Readonly<Record<string, string>> = {
  variant: 'the allele and the sample of another record: queries count these variants twice',
  copynumber: 'the segment, the gene and the sample of another record',
  fusion: 'the fusion and the sample of another record',
  gene: 'the gene and the sample of another record, so that one gene has several values',
};

/** Counts rows that repeat another, and segments that overlap others of their sample. `advice` names a possible reason. */
export async function repeatsIn(
  sql: Sql,
  table: string,
  path: string,
  { advice = '', areSegments = false } = {},
): Promise<string[]> {
  const by = keys[table];
  if (!by) return [];
  const file = `read_parquet(${literal(path)})`;
  const repeated = await one(
    sql,
    `SELECT sum(times - 1) AS found FROM (SELECT count(*) AS times FROM ${file} GROUP BY ${by.join(', ')} HAVING count(*) > 1)`,
  );
  const remarks = repeated === 0 ? [] : [`At least ${repeated} rows repeat ${whatRepeats[table]}.${advice}`];
  if (!areSegments || table !== 'copynumber') return remarks;
  const before = `SELECT start_position, max(end_position) OVER (PARTITION BY sample_id, chromosome ORDER BY start_position, end_position
    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS last
    FROM (SELECT DISTINCT sample_id, chromosome, start_position, end_position FROM ${file} WHERE gene IS NULL)`;
  const overlapping = await one(sql, `SELECT count(*) AS found FROM (${before}) WHERE start_position < last`);
  const touching = await one(sql, `SELECT count(*) AS found FROM (${before}) WHERE start_position = last`);
  if (overlapping > 0) remarks.push(`${overlapping} segments overlap others of the same sample.${advice}`);
  if (touching > 0)
    remarks.push(
      `${touching} segments start before the previous one has ended: if the file counts starts from 0, start_position is one too low.`,
    );
  return remarks;
}

/**
 * Throws `InputError` where most genes have several names in one sample: the column of names holds something else, such as
 * groups of samples (IsoQuant).
 */
export async function refuseManyNames(sql: Sql, path: string): Promise<void> {
  const named = `SELECT count(DISTINCT gene_name) AS names FROM read_parquet(${literal(path)})
    WHERE gene_id IS NOT NULL AND gene_name IS NOT NULL GROUP BY sample_id, gene_id`;
  const found = await one(
    sql,
    `SELECT CASE WHEN count_if(names > 1) * 2 > count(*) THEN 1 ELSE 0 END AS found FROM (${named})`,
  );
  if (found > 0)
    throw new InputError(
      'Most genes have several texts in the column that was taken for their names: it may hold samples. Name the columns gene_id, sample_id and raw_count or expression.',
    );
}

/** Sums of a sample by which a unit is believed: a million transcripts or reads, and what a sequencer can count. */
const millionth = { least: 8e5, most: 1.2e6 };
/** Units whose values are never below 0. */
const amounts: ReadonlySet<string> = new Set(['tpm', 'cpm', 'fpkm', 'fpkm_uq', 'count']);
const countsMax = 2e9;
/** Genes of a whole transcriptome; a panel of fewer sums to anything. */
const genesMin = 5000;

const guessedCounts =
  'The values were taken for read counts, because the first lines hold whole numbers without a sign of another meaning. If they are copy numbers or mutations, remove the file and upload a table of those. If they are counts, say so in the file name (counts).';
/** Counts of so many genes repeat, and exceed what copies, mutations and scores are. */
const guessedGenesMin = 10;

/**
 * Compares the values of each unit with what they may be. Where they cannot be that, the unit becomes NULL. `isGuess`: that they are
 * counts is known from whole numbers alone, as ids, lengths, ranks, copies and mutations are.
 */
export async function checkUnits(sql: Sql, path: string, isGuess: boolean): Promise<string[]> {
  const file = `read_parquet(${literal(path)})`;
  const samples = await sql.rows(
    `SELECT any_value(expression_unit) AS unit, count(*) AS genes, sum(expression) AS sum, min(expression) AS least, max(expression) AS most,
      bool_and(expression = floor(expression)) AS whole, count(DISTINCT expression) AS kinds FROM ${file} GROUP BY sample_id, expression_unit LIMIT 2000`,
  );
  const faults = new Set<string>();
  let areShares = samples.length > 0;
  let count = 0;
  for (const { unit, genes, sum, least, most, whole, kinds } of samples) {
    const [all, first, last, size] = [Number(sum), Number(least), Number(most), Number(genes)];
    count += size;
    areShares &&= unit === null && first >= 0 && last <= 1 && whole === false;
    if (unit === null || unit === undefined) continue;
    if (!amounts.has(String(unit))) continue;
    if (first < 0) faults.add('some are below 0');
    if (unit === 'tpm' || unit === 'cpm') {
      if (whole === true && size >= genesMin) faults.add('all are whole numbers, as counts are');
      else if (size >= genesMin && last < 25) faults.add('all are below 25, as logarithms are');
      else if (size >= genesMin && (all < millionth.least || all > millionth.most) && unit === 'tpm')
        faults.add(
          `those of a sample sum to ${Math.round(all).toLocaleString('en')} instead of about 1,000,000`,
        );
    }
    if (unit === 'count' && all > countsMax)
      faults.add('those of a sample sum to more than a sequencer reads');
    if (unit === 'count' && size >= genesMin && last < 25 && whole === false)
      faults.add('all are below 25, as logarithms are');
    if (unit !== 'count' || !isGuess || size < guessedGenesMin) continue;
    if (last < 25) faults.add('all are below 25, as copies, mutations, ranks and chromosomes are');
    else if (first > 0 && Number(kinds) === size)
      faults.add('none is 0 and none repeats, as in columns of ids, lengths and ranks');
  }
  const remarks = await doubtfulRows(sql, file);
  if (areShares && count >= 4)
    remarks.push(
      'All values are between 0 and 1, as those of methylation (beta), probabilities or shares do: this may be no expression.',
    );
  if (faults.size === 0) return isGuess ? [...remarks, guessedCounts] : remarks;
  const named = String(samples.find(({ unit }) => unit !== null)?.['unit']);
  await replaced(sql, 'gene', path, withoutUnit);
  return [
    ...remarks,
    `The values ${isGuess ? 'may not' : 'cannot'} be ${named}: ${[...faults].join('; ')}. expression_unit is NULL. Say what they are with a column expression_unit.`,
  ];
}

/** Genes of a table in which one may be the sum of all others by chance. */
const summedGenesMin = 5;

/** Describes lines that are sums of all others, and values below 0 that are all the same: words for a missing one. */
async function doubtfulRows(sql: Sql, file: string): Promise<string[]> {
  const sums = `SELECT sample_id, sum(expression) AS all_genes FROM ${file} GROUP BY sample_id
    HAVING count(*) >= ${summedGenesMin} AND min(expression) >= 0 AND sum(expression) > 0`;
  const summed = await sql.rows(
    `WITH sums AS (${sums}) SELECT coalesce(gene_name, gene_id) AS gene FROM ${file} JOIN sums USING (sample_id)
      WHERE abs(2 * expression - all_genes) <= 1e-9 * all_genes GROUP BY ALL HAVING count(*) = (SELECT count(*) FROM sums) LIMIT 2`,
  );
  const [below] = await sql.rows(
    `SELECT count(*) AS times, min(expression) AS value FROM ${file} WHERE expression < 0 HAVING min(expression) = max(expression)
      AND min(expression) = floor(min(expression)) AND count(*) > 1`,
  );
  return [
    ...summed.map(
      ({ gene }) =>
        `The line ${String(gene)} is the sum of all others in every sample: leave it out if it is no gene.`,
    ),
    ...(below === undefined
      ? []
      : [
          `${Number(below['times'])} values are ${Number(below['value'])}, and no others are below 0: they may stand for missing ones. Leave their fields empty then.`,
        ]),
  ];
}

const withoutUnit = [
  'CAST(NULL AS VARCHAR) AS expression_unit',
  'CAST(NULL AS BOOLEAN) AS is_normalized',
  "CASE WHEN expression_unit = 'count' THEN NULL ELSE raw_count END AS raw_count",
];

/** Makes columns of a finished file NULL. */
export async function withoutColumns(
  sql: Sql,
  table: string,
  path: string,
  names: readonly string[],
): Promise<void> {
  const nulls = names.map((name) => `CASE WHEN false THEN ${name} END AS ${name}`);
  await replaced(sql, table, path, nulls);
}

async function replaced(sql: Sql, table: string, path: string, columns: readonly string[]): Promise<void> {
  const rows = `SELECT * REPLACE (${columns.join(', ')}) FROM read_parquet(${literal(path)})`;
  const { orderBy } = storedTable(table);
  const other = `${path}.other`;
  await sql.run('SET threads = 1');
  await sql.run(
    `COPY (${rows} ORDER BY ${orderBy.join(', ')}) TO ${literal(other)} (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1)`,
  );
  await rename(other, path);
}

async function one(sql: Sql, statement: string): Promise<number> {
  const [row] = await sql.rows(statement);
  return Number(row?.['found'] ?? 0);
}
