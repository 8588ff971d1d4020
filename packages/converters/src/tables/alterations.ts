import { join } from 'node:path';
import type { ConversionTask, ConvertedTable, Sql } from '@ploidy/engine';
import { literal } from '@ploidy/engine/task-runtime';
import {
  type ColumnType,
  copyNumberClasses,
  engineTypes,
  mutationClasses,
  promoterTerms,
  storedTable,
} from '@ploidy/formats';
import { TableFile } from './table-file.ts';

/** Internal table with the source's judgements: `variant_id`, `sample_id`, `driver`. */
export const driverFile = '_driver';

/** Kind for which samples were examined. `panels`: panel by sample, where the source names it. */
export interface Examined {
  kind: 'mutation' | 'copy_number' | 'fusion' | 'expression';
  samples: readonly string[];
  panels?: ReadonlyMap<string, string>;
  /** Assay by sample, where the source names it. */
  assays?: ReadonlyMap<string, string>;
}

/**
 * Derives `alteration` and `sample_profile` from the tables that a conversion made: the only place that makes them. A file without
 * genes examined no sample for their alterations. `examined`: replaces what follows from the tables. `isPaired`: rows of `variant`
 * and `variant_call` are equal in number and order.
 */
export async function studyTables(
  task: Pick<ConversionTask, 'outputFolder' | 'options'>,
  sql: Sql,
  tables: readonly ConvertedTable[],
  {
    samples,
    examined,
    isPaired = false,
  }: { samples: readonly string[]; examined?: readonly Examined[]; isPaired?: boolean },
): Promise<ConvertedTable[]> {
  const found = examined ?? (await examinedBy(sql, tables, samples));
  if (found.length === 0) return [];
  const profiles = await writeProfiles(task, sql, found);
  const parts = await alterationsOf(sql, tables, isPaired);
  if (parts.length === 0) return [profiles];
  const path = join(task.outputFolder, 'alteration.parquet');
  const { columns, orderBy } = storedTable('alteration');
  const names = columns.map(({ name }) => name).join(', ');
  const none = columns
    .map(({ name, type }) => `NULL::${engineTypes[type as ColumnType]} AS ${name}`)
    .join(', ');
  // Only examined samples have alterations: shares of altered samples are never above 1.
  const rows = await sql.run(
    `COPY (SELECT ${names} FROM (SELECT ${none} WHERE false UNION ALL BY NAME ${parts.join(' UNION ALL BY NAME ')})
      SEMI JOIN read_parquet(${literal(profiles.path)}) USING (sample_id, kind)
      ORDER BY ${orderBy.join(', ')}, kind, chromosome, position)
      TO ${literal(path)} (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1)`,
  );
  return [profiles, { table: 'alteration', path, rows }];
}

const kindOfTable = {
  variant: 'mutation',
  copynumber: 'copy_number',
  fusion: 'fusion',
  gene: 'expression',
} as const satisfies Record<string, Examined['kind']>;

/** Column of each table that has a value where a gene was examined. */
const tellingColumn = {
  variant: 'ebcanon_class',
  copynumber: 'gene',
  fusion: 'coalesce(gene1, gene2)',
  gene: 'coalesce(gene_name, gene_id)',
} as const;

async function examinedBy(
  sql: Sql,
  tables: readonly ConvertedTable[],
  samples: readonly string[],
): Promise<Examined[]> {
  if (samples.length === 0) return [];
  const found: Examined[] = [];
  for (const { table, path, rows, values } of tables) {
    if (!isNamed(table)) continue;
    const known = values?.textsOf(tellingColumn[table]);
    const isExamined = async () => (known ? known.length : await sql.count(telling)) > 0;
    const telling = `(FROM read_parquet(${literal(path)}) WHERE ${tellingColumn[table]} IS NOT NULL LIMIT 1)`;
    if (rows === 0 || (await isExamined())) found.push({ kind: kindOfTable[table], samples });
  }
  return found;
}

const isNamed = (table: string): table is keyof typeof kindOfTable => Object.hasOwn(kindOfTable, table);

