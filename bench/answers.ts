/**
 * Time from a file on the disk to the answer of one question behind Caddy: upload, ingestion and query, beside the same
 * question by hand.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { startBehindCaddy } from './caddy.ts';
import { cohortBenchFile } from './cohort-file.ts';
import { fhirBenchFile, vcfBenchFile } from './inputs.ts';
import { ingest, query, upload } from './lake.ts';
import { watchMemory } from './memory.ts';
import type { Service } from './service.ts';

/** Records of the files of one sample, by what they are like. */
const sizes = { exome: 60_000, genome: 5_000_000 };
/** Records of the file of 2,504 samples. */
const cohortRecords = 22_000;
/** About those of 10,000 patients. */
const resources = 500_000;

const genes = 'SELECT gene, count(*) AS n FROM variant GROUP BY gene ORDER BY n DESC, gene LIMIT 10';
const codes = `SELECT c.display AS name, p.gender, count(DISTINCT c.patient_id) AS n FROM condition c
  JOIN demographic p ON p.patient_id = c.patient_id GROUP BY 1, 2 ORDER BY n DESC, 1, 2 LIMIT 10`;

/** Genes of the alternates that a sample has, from its genotypes and the annotations of SnpEff. */
const genesByHand = (table: string): string => `WITH carried AS (
    SELECT row_number() OVER () AS record, annotations, string_split(alternates, ',') AS alternates,
      unnest(list_distinct(string_split(replace(genotype, '|', '/'), '/'))) AS allele
    FROM read_csv('${table}', delim = '\t', header = false, quote = '', all_varchar = true,
      names = ['alternates', 'annotations', 'genotype'])),
  annotated AS (SELECT record, alternates[allele::INT] AS alternate, unnest(string_split(annotations, ',')) AS entry
    FROM carried WHERE allele NOT IN ('0', '.'))
  SELECT gene, count(*) AS n FROM (
    SELECT DISTINCT record, alternate, split_part(entry, '|', 4) AS gene
    FROM annotated WHERE split_part(entry, '|', 1) = alternate)
  GROUP BY gene ORDER BY n DESC, gene LIMIT 10`;

const codesByHand = (path: string): string => `WITH resources AS (
    SELECT * FROM read_ndjson('${path}', columns = {resourceType: 'VARCHAR', id: 'VARCHAR', gender: 'VARCHAR',
      subject: 'STRUCT(reference VARCHAR)', code: 'JSON'}))
  SELECT json_extract_string(c.code, '$.coding[0].display') AS name, p.gender, count(DISTINCT p.id) AS n
  FROM resources c JOIN resources p ON c.subject.reference = 'Patient/' || p.id
  WHERE c.resourceType = 'Condition' AND p.resourceType = 'Patient' GROUP BY 1, 2 ORDER BY n DESC, 1, 2 LIMIT 10`;

/** `argument`: one of `exome`, `genome`, `cohort`, `fhir`; all without it. */
export async function bench(argument?: string): Promise<void> {
  for (const [name, records] of Object.entries(sizes)) {
    if (argument !== undefined && argument !== name) continue;
    const { path } = await vcfBenchFile({ records, samples: 1, gzip: true });
    await compare({ name: `${name}.vcf.gz`, path }, genes, (folder) => variantsByHand(path, folder));
  }
  if (argument === undefined || argument === 'cohort') {
    const { path } = await cohortBenchFile(cohortRecords);
    await compare({ name: 'cohort.vcf.gz', path }, genes, (folder) => variantsByHand(path, folder));
  }
  if (argument !== undefined && argument !== 'fhir') return;
  const { path } = await fhirBenchFile({ resources });
  await compare({ name: 'patients.ndjson', path }, codes, () => ask(codesByHand(path)));
}

async function variantsByHand(path: string, folder: string): Promise<string> {
  const table = join(folder, 'variants.tsv');
  const format = '[%ALT\\t%INFO/ANN\\t%GT\\n]';
  execFileSync('sh', ['-c', `bcftools query -i 'GT="alt"' -f '${format}' '${path}' > '${table}'`]);
  return ask(genesByHand(table));
}

/** Runs a statement in DuckDB alone; answers its rows as lines. */
async function ask(sql: string): Promise<string> {
  const connection = await (await DuckDBInstance.create(':memory:', { threads: '2' })).connect();
  const rows = (await connection.runAndReadAll(sql)).getRows();
  return rows.map((row) => row.join(',')).join('\n');
}

async function compare(
  file: { name: string; path: string },
  sql: string,
  byHand: (folder: string) => Promise<string>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-answers-'));
  const service = await startBehindCaddy();
  try {
    const memory = watchMemory(service.process.pid ?? 0);
    const ours = await timed(() => answered(service, file, sql));
    const peak = memory.stop();
    const again = await timed(() => rowsOf(service, ours.result.project, sql));
    const peer = await timed(() => byHand(folder));
    assert.equal(ours.result.rows, peer.result);
    process.stdout.write(
      `${file.name}: upload, ingestion and answer ${seconds(ours.ms)} s, ${(peak / 1e6).toFixed(0)} MB · ` +
        `by hand ${seconds(peer.ms)} s, equal · ` +
        `the next answer ${seconds(again.ms)} s\n`,
    );
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function answered(
  service: Service,
  { name, path }: { name: string; path: string },
  sql: string,
): Promise<{ project: string; rows: string }> {
  const { id: project } = await service.call<{ id: string }>('POST', '/v1/projects', { name: 'Answers' });
  await ingest(service, project, await upload(service, project, name, path));
  return { project, rows: await rowsOf(service, project, sql) };
}

/** Rows of a statement without its header. */
async function rowsOf(service: Service, project: string, sql: string): Promise<string> {
  const { id } = await query(service, project, sql);
  const found = await service.call<{ resultFileId: string }>('GET', `/v1/analytics/data-lake/query/${id}`);
  const url = `${service.address}/v1/files/${found.resultFileId}`;
  const text = await (await fetch(url, { headers: service.headers })).text();
  // Quotes around texts with commas are the form of CSV.
  return text.trimEnd().replaceAll('"', '').split('\n').slice(1).join('\n');
}

async function timed<T>(work: () => Promise<T>): Promise<{ result: T; ms: number }> {
  const from = performance.now();
  const result = await work();
  return { result, ms: performance.now() - from };
}

const seconds = (ms: number): string => (ms / 1e3).toFixed(2);
