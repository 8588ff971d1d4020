import { Worker } from 'node:worker_threads';

/**
 * V8 puts 512 MB aside for the code of a thread, unless it is told otherwise. They count as memory that was asked for (RLIMIT_DATA of a
 * worker process), and V8 ends the process when it gets none. How much room young objects have is told to the process: its
 * `--max-semi-space-size` counts in threads, too, whatever stands here.
 */
const resourceLimits = { codeRangeSizeMb: 32 };

/** Those that wait for the next conversion: code that has run for a while is twice as fast. */
const idle = new Set<Worker>();

/** A thread that nobody else has. */
export function takeThread(): Worker {
  const [thread = startThread()] = idle;
  idle.delete(thread);
  thread.ref();
  return thread;
}

/** Takes back a thread that has nothing to do and to which nobody listens. The process does not stay for its sake. */
export function giveBackThread(thread: Worker): void {
  thread.unref();
  idle.add(thread);
}

function startThread(): Worker {
  const thread = new Worker(new URL('./thread.ts', import.meta.url), { resourceLimits });
  // Whoever has it hears of it, too; one that breaks while it waits is only not there any more.
  thread.on('error', () => idle.delete(thread));
  thread.on('exit', () => idle.delete(thread));
  return thread;
}
