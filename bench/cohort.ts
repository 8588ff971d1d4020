/** The VCF of a cohort, shaped like chromosome 22 of the 1000 Genomes Project: ingestion and queries, beside `bcftools`. */
import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { cohortBenchFile, cohortGene, cohortRecords, cohortSample } from './cohort-file.ts';
import { ingest, median, query, upload } from './lake.ts';
import { watchMemory } from './memory.ts';
import { isSkipped } from './programs.ts';
import { type Service, startService } from './service.ts';

const rounds = 5;
const carriersFormat = '[%CHROM\t%POS\t%ID\t%REF\t%ALT\t%INFO/AF\t%INFO/ANN\t%SAMPLE\t%GT\n]';

const statements: Readonly<Record<string, string>> = {
  nothing: 'SELECT 1 AS one',
  gene: `SELECT sample_id, position, reference, alternate, genotype FROM variant WHERE gene = '${cohortGene(0)}'`,
  sample: `SELECT count(*), count(DISTINCT gene) FROM variant WHERE sample_id = '${cohortSample(1_000)}'`,
  'carriers by variant': `SELECT position, alternate, count(*) AS carriers FROM variant WHERE gene = '${cohortGene(0)}'
    GROUP BY position, alternate ORDER BY carriers DESC`,
  'carriers by gene': 'SELECT gene, count(DISTINCT sample_id) AS carriers FROM variant GROUP BY gene',
};

/** `argument`: share of the chromosome's records; a fiftieth by default. */
export async function bench(argument = '0.02'): Promise<void> {
  const file = await cohortBenchFile(Math.round(cohortRecords * Number(argument)));
  print(`${Math.round(cohortRecords * Number(argument))} records, ${(file.bytes / 1e6).toFixed(1)} MB`);
  const bcf = packedAsBcf(file.path);
  const service = await startService();
  try {
    const { id: project } = await service.call<{ id: string }>('POST', '/v1/projects', { name: 'Cohort' });
    const source = await upload(service, project, 'cohort.vcf.gz', file.path);
    const stored = lakeBytes(service);
    const memory = watchMemory(service.process.pid ?? 0);
    const { rows, ms } = await ingest(service, project, source);
    const peak = memory.stop();
    const added = lakeBytes(service) - stored;
    print(
      `${rows} rows in ${(ms / 1e3).toFixed(1)} s, ${(added / 1e6).toFixed(1)} MB in the lake, ${(peak / 1e6).toFixed(0)} MB of memory`,
    );
    printPeer(file.path, ms);
    if (bcf !== undefined) print(`BCF ${(bcf / 1e6).toFixed(1)} MB, lake ${(added / bcf).toFixed(2)} of it`);
    for (const [name, sql] of Object.entries(statements)) await timeQuery(service, project, name, sql);
  } finally {
    await service.stop();
  }
}

async function timeQuery(service: Service, project: string, name: string, sql: string): Promise<void> {
  const times: number[] = [];
  let found = 0;
  for (let round = 0; round < rounds; round += 1) {
    const { rows, ms } = await query(service, project, sql);
    times.push(ms);
    found = rows;
  }
  print(`${name}: ${found} rows, median ${median(times).toFixed(0)} ms`);
}

/** Returns the size of the same records as BCF; undefined without bcftools. */
function packedAsBcf(path: string): number | undefined {
  if (isSkipped('the size as BCF', ['bcftools'])) return undefined;
  const packed = `${path}.bcf`;
  if (!statSync(packed, { throwIfNoEntry: false }))
    execFileSync('bcftools', ['view', '-Ob', '-o', packed, path], { stdio: 'ignore' });
  return statSync(packed).size;
}

/** Prints the time in which `bcftools query` writes the same carriers. */
function printPeer(path: string, ours: number): void {
  if (isSkipped('bcftools query', ['bcftools'])) return;
  const from = performance.now();
  execFileSync('bcftools', ['query', '-i', 'GT="alt"', '-f', carriersFormat, path], { stdio: 'ignore' });
  const theirs = performance.now() - from;
  print(`bcftools query ${(theirs / 1e3).toFixed(1)} s, ratio ${(theirs / ours).toFixed(2)}`);
}

function lakeBytes({ folder }: Service): number {
  const blobs = join(folder, 'blobs');
  return readdirSync(blobs, { recursive: true, encoding: 'utf8' }).reduce(
    (sum, name) => sum + (statSync(join(blobs, name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
