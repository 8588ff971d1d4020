import { Worker } from 'node:worker_threads';

/**
 * V8 reserves 512 MB for the code of a thread by default. These count against the limit of a worker process (RLIMIT_DATA), and V8 ends
 * the process when the reservation fails.
 */
const codeRangeSizeMb = 32;

/** Idle threads with their young generation, kept for the next conversion: compiled code is twice as fast. */
const idle = new Map<Worker, number>();

/**
 * Returns an exclusive thread. `youngMaxMegabytes`: its room for young objects; with less, garbage is collected more often, and
 * each collection costs nearly the same. Idle threads with another room end, because their memory is needed.
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

/** Takes back an idle thread without listeners. The process does not stay alive for it. */
export function giveBackThread(thread: Worker): void {
  thread.unref();
  idle.set(thread, thread.resourceLimits?.maxYoungGenerationSizeMb ?? 0);
}

function startThread(youngMaxMegabytes: number): Worker {
  const resourceLimits = { codeRangeSizeMb, maxYoungGenerationSizeMb: youngMaxMegabytes };
  const thread = new Worker(new URL('./thread.ts', import.meta.url), { resourceLimits });
  // An owner listens as well; an idle thread that breaks is only dropped.
  thread.on('error', () => idle.delete(thread));
  thread.on('exit', () => idle.delete(thread));
  return thread;
}
