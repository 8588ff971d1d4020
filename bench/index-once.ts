/** One conversion of a BAM, for bench/index.ts: prints processor time without that of the start, memory and counts. */
import { mkdtemp, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { convertBam } from '../packages/converters/src/bam/convert.ts';

const [sourcePath = '', folder = ''] = process.argv.slice(2);
const { size } = await stat(sourcePath);
const begun = cpuSeconds();
const made = await convertBam(
  {
    type: 'bam',
    sourcePath,
    sourceSize: size,
    sourceName: 'bench.bam',
    outputFolder: await mkdtemp(join(folder, 'out-')),
    setId: 'bench',
    options: {},
  },
  { progress: () => undefined, warn: () => undefined, account: () => undefined },
);
const { maxRSS } = process.resourceUsage();
const counts = made.kind === 'reads' ? made.summary.counts : undefined;
process.stdout.write(
  JSON.stringify({ cpuS: cpuSeconds() - begun, startS: begun, peakMb: maxRSS / 1024, counts }),
);

function cpuSeconds(): number {
  const { userCPUTime, systemCPUTime } = process.resourceUsage();
  return (userCPUTime + systemCPUTime) / 1e6;
}
