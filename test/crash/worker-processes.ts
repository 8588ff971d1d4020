import { workersOf } from '../../packages/engine/src/engine.fixture.ts';
import type { MortalService } from './mortal-service.ts';

export type WorkerKind = 'query' | 'answer' | 'conversion' | 'filling' | 'rewrite' | 'guard';

/** Kills the processes of one kind that work for the service, as the kernel does when memory runs out; answers how many. */
export function killWorkers(service: MortalService, kind: WorkerKind): number {
  const pids = workersOf(service.server.process.pid ?? 0, kind);
  for (const pid of pids) signal(pid, 'SIGKILL');
  return pids.length;
}

/** Sends a signal to a process, unless it has ended by itself. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
