import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { annotateSegment } from '../packages/converters/src/annotation/annotate-segment.ts';
import { DuckdbSql } from '../packages/engine/src/duckdb.ts';
import { annotation, type Column, engineTypes, type Table, tables } from '../packages/formats/src/index.ts';
import { annotatedTable } from '../packages/server/src/domains/lake/annotations/annotated-segments.ts';
import { variantRelation } from '../packages/server/src/domains/lake/annotations/variant-relation.ts';
import type { LocatedFile } from '../packages/server/src/domains/lake/catalogue/segment-rows.ts';

const rows = 2_000_000;
const rounds = 3;
const variant = tables.get('variant') as Table;
const queryMemoryBytes = 512 << 20;
const conversionMemoryBytes = 256 << 20;

/** Values by column; what is not named is NULL. */
type Values = Record<string, string>;

const place: Values = {
  chromosome: "'chr' || (1 + i // 100000)",
  position: '1000 + (i % 100000) * 2400 + i % 7',
  reference: "['A', 'C', 'G', 'T'][1 + i % 4]",
};
const ofVariant: Values = {
  ...place,
  alternate: "['C', 'G', 'T', 'A'][1 + i % 4]",
  variant_id: "'set:' || left(md5(i::VARCHAR), 16)",
  sample_id: "'S' || (i % 10)",
  impact: "['LOW', 'HIGH', 'MODERATE', 'MODIFIER'][1 + i % 4]",
  gene: "'GENE' || (i // 100)",
  transcript_id: "'ENST' || (i // 50)",
  genotype: "'0/1'",
};
/** Half of the variants are among its alleles. */
const ofAnnotation: Values = {
  ...place,
  alternate: "['C', 'G', 'T', 'A'][1 + (i + i % 2) % 4]",
  population_allele_frequency: '(i % 1000) / 1000.0',
  rs_id: "'rs' || i",
  clinvar_allele_id: 'i + 15000',
  clinical_significance: "['Benign', 'Likely_benign', 'Pathogenic', 'Uncertain_significance'][1 + i % 4]",
  clinical_review: "'criteria_provided,_single_submitter'",
  clinical_disease: "'disease ' || (i % 5000)",
};

const statements: [name: string, sql: string, count: number][] = [
  ['count', 'SELECT * FROM (SELECT count(*) FROM variant)', 1],
  ['gene', "SELECT position, impact FROM variant WHERE gene = 'GENE777'", 100],
  ['gene, significance', "SELECT position, clinical_significance FROM variant WHERE gene = 'GENE777'", 100],
  [
    'region',
    "SELECT rs_id FROM variant WHERE chromosome = 'chr7' AND position BETWEEN 100000000 AND 100200000",
    83,
  ],
  ['by gene and impact', 'SELECT gene, impact, count(*) FROM variant GROUP BY ALL', 80_000],
  ['pathogenic', "SELECT sample_id FROM variant WHERE clinical_significance = 'Pathogenic'", rows / 4],
  ['rs', "SELECT sample_id FROM variant WHERE rs_id = 'rs777776'", 1],
];

/** Variants joined with an annotation when they are asked, against variants that were filled beforehand: processor time (docs/design/adr/0012-annotations.md). */
export async function bench(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-annotations-'));
  try {
    const own = segment('variant', await written(folder, 'variant', variant.columns, ofVariant));
    const source = segment(
      annotation.name,
      await written(folder, 'annotation', annotation.columns, ofAnnotation),
    );
    const filled = await fill(folder, own, source);
    const sql = await open(folder, queryMemoryBytes);
    const views = {
      plain: variantRelation(variant, [own]).sql,
      joined: variantRelation(variant, [own, source]).sql,
      filled: variantRelation(variant, [...filled, source]).sql,
    };
    for (const [name, statement, count] of statements) {
      const figures: string[] = [];
      for (const [view, select] of Object.entries(views)) {
        await sql.run(`CREATE OR REPLACE VIEW variant AS ${select}`);
        figures.push(`${view} ${await cost(sql, statement, view === 'plain' ? undefined : count)}`);
      }
      process.stdout.write(`${name}: ${figures.join(' · ')} ms of processor\n`);
    }
    sql.close();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function fill(folder: string, own: LocatedFile, source: LocatedFile): Promise<LocatedFile[]> {
  const outputFolder = join(folder, 'filled');
  await mkdir(outputFolder);
  const sql = await open(folder, conversionMemoryBytes);
  const from = process.cpuUsage();
  const made = await annotateSegment(
    {
      type: 'annotated',
      sourcePath: own.path,
      besidePaths: [source.path],
      sourceSize: 0,
      sourceName: 'variant',
      outputFolder,
      setId: 'set',
      options: {},
    },
    sql,
    { progress: () => undefined, warn: () => undefined, account: () => undefined },
  );
  const { user, system } = process.cpuUsage(from);
  sql.close();
  process.stdout.write(
    `${rows} variants filled from ${rows} alleles: ${((user + system) / 1e6).toFixed(1)} s of processor, ` +
      `${made.length} files\n`,
  );
  return made.map(({ path }) => segment(annotatedTable, path));
}

/** Least and most of a few runs, in milliseconds of processor. */
async function cost(sql: DuckdbSql, statement: string, expected: number | undefined): Promise<string> {
  const costs: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const from = process.cpuUsage();
    const [found] = await sql.rows(`SELECT count(*) AS count FROM (${statement})`);
    const { user, system } = process.cpuUsage(from);
    costs.push((user + system) / 1000);
    if (expected !== undefined) assert.equal(Number(found?.['count']), expected, statement);
  }
  return `${Math.min(...costs).toFixed(0)}–${Math.max(...costs).toFixed(0)}`;
}

async function written(
  folder: string,
  name: string,
  columns: readonly Column[],
  values: Values,
): Promise<string> {
  const path = join(folder, `${name}.parquet`);
  const typed = columns.map(
    (column) => `CAST(${values[column.name] ?? 'NULL'} AS ${engineTypes[column.type]}) AS ${column.name}`,
  );
  const sql = await open(folder, 2 << 30);
  await sql.run(`COPY (SELECT ${typed.join(', ')} FROM range(${rows}) AS t(i) ORDER BY chromosome, position)
    TO '${path}' (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1)`);
  sql.close();
  return path;
}

function segment(table: string, path: string): LocatedFile {
  const blob = { key: path, size: 0, sha256: '' };
  return {
    table,
    path,
    ordinal: 1,
    ingestionId: '',
    blob,
    rowCount: rows,
    fileRows: null,
    segments: 1,
    recordedAt: 0,
    ordinals: null,
    merged: false,
    genomeBuild: null,
    source: '',
    ownColumns: null,
  };
}

function open(folder: string, memoryMaxBytes: number): Promise<DuckdbSql> {
  return DuckdbSql.open({
    memoryMaxBytes,
    threads: 2,
    temporaryFolder: join(folder, 'spill'),
    temporaryMaxBytes: 20e9,
  });
}
