import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { openEngine } from '../packages/engine/src/engine.fixture.ts';
import type { QueryTable } from '../packages/engine/src/engine.ts';
import {
  universeTables,
  withRelations,
} from '../packages/server/src/domains/analysis/analytics/analytics.ts';
import type { Compiler } from '../packages/server/src/domains/analysis/analytics/index.ts';
import type { Aggregate } from '../packages/server/src/domains/analysis/study/aggregates.ts';
import { Cells } from '../packages/server/src/domains/analysis/study/cells.ts';
import { MadeFiles } from '../packages/server/src/domains/analysis/study/made-files.ts';
import type { Node } from '../packages/server/src/domains/analysis/study/node.ts';
import { type Asking, Study } from '../packages/server/src/domains/analysis/study/study.ts';
import { median } from './lake.ts';

const rounds = 7;
/** Samples, each with twenty alterations. */
const sizes = [1000, 10_000, 100_000];
const clickMaxMs = 500;

/** Tables of a study of `n` samples, three of four with a patient of their own. */
export const tablesOf = (n: number): Record<string, string> => ({
  patient: `SELECT 'p' || range AS patient_id, NULL::VARCHAR AS data, NULL::DATE AS dob FROM range(${n})`,
  sequence: `SELECT 'p' || (range - CASE WHEN range % 4 = 3 THEN 1 ELSE 0 END) AS patient_id, 's' || range AS id,
    NULL::VARCHAR AS specimen_id, 'WES' AS test_type, NULL::VARCHAR AS sequence_type FROM range(${n}) ORDER BY id`,
  alteration: `SELECT 's' || (range // 20) AS sample_id, 'G' || CAST(floor(400 * power(hash(range) % 1000003 / 1000003, 3)) AS INTEGER) AS gene,
    ['mutation', 'mutation', 'copy_number', 'fusion'][range % 4 + 1] AS kind,
    ['missense', 'truncating', ['amplification', 'deletion'][range // 4 % 2 + 1], 'fusion'][range % 4 + 1] AS class,
    NULL::VARCHAR AS consequence, 'V' || (range % 900) || 'E' AS protein_change FROM range(${20 * n}) ORDER BY gene, sample_id`,
  sample_profile: `SELECT 's' || s.range AS sample_id, k.kind, CASE WHEN s.range % 3 > 0 THEN 'panel' || s.range % 3 END AS panel_id,
    NULL::VARCHAR AS assay FROM range(${n}) AS s, (VALUES ('mutation'), ('copy_number'), ('fusion')) AS k(kind) ORDER BY ALL`,
  gene_panel: `SELECT 'panel' || p.range AS panel_id, NULL::VARCHAR AS description, 'G' || g.range AS gene
    FROM range(1, 3) AS p, range(400) AS g WHERE g.range % 3 <> p.range ORDER BY ALL`,
  attribute_value: `SELECT 'A' || a.range AS attribute_id, CASE WHEN a.range % 2 = 0 THEN 'p' || s.range END AS patient_id,
    CASE WHEN a.range % 2 = 1 THEN 's' || s.range END AS sample_id,
    CASE WHEN a.range < 10 THEN 'v' || hash(s.range + a.range) % 8 WHEN a.range = 18 THEN (hash(s.range) % 2) || ':X' ELSE '' END AS value,
    CASE WHEN a.range >= 10 AND a.range <> 18 THEN hash(s.range * 31 + a.range) % 10000 / 100 END AS number, true AS is_shown
    FROM range(20) AS a, range(${n}) AS s WHERE (s.range + a.range) % 10 > 0 ORDER BY ALL`,
});

/** Twenty charts, as the first screen of a study has them. */
export const charts: Aggregate[] = [
  ...[0, 1, 2, 3, 4, 5, 6, 7].map((at): Aggregate => ({ id: `v${at}`, kind: 'values', attribute: `A${at}` })),
  ...[10, 11, 12, 13, 14, 15].map((at): Aggregate => ({ id: `b${at}`, kind: 'bins', attribute: `A${at}` })),
  { id: 'mutations', kind: 'genes', alteration: 'mutation' },
  { id: 'copies', kind: 'genes', alteration: 'copy_number' },
  { id: 'fusions', kind: 'genes', alteration: 'fusion' },
  { id: 'survival', kind: 'km', time: 'A16', status: 'A18' },
  { id: 'boxes', kind: 'box', number: 'A11', group: 'A1' },
  { id: 'density', kind: 'density', x: 'A12', y: 'A13' },
];

/** Filter of a click: each round names another gene, so that nothing is remembered. */
export const clicked = (round: number): Node => ({
  and: [
    { attribute: 'A0', in: ['v1', 'v2'], pill: 'value' },
    { not: { alteration: { genes: [`G${round}`], kinds: ['mutation'] } }, pill: 'gene' },
  ],
});

