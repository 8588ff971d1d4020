import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { csvRows } from '../../packages/cli/src/csv.ts';
import { bytesText, Progress } from '../../packages/cli/src/progress.ts';
import { alignedTable } from '../../packages/cli/src/table.ts';
import { type Connection, PloidyClient } from '../../packages/client/src/index.ts';
import { demoQuestion, demoSql } from '../expected.ts';
import { writeGenome, writeRaw } from './raw-file.ts';

interface SampleFile {
  path: string;
  bytes: number;
}

const samples = join(import.meta.dirname, '../data');
/** VCF that is uploaded without annotations: the service computes them from gene models. */
const rawPath = 'vcf/SYN0007.vcf';

/** Main job through the public API: a project, files, ingestion, one question, the rows. Prints each step with its time. */
export async function runDemo(connection: Connection): Promise<void> {
  const client = new PloidyClient(connection);
  const { files } = JSON.parse(readFileSync(join(samples, 'manifest.json'), 'utf8')) as {
    files: SampleFile[];
  };
  const project = await step('Project', async () => {
    const made = await client.createProject(
      'Sample project',
      '20 invented patients with clinical and genomic data',
    );
    return [made.id, `"${made.name}"`];
  });
  await step('Genome', () => ingestGenome(client, project));
  const ids = await step('Upload', () => uploadAll(client, project, files));
  await step('Ingestion', () => ingestAll(client, project, ids));
  const queryId = await step('Query', async () => {
    const id = await client.query(project, demoSql, 'demo/patients.csv');
    const ended = await client.waitForQuery(id);
    if (ended.state !== 'succeeded') throw new Error(ended.error?.message ?? `The query was ${ended.state}.`);
    return [id, `${ended.rowCount} rows in ${ended.outputFileName}`];
  });
  const { condition, gene } = demoQuestion;
  process.stdout.write(
    `\nWhich patients with "${condition.display}" carry a pathogenic variant in ${gene}, and with what are they treated?\n\n`,
  );
  const [headings = [], ...rows] = (await Array.fromAsync(csvRows(client.bytes(queryId)))).flat();
  process.stdout.write(`${alignedTable(headings, rows)}\n`);
}

/** Runs a step and prints its duration. */
async function step<T>(name: string, work: () => Promise<[T, string]>): Promise<T> {
  const from = performance.now();
  const [result, note] = await work();
  const took = `${((performance.now() - from) / 1000).toFixed(2)} s`;
  process.stdout.write(`${name.padEnd(10)} ${took.padStart(7)}   ${note}\n`);
  return result;
}

/** Uploads and ingests gene models and bases: VCFs that are ingested later use them. */
async function ingestGenome(client: PloidyClient, project: string): Promise<[string[], string]> {
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-genome-'));
  try {
    const ids: string[] = [];
    for (const path of writeGenome(folder))
      ids.push(await client.upload(project, `genome/${basename(path)}`, path));
    const [, note] = await ingestAll(client, project, ids);
    return [ids, note];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function uploadAll(
  client: PloidyClient,
  project: string,
  files: SampleFile[],
): Promise<[string[], string]> {
  const total = files.reduce((sum, file) => sum + file.bytes, 0);
  const progress = new Progress('Upload   ');
  const ids: string[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-raw-'));
  let done = 0;
  try {
    for (const { path, bytes } of files) {
      const source = join(samples, path);
      ids.push(await client.upload(project, path, path === rawPath ? writeRaw(folder, source) : source));
      done += bytes;
      progress.update(done, total, basename(path));
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  progress.clear();
  return [ids, `${files.length} files, ${bytesText(total)}`];
}

async function ingestAll(client: PloidyClient, project: string, ids: string[]): Promise<[number, string]> {
  const progress = new Progress('Ingestion');
  const started = await Promise.all(ids.map((fileId) => client.ingest({ datasetId: project, fileId })));
  let rows = 0;
  for (const [at, { id }] of started.entries()) {
    const ended = await client.waitForIngestion(id, {
      onState: (now) =>
        progress.update(at, started.length, `${now.fileName}, ${rows + now.progress.rows} rows`),
    });
    if (ended.state !== 'succeeded')
      throw new Error(`${ended.fileName}: ${ended.error?.message ?? ended.state}`);
    rows += ended.progress.rows;
  }
  progress.clear();
  return [rows, `${started.length} files, ${rows} rows`];
}
