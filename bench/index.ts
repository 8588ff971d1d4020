/** Indexing a BAM, with all that an ingestion reads of it on the way, against `samtools index`: processor time, and memory. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bamBenchFile, reads } from './bam.ts';
import { isSkipped } from './programs.ts';

const rounds = 3;

/** Runs the benchmark and prints it; wrong counts fail. */
export async function bench(): Promise<void> {
  const { path, size, aligned } = await bamBenchFile();
  const folder = await mkdtemp(join(tmpdir(), 'ploidy-bench-index-'));
  try {
    print(`${(size / 1e6).toFixed(0)} MB, ${reads} reads`);
    const ours: Run[] = [];
    const theirs: Run[] = [];
    // Taking turns, so that whatever else runs meets both.
    for (let round = 0; round < rounds; round += 1) {
      ours.push(own(path, folder, aligned));
      const peer = samtools(path, folder);
      if (peer) theirs.push(peer);
    }
    print(`ours:            ${shown(ours)}`);
    if (theirs.length === 0) return;
    print(`samtools index:  ${shown(theirs)}`);
    const best = (runs: Run[]): number => Math.min(...runs.map(({ cpuS }) => cpuS));
    print(`ratio of processor time ${(best(theirs) / best(ours)).toFixed(2)}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Run {
  cpuS: number;
  peakMb: number;
}

/** Runs in a process of its own, as in the service. */
function own(path: string, folder: string, aligned: number): Run {
  const child = spawnSync(process.execPath, [join(import.meta.dirname, 'index-once.ts'), path, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  assert.equal(child.status, 0);
  const { counts, ...run } = JSON.parse(child.stdout.toString());
  assert.deepEqual(counts, { aligned, unaligned: reads - aligned, bases: reads * 100 });
  return run;
}

function samtools(path: string, folder: string): Run | undefined {
  if (isSkipped('samtools index', ['samtools'])) return undefined;
  const command = ['-f', '%U %S %M', 'samtools', 'index', path, join(folder, 'theirs.bai')];
  const child = spawnSync('/usr/bin/time', command, { stdio: ['ignore', 'ignore', 'pipe'] });
  if (child.error) return timedByShell(path, folder);
  assert.equal(child.status, 0, child.stderr.toString());
  const [user = 0, system = 0, kilobytes = 0] = child.stderr.toString().trim().split(' ').map(Number);
  return { cpuS: user + system, peakMb: kilobytes / 1024 };
}

/** Fallback without GNU time: the shell reports processor time, but no memory. */
function timedByShell(path: string, folder: string): Run | undefined {
  const line = `TIMEFORMAT='%U %S'; time samtools index "$1" "$2"`;
  const child = spawnSync('bash', ['-c', line, 'bash', path, join(folder, 'theirs.bai')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (child.status !== 0) return undefined;
  const [user = 0, system = 0] = child.stderr.toString().trim().split(' ').map(Number);
  return { cpuS: user + system, peakMb: 0 };
}

function shown(runs: Run[]): string {
  const times = runs.map(({ cpuS }) => cpuS.toFixed(2)).sort();
  const peak = Math.max(...runs.map(({ peakMb }) => peakMb));
  const memory = peak > 0 ? `, at most ${peak.toFixed(0)} MB resident` : '';
  return `${times.join(' / ')} s of processor${memory}`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
