/**
 * Consequences of a raw VCF with gene models of the size of Ensembl's, against `bcftools csq`: both read the text; ours writes
 * Parquet, csq BCF. `npm run bench -- consequences=500000` tries fewer records.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { convertFasta } from '../packages/converters/src/fasta/convert.ts';
import { convertGeneModels } from '../packages/converters/src/gene-models/convert.ts';
import { readReferences } from '../packages/converters/src/reference-list.ts';
import { convertVcf } from '../packages/converters/src/vcf/convert.ts';
import type { ConversionTask, Reporter, TaskGenome } from '../packages/engine/src/conversion.ts';
import { DuckdbSql } from '../packages/engine/src/duckdb.ts';
import { geneModelLines } from '../samples/generator/gene-models.ts';
import { randomOf } from '../samples/generator/random.ts';
import { smallGenome } from '../samples/generator/small-genome.ts';
import { isSkipped } from './programs.ts';

const recordsAll = 5_000_000;
const chromosomeCount = 25;
/**
 * Genes of all chromosomes, copies of each transcript (about 320,000 together), bases between genes, and the factor of introns: as in
 * the human genome, more than half of all records are in genes, most of these in introns.
 */
const [genesAll, copies, apart, intronScale] = [40_000, 5, 4000, 12];
const engine = { memoryMaxBytes: 512 << 20, threads: 2, temporaryMaxBytes: 8 * 2 ** 30 };
const silent: Reporter = { progress: () => undefined, warn: () => undefined, account: () => undefined };

