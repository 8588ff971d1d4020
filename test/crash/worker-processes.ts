import { workersOf } from '../../packages/server/src/platform/engine/engine.fixture.ts';
import type { MortalService } from './mortal-service.ts';

/** Kills the processes of one kind that work for the service, as the kernel does when memory runs out; answers how many. */
export function killWorkers(service: MortalService, kind: 'query' | 'conversion' | 'rewrite'): number {
  const pids = workersOf(service.server.process.pid ?? 0, kind);
  for (const pid of pids) kill(pid);
  return pids.length;
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    // It ended by itself.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
