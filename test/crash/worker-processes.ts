import { readdirSync, readFileSync } from 'node:fs';
import type { MortalService } from './mortal-service.ts';

export type WorkerKind = 'query' | 'answer' | 'conversion' | 'rewrite' | 'guard';

/** Kills the processes of one kind that work for the service, as the kernel does when memory runs out; answers how many. */
export function killWorkers(service: MortalService, kind: WorkerKind): number {
  const pids = workersOf(service, kind);
  for (const pid of pids) signal(pid, 'SIGKILL');
  return pids.length;
}

/** Processes of one kind that work for the service. */
export function workersOf(service: MortalService, kind: WorkerKind): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && isWorker(service, name, kind));
  return pids.map(Number);
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

/** Sends a signal to a process, unless it has ended by itself. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