/** Runs the benchmark and prints it; a wrong number of rows fails. */
export async function bench(argument?: string): Promise<void> {
  const records = Number(argument ?? recordsAll);
  const genes = Math.ceil((genesAll * Math.min(1, records / 5_000_000)) / chromosomeCount);
  const folder = await mkdtemp(join(tmpdir(), 'ploidy-bench-consequences-'));
  try {
    // Made in another process: their memory is not that of a conversion.
    const { transcripts, bases } = inOtherProcess(folder, records, genes);
    print(`${records} records, ${transcripts} transcripts, ${(bases / 1e6).toFixed(0)} Mb`);
    const genome = await readGenome(folder);
    const ours = await convert(folder, [genome]);
    print(`with consequences:    ${shown(ours)}, ${ours.rows} rows, ${ours.genes} with a gene`);
    print(`peak resident memory  ${Math.round(process.resourceUsage().maxRSS / 1024)} MiB`);
    const plain = await convert(folder, []);
    print(`without gene models:  ${shown(plain)}, ${plain.rows} rows`);
    const theirs = bcftools(folder);
    if (theirs) print(`bcftools csq -l:      ${shown(theirs)}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Timing {
  wallS: number;
  cpuS: number;
}

const shown = ({ wallS, cpuS }: Timing): string => `${wallS.toFixed(1)} s, ${cpuS.toFixed(1)} s of processor`;

function inOtherProcess(...inputs: Parameters<typeof writeInputs>): ReturnType<typeof writeInputs> {
  const code = `import { writeInputs } from ${JSON.stringify(import.meta.url)};
    console.log(JSON.stringify(writeInputs(...${JSON.stringify(inputs)})));`;
  const made = spawnSync(process.execPath, ['--input-type=module', '-e', code]);
  assert.equal(made.status, 0, made.stderr.toString());
  return JSON.parse(made.stdout.toString()) as ReturnType<typeof writeInputs>;
}

/** Writes FASTA, GFF3 and VCF, chromosome by chromosome. */
export function writeInputs(
  folder: string,
  records: number,
  genes: number,
): { transcripts: number; bases: number } {
  const open = (name: string): number => openSync(join(folder, name), 'w');
  const [fasta, gff3, vcf] = [open('reference.fa'), open('genes.gff3'), open('in.vcf')];
  const names = Array.from({ length: chromosomeCount }, (_, at) => `chrom${at + 1}`);
  const contigs = names.map((name) => `##contig=<ID=${name}>\n`).join('');
  writeSync(
    vcf,
    `##fileformat=VCFv4.2\n##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">\n${contigs}`,
  );
  writeSync(vcf, '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tS1\n');
  let [transcripts, bases] = [0, 0];
  for (const [at, name] of names.entries()) {
    const genome = smallGenome(at, genes, { chromosome: name, apart, intronScale });
    const many = genome.genes.map((gene) => ({
      ...gene,
      id: `${name}.${gene.id}`,
      transcripts: gene.transcripts.flatMap((one) =>
        Array.from({ length: copies }, (_, copy) => ({ ...one, id: `${name}.${one.id}.${copy}` })),
      ),
    }));
    transcripts += many.reduce((sum, gene) => sum + gene.transcripts.length, 0);
    bases += genome.bases.length;
    writeSync(fasta, genome.fasta);
    writeSync(gff3, [...geneModelLines(many)].join(''));
    const count =
      Math.floor((records * (at + 1)) / chromosomeCount) - Math.floor((records * at) / chromosomeCount);
    writeSync(vcf, recordLines(name, genome.bases, count));
  }
  for (const file of [fasta, gff3, vcf]) closeSync(file);
  return { transcripts, bases };
}

/** Substitutions, and a tenth of insertions and deletions, at equal distances. */
function recordLines(chromosome: string, bases: string, count: number): string {
  const random = randomOf('records', chromosome);
  const step = (bases.length - 20) / count;
  const lines: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const position = Math.floor(index * step) + 1;
    const base = bases[position - 1] ?? 'N';
    const kind = random.next();
    const length = 1 + random.below(6);
    const other = 'ACGT'[('ACGT'.indexOf(base) + 1 + random.below(3)) % 4];
    const [reference, alternate] =
      kind < 0.9
        ? [base, other]
        : kind < 0.95
          ? [bases.slice(position - 1, position + length), base]
          : [base, base + bases.slice(position + 3, position + 3 + length)];
    lines.push(`${chromosome}\t${position}\t.\t${reference}\t${alternate}\t50\tPASS\t.\tGT\t0/1\n`);
  }
  return lines.join('');
}

async function inEngine<T>(folder: string, work: (sql: DuckdbSql) => Promise<T>): Promise<T> {
  const sql = await DuckdbSql.open({ ...engine, temporaryFolder: join(folder, 'spill') });
  try {
    return await work(sql);
  } finally {
    sql.close();
  }
}

function taskOf(folder: string, name: string, type: string): ConversionTask {
  const outputFolder = join(folder, `made-${name}`);
  mkdirSync(outputFolder);
  const sourcePath = join(folder, name);
  return { type, sourcePath, sourceSize: 1 << 30, sourceName: name, outputFolder, setId: 'set', options: {} };
}

async function readGenome(folder: string): Promise<TaskGenome> {
  const start = performance.now();
  const models = await inEngine(folder, (sql) =>
    convertGeneModels(taskOf(folder, 'genes.gff3', 'gff3'), sql, silent),
  );
  print(`GFF3 read in          ${((performance.now() - start) / 1000).toFixed(1)} s`);
  const made = await convertFasta(taskOf(folder, 'reference.fa', 'fasta'), silent);
  assert.ok(made.kind === 'references');
  const sequences = (await Array.fromAsync(readReferences(made.listPath, 1000))).flat();
  return {
    name: 'genes.gff3',
    modelsPath: models[0]?.path ?? '',
    references: [{ basesPath: made.path, sequences }],
  };
}

async function convert(
  folder: string,
  genomes: readonly TaskGenome[],
): Promise<Timing & { rows: number; genes: number }> {
  const task = { ...taskOf(folder, 'in.vcf', 'vcf'), genomes };
  const [start, before] = [performance.now(), process.cpuUsage()];
  try {
    return await inEngine(folder, async (sql) => {
      const tables = await convertVcf(task, sql, silent);
      const variants = tables.find(({ table }) => table === 'variant');
      const used = process.cpuUsage(before);
      const wallS = (performance.now() - start) / 1000;
      const genes = await sql.count(`read_parquet('${variants?.path}') WHERE gene IS NOT NULL`);
      return { wallS, cpuS: (used.user + used.system) / 1e6, rows: variants?.rows ?? 0, genes };
    });
  } finally {
    rmSync(task.outputFolder, { recursive: true });
  }
}

function bcftools(folder: string): Timing | undefined {
  if (isSkipped('bcftools csq', ['bcftools', 'samtools', 'gzip', 'bash'])) return;
  assert.equal(spawnSync('samtools', ['faidx', 'reference.fa'], { cwd: folder }).status, 0);
  assert.equal(spawnSync('gzip', ['genes.gff3'], { cwd: folder }).status, 0);
  const command = 'bcftools csq -l -f reference.fa -g genes.gff3.gz -Ob -o out.bcf in.vcf';
  const start = performance.now();
  const child = spawnSync('bash', ['-c', `TIMEFORMAT='%U %S'; time ${command} 2>/dev/null`], { cwd: folder });
  assert.equal(child.status, 0, child.stderr.toString());
  const wallS = (performance.now() - start) / 1000;
  const [user = 0, system = 0] = child.stderr.toString().trim().split(' ').map(Number);
  return { wallS, cpuS: user + system };
}

function print(line: string): undefined {
  process.stdout.write(`${line}\n`);
}
