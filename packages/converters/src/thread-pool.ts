import { Worker } from 'node:worker_threads';

/**
 * V8 reserves 512 MB for the code of a thread by default. These count against the limit of a worker process (RLIMIT_DATA), and V8 ends
 * the process when the reservation fails.
 */
const codeRangeSizeMb = 32;

/** Idle threads with their young generation, kept for the next conversion: code that has run for a while is twice as fast. */
const idle = new Map<Worker, number>();

/**
 * A thread that nobody else has. `youngMaxMegabytes`: its room for young objects; with less, garbage is collected more often, and each time
 * costs nearly the same. Those that wait with another are of other work: they end, because their memory is wanted now.
 */
export function takeThread(youngMaxMegabytes: number): Worker {
  for (const [thread, megabytes] of idle) {
    idle.delete(thread);
    thread.ref();
    if (megabytes === youngMaxMegabytes) return thread;
    void thread.terminate();
  }
  return startThread(youngMaxMegabytes);
}

/** Takes back a thread that has nothing to do and to which nobody listens. The process does not stay for its sake. */
export function giveBackThread(thread: Worker): void {
  thread.unref();
  idle.set(thread, thread.resourceLimits?.maxYoungGenerationSizeMb ?? 0);
}

function startThread(youngMaxMegabytes: number): Worker {
  const resourceLimits = { codeRangeSizeMb, maxYoungGenerationSizeMb: youngMaxMegabytes };
  const thread = new Worker(new URL('./thread.ts', import.meta.url), { resourceLimits });
  // An owner listens as well; a thread that breaks while idle is only forgotten.
  thread.on('error', () => idle.delete(thread));
  thread.on('exit', () => idle.delete(thread));
  return thread;
}
