import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { type LoadResult, load } from './load.ts';
import { printed, startService } from './service.ts';

const rounds = 3;
const seconds = 4;
/** The aim: at least half of what a bare server does that reads the same row. */
const ratioMin = 0.5;

/** Measures an authenticated GET /v1/projects/{id} against a bare node:http server reading the same row, in turns. */
export async function bench(): Promise<void> {
  const service = await startService();
  const project = await service.call<{ id: string }>('POST', '/v1/projects', { name: 'Bench' });
  const bareScript = join(import.meta.dirname, 'bare-server.ts');
  const bare = spawn(process.execPath, [bareScript, join(service.folder, 'records.sqlite'), project.id], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const address = `${service.address}/v1/projects/${project.id}`;
    const bareAddress = await printed(bare, /(http:\S+)/);
    const ratios: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const ours = await load(service.process.pid, address, service.headers, seconds);
      const theirs = await load(bare.pid, bareAddress, {}, seconds);
      const ratio = ours.requestsPerSecond / theirs.requestsPerSecond;
      ratios.push(ratio);
      process.stdout.write(
        `service ${shown(ours)} · bare ${shown(theirs)} · ratio ${ratio.toFixed(2)}, ` +
          `by processor time ${(theirs.cpuMicrosecondsPerRequest / ours.cpuMicrosecondsPerRequest).toFixed(2)}\n`,
      );
    }
    const best = Math.max(...ratios);
    const worst = Math.min(...ratios);
    process.stdout.write(`ratio ${worst.toFixed(2)}–${best.toFixed(2)}, wanted ≥ ${ratioMin}\n`);
  } finally {
    bare.kill();
    await service.stop();
  }
}

function shown({ requestsPerSecond, p50, p99, cpuMicrosecondsPerRequest }: LoadResult): string {
  return `${requestsPerSecond.toFixed(0)}/s (p50 ${p50}, p99 ${p99}, ${cpuMicrosecondsPerRequest.toFixed(1)} µs of processor)`;
}
