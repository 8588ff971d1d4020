import { execFileSync } from 'node:child_process';
import { ingestEndToEnd } from './end-to-end.ts';
import { vcfBenchFile } from './inputs.ts';
import { infoKeys } from './vcf.ts';

const records = 200_000;
/** The first ones are slower, because the compiler has seen nothing yet. */
const rounds = 8;
const memoryMaxBytes = 600e6;

/** The columns that rows of `variant` are made from. */
const fields = [
  '%CHROM',
  '%POS',
  '%ID',
  '%REF',
  '%ALT',
  ...infoKeys.map((key) => `%INFO/${key}`),
  '%INFO/ANN',
];
const format = `[${[...fields, '%SAMPLE', '%GT'].join('\t')}\n]`;

/**
 * Time from POST /v1/ingestions to `succeeded`, beside `bcftools query` printing the same columns of the same file, in turns.
 */
export async function bench(): Promise<void> {
  for (const samples of [1, 10]) {
    const file = await vcfBenchFile({ records, samples, gzip: true });
    const peer: number[] = [];
    const name = `${records}x${samples}.vcf.gz`;
    const expectedVariants = file.expectedRows;
    const ours = await ingestEndToEnd({ name, path: file.path, expectedVariants }, rounds, async () => {
      const from = performance.now();
      execFileSync('bcftools', ['query', '-i', 'GT="alt"', '-f', format, file.path], {
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      peer.push(performance.now() - from);
    });
    const best = [Math.min(...ours.times), Math.min(...peer)] as const;
    process.stdout.write(
      `${name} → ${expectedVariants} variants: best ${best[0].toFixed(0)} ms (${shown(ours.times)}) · ` +
        `bcftools query best ${best[1].toFixed(0)} ms (${shown(peer)}) · ratio ${(best[1] / best[0]).toFixed(2)}, wanted ≥ 1 · ` +
        `memory of all processes ${(ours.peakBytes / 1e6).toFixed(0)} MB, wanted < ${memoryMaxBytes / 1e6}\n`,
    );
  }
}

function shown(times: number[]): string {
  return `${Math.min(...times).toFixed(0)}–${Math.max(...times).toFixed(0)}`;
}
