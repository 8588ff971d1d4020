import { writeFileSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import type { Order, Report, WorkerStart } from '../messages.ts';
import { failureOf } from './failure.ts';

/** Does one task; reports progress through `report`. */
export type TaskHandler = (task: unknown, report: (progress: unknown) => void) => Promise<unknown>;

const reportIntervalMs = 100;

/**
 * Life of a worker process: it opens, sends `ready`, runs the tasks of the channel, and dies with the service. The engine works
 * on threads of its own, so that this thread always notices the end of the channel.
 */
export async function serve(open: (start: WorkerStart) => Promise<TaskHandler>): Promise<void> {
  // Not `process.exit`: that would wait for the engine's threads.
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  // Only the service may read the files of this process.
  process.umask(0o077);
  preferToBeKilled();
  const start: WorkerStart = JSON.parse(process.argv[2] ?? '{}');
  const handler = await open(start);
  process.on('message', (order: Order) => {
    if (order.type === 'ping') send({ type: 'pong' });
    else void work(handler, order.task);
  });
  if (process.platform !== 'linux') {
    setInterval(() => send({ type: 'resident', bytes: process.memoryUsage.rss() }), reportIntervalMs).unref();
  }
  send({ type: 'ready' });
  // It is going to be killed, not to exit.
  flushCompileCache();
}

async function work(handler: TaskHandler, task: unknown): Promise<void> {
  send({ type: 'begun' });
  let reportedAt = 0;
  const report = (progress: unknown): void => {
    const now = performance.now();
    if (now - reportedAt < reportIntervalMs) return;
    reportedAt = now;
    send({ type: 'progress', progress });
  };
  try {
    send({ type: 'done', outcome: await handler(task, report) });
  } catch (error) {
    send({ type: 'failed', failure: failureOf(error) });
  }
}

function send(report: Report): void {
  // A closed channel means that the service is gone, and this process with it.
  process.send?.(report, () => undefined);
}

/** When the machine runs out of memory, the kernel shall take a worker and not the service. */
function preferToBeKilled(): void {
  if (process.platform !== 'linux') return;
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch (error) {
    // A sandbox may have /proc read-only: then the kernel chooses by size alone.
    if (!(error instanceof Error && 'code' in error)) throw error;
  }
}