/** Assays by the words of laboratories for the kind of a test. */
const assays: readonly (readonly [word: RegExp, assay: string])[] = [
  [/\b(?:wgs|(?:whole[\s_-]?)?genome)\b/i, 'genome'],
  [/\b(?:wes|wxs|(?:whole[\s_-]?)?exome)\b/i, 'exome'],
  [/\bpanel\b/i, 'panel'],
];

async function writeProfiles(
  { outputFolder, options }: Pick<ConversionTask, 'outputFolder' | 'options'>,
  sql: Sql,
  examined: readonly Examined[],
): Promise<ConvertedTable> {
  const file = new TableFile(join(outputFolder, 'sample_profile.parquet'), storedTable('sample_profile'));
  const named = assays.find(([word]) => word.test(options.testType ?? ''))?.[1];
  try {
    for (const { kind, samples, panels, assays: given } of examined)
      for (const sample_id of samples) {
        const panel_id = panels?.get(sample_id);
        const assay = panel_id === undefined ? (given?.get(sample_id) ?? named) : 'panel';
        file.add({ sample_id, kind, panel_id, assay });
      }
    await file.end(sql);
  } finally {
    file.close();
  }
  return { table: 'sample_profile', path: file.path, rows: file.rowCount, values: file.values };
}

/** Returns SELECTs of the alterations in each of the tables. */
async function alterationsOf(
  sql: Sql,
  tables: readonly ConvertedTable[],
  isPaired: boolean,
): Promise<string[]> {
  const pathOf = (name: string) => tables.find(({ table }) => table === name)?.path;
  const [variants, copies, fusions] = [pathOf('variant'), pathOf('copynumber'), pathOf('fusion')];
  const beside = { calls: pathOf('variant_call'), drivers: pathOf(driverFile), isPaired };
  return [
    ...(variants === undefined ? [] : [await mutations(sql, variants, beside)]),
    ...(copies === undefined ? [] : [copyNumbers(copies)]),
    ...(fusions === undefined ? [] : [fusionEnds(fusions)]),
  ];
}

const listOf = (texts: readonly string[]): string => texts.map(literal).join(', ');

const classCases = Object.entries(mutationClasses)
  .map(([name, terms]) => `WHEN ebcanon_class IN (${listOf(terms)}) THEN ${literal(name)}`)
  .join(' ');

const alteringTerms = [...Object.values(mutationClasses).flat(), ...promoterTerms.terms];

/** Genotypes without an alternate allele: of the reference, or not called. */
const noAlternate = "regexp_full_match(genotype, '[0./|]*')";

/**
 * Returns mutations of proteins, splice sites and the promoter. They are few of the variants: those are chosen first, and only
 * then joined with the evidence of their calls.
 */
