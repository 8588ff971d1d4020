import { readdirSync, readFileSync } from 'node:fs';
import type { MortalService } from './mortal-service.ts';

/** Kills the processes of one kind that work for the service, as the kernel does when memory runs out; answers how many. */
export function killWorkers(service: MortalService, kind: 'query' | 'conversion' | 'rewrite'): number {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && isWorker(service, name, kind));
  for (const pid of pids) kill(Number(pid));
  return pids.length;
}

function isWorker(service: MortalService, pid: string, kind: string): boolean {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    if (!status.includes(`\nPPid:\t${service.server.process.pid}\n`)) return false;
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(`workers/${kind}.ts`);
  } catch (error) {
    // It ended between the list and the look.
    if (error instanceof Error && 'code' in error) return false;
    throw error;
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    // It ended by itself.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
