import { Worker } from 'node:worker_threads';

/**
 * V8 puts 512 MB aside for the code of a thread, unless it is told otherwise. They count as memory that was asked for (RLIMIT_DATA of a
 * worker process), and V8 ends the process when it gets none.
 */
const codeRangeSizeMb = 32;

/** Those that wait for the next conversion, with their room for young objects: code that has run for a while is twice as fast. */
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
  // Whoever has it hears of it, too; one that breaks while it waits is only not there any more.
  thread.on('error', () => idle.delete(thread));
  thread.on('exit', () => idle.delete(thread));
  return thread;
}
