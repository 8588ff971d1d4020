/**
 * VCF → Parquet, against `bcftools` printing what the rows are made from. `query` prints the fields unchanged; `+split-vep` also takes
 * the annotations apart, as the conversion does (which moreover chooses a transcript per gene, trims, sorts and compresses).
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { convertVcf } from '../packages/converters/src/vcf/convert.ts';
import { DuckdbSql } from '../packages/engine/src/duckdb.ts';
import { vcfBenchFile } from './inputs.ts';
import { isSkipped } from './programs.ts';

const records = 200_000;
const rounds = 5;
const engine = { memoryMaxBytes: 1 << 30, threads: 2, temporaryMaxBytes: 8 * 2 ** 30 };

/** The INFO keys that rows of `variant` are made from. */
export const infoKeys = [
  'gnomADg_AF',
  'gnomADg_AFR_AF',
  'gnomADg_EAS_AF',
  'gnomADg_NFE_AF',
  'gnomADe_AF',
  'AF_EXAC',
  'AF_ESP',
  'AF_TGP',
  'ALLELEID',
  'CLNDN',
  'CLNREVSTAT',
  'CLNSIG',
  'RS',
];
const fields = ['%CHROM', '%POS', '%ID', '%REF', '%ALT', ...infoKeys.map((key) => `%INFO/${key}`)];
const annotation = [
  'Gene_Name',
  'Consequence',
  'Annotation_Impact',
  'Feature_ID',
  'Transcript_BioType',
  'HGVS.p',
];
const carriersOnly = ['-i', 'GT="alt"'];

/** Best of the rounds and the spread, in milliseconds. */
interface Timing {
  best: number;
  worst: number;
}

/** Runs the benchmark and prints it; a wrong number of rows fails. */
export async function bench(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'ploidy-bench-vcf-'));
  try {
    for (const samples of [1, 10]) {
      for (const gzip of [false, true]) await benchFile(samples, gzip, folder);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  print(`peak resident memory ${Math.round(process.resourceUsage().maxRSS / 1024)} MiB`);
}

async function benchFile(samples: number, gzip: boolean, folder: string): Promise<void> {
  const { path, expectedRows } = await vcfBenchFile({ records, samples, gzip });
  const ours = await timed(() => convert(path, expectedRows, folder));
  print(
    `${records} records × ${samples} samples${gzip ? ', gz' : ''} → ${expectedRows} rows: ${shown(ours)}`,
  );
  const query = [...fields, '%INFO/ANN', '%SAMPLE', '%GT'].join('\t');
  const peers: [name: string, args: string[]][] = [
    ['query', ['query', ...carriersOnly, '-f', `[${query}\n]`, path]],
  ];
  if (!gzip) {
    const described = join(folder, 'described.vcf');
    await describeAnnotation(path, described);
    const split = [...fields, ...annotation.map((name) => `%${name}`)].join('\t');
    peers.push([
      '+split-vep',
      ['+split-vep', '-a', 'ANN', '-d', ...carriersOnly, '-f', `${split}[\t%SAMPLE=%GT]\n`, described],
    ]);
  }
  for (const [name, args] of peers) {
    if (isSkipped(`  bcftools ${name}`, ['bcftools'])) continue;
    const peer = await timed(async () => {
      const { status, stderr } = spawnSync('bcftools', args, { stdio: ['ignore', 'ignore', 'pipe'] });
      assert.equal(status, 0, stderr.toString());
    });
    print(`  bcftools ${name}: ${shown(peer)}, ratio ${(peer.best / ours.best).toFixed(2)}`);
  }
}

async function convert(sourcePath: string, expectedRows: number, folder: string): Promise<void> {
  const outputFolder = await mkdtemp(join(folder, 'out-'));
  const sql = await DuckdbSql.open({ ...engine, temporaryFolder: join(outputFolder, 'spill') });
  try {
    const { size } = await stat(sourcePath);
    const task = {
      type: 'vcf',
      sourcePath,
      sourceSize: size,
      sourceName: 'bench.vcf',
      outputFolder,
      setId: 'bench',
      options: {},
    } as const;
    const [variant] = await convertVcf(task, sql, { progress: () => {}, warn: () => {}, account: () => {} });
    assert.equal(variant?.rows, expectedRows);
  } finally {
    sql.close();
    await rm(outputFolder, { recursive: true, force: true });
  }
}

/** Renames the annotation: the plugin reads SnpEff's only under VEP's names, and after the word `Format:`. */
async function describeAnnotation(from: string, to: string): Promise<void> {
  let isDone = false;
  const rewrite = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (isDone) return done(null, chunk);
      isDone = true;
      const text = chunk
        .toString('latin1')
        .replace(
          /annotations: '(Allele[^']*)'/,
          (_match, names: string) =>
            `annotations: Format: ${names.replaceAll(' | ', '|').replace('|Annotation|', '|Consequence|')}`,
        );
      done(null, Buffer.from(text, 'latin1'));
    },
  });
  await pipeline(createReadStream(from, { highWaterMark: 1 << 20 }), rewrite, createWriteStream(to));
}

async function timed(work: () => Promise<void>): Promise<Timing> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const start = performance.now();
    await work();
    times.push(performance.now() - start);
  }
  return { best: Math.min(...times), worst: Math.max(...times) };
}

function shown({ best, worst }: Timing): string {
  return `${Math.round(best)} ms (worst ${Math.round(worst)})`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