/** Compares a click, twenty charts under a new filter, with plain statements of the same charts. */
export async function bench(): Promise<void> {
  for (const size of sizes) {
    const folder = mkdtempSync(join(tmpdir(), 'ploidy-bench-study-'));
    mkdirSync(join(folder, 'scratch'));
    try {
      await benchOf(size, folder);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }
}

async function benchOf(size: number, folder: string): Promise<void> {
  const alone = await (
    await DuckDBInstance.create(':memory:', { threads: '2', memory_limit: '1GiB' })
  ).connect();
  const relations: QueryTable[] = [];
  for (const [name, sql] of Object.entries(tablesOf(size))) {
    const path = join(folder, `${name}.parquet`);
    await alone.run(`COPY (${sql}) TO '${path}' (FORMAT parquet, COMPRESSION zstd)`);
    await alone.run(`CREATE VIEW ${name} AS SELECT * FROM read_parquet('${path}')`);
    relations.push({ name, files: [path], sql: `SELECT * FROM read_parquet('${path}')` });
  }
  const engine = await openEngine(folder, { answer: { idleWorkers: 2 } });
  const taskOf = (body: string, { tables, parameters }: Compiler) => {
    const names = [...new Set([...tables, ...universeTables])];
    return { sql: withRelations(body, names, [relations]), parameters: parameters.values };
  };
  const files = new MadeFiles({
    scratchPath: async () => join(folder, `${randomUUID()}.parquet`),
    discardScratch: async (path) => rmSync(path),
  });
  const study = new Study(
    {
      ask: (body, compiler, _, { signal }) => engine.answer(taskOf(body, compiler), signal),
      write: (body, compiler, _, { outputPath, signal }) =>
        engine.write({ ...taskOf(body, compiler), outputPath }, signal),
    },
    files,
  );
  const ask = async (filter: Node): Promise<number> => {
    const from = performance.now();
    await study.answer({ unit: 'sample', filter, aggregates: charts, cohortIds: [] }, asking);
    return performance.now() - from;
  };
  try {
    const first = await ask({ and: [] });
    const again = await ask(clicked(rounds));
    const clicks: number[] = [];
    const plain: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      clicks.push(await ask(clicked(round)));
      const from = performance.now();
      for (const sql of statementsOf(round)) await alone.runAndReadAll(sql);
      plain.push(performance.now() - from);
    }
    const [click, byHand] = [median(clicks), median(plain)];
    process.stdout.write(
      `${size} samples, ${20 * size} alterations: first screen ${first.toFixed(0)} ms, then ${again.toFixed(0)} ms, click ${click.toFixed(0)} ms, plain statements ${byHand.toFixed(0)} ms, ratio ${(click / byHand).toFixed(2)}\n`,
    );
    if (click > clickMaxMs) process.stdout.write(`  a click takes more than ${clickMaxMs} ms\n`);
  } finally {
    await engine.close();
    alone.closeSync();
  }
}

export const asking: Asking = {
  project: {
    ...{ id: 'bench', version: 1, dataVersion: 1, annotations: '', ownTables: new Map() },
    access: { real: true, masked: false, countsMin: 0 },
  },
  cells: new Cells(0, Buffer.from('')),
  ...{ cohortParts: [], caller: 'bench', signal: new AbortController().signal },
};

/** Plain statements of the same charts: the matching samples once, then a statement for each chart. */
function statementsOf(round: number): string[] {
  const values = (at: number) =>
    at % 2 === 0
      ? `SELECT m.id, a.value, a.number FROM m JOIN attribute_value a USING (patient_id) WHERE attribute_id = 'A${at}'`
      : `SELECT m.id, a.value, a.number FROM m JOIN attribute_value a ON a.sample_id = m.id WHERE attribute_id = 'A${at}'`;
  return [
    `CREATE OR REPLACE TEMP TABLE m AS SELECT DISTINCT s.id, s.patient_id FROM sequence s JOIN attribute_value a USING (patient_id)
      WHERE a.attribute_id = 'A0' AND a.value IN ('v1', 'v2')
      AND s.id IN (SELECT sample_id FROM sample_profile WHERE kind = 'mutation' AND (panel_id IS NULL OR panel_id IN
        (SELECT panel_id FROM gene_panel WHERE gene = 'G${round}')))
      AND s.id NOT IN (SELECT sample_id FROM alteration WHERE gene = 'G${round}' AND kind = 'mutation')`,
    ...[0, 1, 2, 3, 4, 5, 6, 7].map(
      (at) => `SELECT value, count(DISTINCT id) FROM (${values(at)}) GROUP BY value`,
    ),
    ...[10, 11, 12, 13, 14, 15].map(
      (at) => `SELECT floor(number / 5), count(DISTINCT id) FROM (${values(at)}) GROUP BY 1`,
    ),
    ...['mutation', 'copy_number', 'fusion'].map(
      (
        kind,
      ) => `SELECT a.gene, count(*), count(DISTINCT a.sample_id), count(DISTINCT a.sample_id) FILTER (p.panel_id IS NULL OR g.gene IS NOT NULL)
        FROM alteration a JOIN m ON m.id = a.sample_id JOIN sample_profile p ON p.sample_id = a.sample_id AND p.kind = a.kind
        LEFT JOIN gene_panel g ON g.panel_id = p.panel_id AND g.gene = a.gene WHERE a.kind = '${kind}' GROUP BY a.gene ORDER BY 3 DESC LIMIT 50`,
    ),
    `SELECT t.number, count(*) FILTER (s.value LIKE '1:%'), count(*) FROM (${values(16)}) t JOIN (${values(18)}) s USING (id) GROUP BY 1`,
    `SELECT g.value, quantile_cont(n.number, [0.25, 0.5, 0.75]) FROM (${values(11)}) n JOIN (${values(1)}) g USING (id) GROUP BY 1`,
    `SELECT floor(a.number / 2), floor(b.number / 2), count(*) FROM (${values(12)}) a JOIN (${values(13)}) b USING (id) GROUP BY 1, 2`,
  ];
}