async function mutations(
  sql: Sql,
  path: string,
  { calls, drivers, isPaired }: { calls: string | undefined; drivers: string | undefined; isPaired: boolean },
): Promise<string> {
  const altering = `FROM ${numbered(path)}
    WHERE ebcanon_class IN (${listOf(alteringTerms)}) AND gene IS NOT NULL AND sample_id IS NOT NULL
      AND (ebcanon_class NOT IN (${listOf(promoterTerms.terms)}) OR gene = ${literal(promoterTerms.gene)})
      AND (genotype IS NULL OR NOT ${noAlternate}) AND lower(mutation_status) IS DISTINCT FROM 'uncalled'`;
  await sql.run(`CREATE OR REPLACE TEMP TABLE altering AS
    SELECT variant_id, sample_id, hash(variant_id, sample_id) AS pair, file_row_number, gene,
      CASE ${classCases} ELSE 'promoter' END AS class, ebcanon_class AS consequence, amino_acid_change AS protein_change,
      chromosome, position, reference, alternate, clinical_significance,
      CASE lower(mutation_status) WHEN 'somatic' THEN 'somatic' WHEN 'germline' THEN 'germline' END AS status
    ${altering}`);
  // Without alterations the tables beside are not even read.
  if ((await sql.count('altering')) === 0) return `SELECT NULL::VARCHAR AS kind WHERE false`;
  await sql.run(
    `CREATE OR REPLACE TEMP TABLE repeated AS SELECT pair FROM altering GROUP BY pair HAVING count(*) > 1`,
  );
  const besideColumns = [
    calls === undefined ? 'NULL::DOUBLE AS allele_fraction' : 'of_calls.allele_fraction',
    drivers === undefined ? 'NULL::VARCHAR AS driver' : 'of_drivers.driver',
  ];
  const joins = [
    calls === undefined
      ? ''
      : isPaired
        ? rowOf(calls, 'of_calls')
        : joinOf(calls, 'allele_fraction', 'of_calls'),
    drivers === undefined ? '' : joinOf(drivers, 'driver', 'of_drivers'),
  ];
  const rowsOf = (join: 'ANTI' | 'SEMI') =>
    `(SELECT altering.*, 'mutation' AS kind, ${besideColumns.join(', ')} FROM (FROM altering ${join} JOIN repeated USING (pair)) AS altering ${joins.join(' ')})`;
  const kept = '* EXCLUDE (variant_id, pair, file_row_number)';
  const once = `SELECT ${kept} FROM ${rowsOf('ANTI')}`;
  if ((await sql.count('repeated')) === 0) return once;
  // Only repeated rows are compared: a window over all sorts texts of millions.
  return `${once} UNION ALL BY NAME SELECT ${kept} REPLACE (max(allele_fraction) OVER same AS allele_fraction)
    FROM ${rowsOf('SEMI')} WINDOW same AS (PARTITION BY variant_id, sample_id)
    QUALIFY row_number() OVER (same ORDER BY consequence, protein_change, clinical_significance, status) = 1`;
}

const numbered = (path: string): string => `read_parquet(${literal(path)}, file_row_number = true)`;

/** Joins a table beside by the numbers of its rows. */
const rowOf = (path: string, name: string): string =>
  `LEFT JOIN ${numbered(path)} AS ${name} USING (file_row_number)`;

/** Joins a column of a table beside by the allele and the sample; repeated records have one value. */
function joinOf(path: string, column: string, name: string): string {
  return `LEFT JOIN (SELECT variant_id, sample_id, max(${column}) AS ${column} FROM read_parquet(${literal(path)})
    SEMI JOIN altering USING (variant_id, sample_id) GROUP BY ALL) AS ${name} USING (variant_id, sample_id)`;
}

/** Judgement and origin in the attributes of a row, as cBioPortal names them. */
const judged =
  "CASE lower(json_extract_string(attributes, '$.cbp_driver')) WHEN 'putative_driver' THEN 'driver' WHEN 'putative_passenger' THEN 'passenger' END AS driver";

function copyNumbers(path: string): string {
  const cases = Object.entries(copyNumberClasses).map(
    ([status, name]) => `WHEN ${literal(status)} THEN ${literal(name)}`,
  );
  return `SELECT sample_id, gene, 'copy_number' AS kind, CASE status ${cases.join(' ')} END AS class, chromosome,
    start_position AS position, ${judged} FROM read_parquet(${literal(path)})
    WHERE gene IS NOT NULL AND sample_id IS NOT NULL AND status IN (${listOf(Object.keys(copyNumberClasses))})`;
}

/** Returns a row for each gene of a fusion; one of a gene with itself has one. */
function fusionEnds(path: string): string {
  const end = (own: 1 | 2, other: 1 | 2) =>
    `SELECT sample_id, gene${own} AS gene, 'fusion' AS kind, 'fusion' AS class, effect AS consequence,
      chromosome${own} AS chromosome, start_position${own} AS position, gene${other} AS partner_gene,
      CASE lower(json_extract_string(attributes, '$.SV_Status')) WHEN 'somatic' THEN 'somatic' WHEN 'germline' THEN 'germline' END AS status, ${judged}
    FROM read_parquet(${literal(path)}) WHERE gene${own} IS NOT NULL AND sample_id IS NOT NULL`;
  return `${end(1, 2)} UNION ALL BY NAME ${end(2, 1)} AND gene2 IS DISTINCT FROM gene1`;
}
