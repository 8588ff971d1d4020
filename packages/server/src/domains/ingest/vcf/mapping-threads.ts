import { Worker } from 'node:worker_threads';
import { codeLimits } from '../threads.ts';
import type { MappedStretch, StretchSettings } from './stretch-mapper.ts';

/** What a thread is told. Numbers of files and stretches are never used twice in a process. */
export type OrderToThread =
  | { type: 'begin'; file: number; settings: StretchSettings }
  | {
      type: 'map';
      file: number;
      number: number;
      shared: SharedArrayBuffer;
      byteCount: number;
      smallGroupsLeft: number;
    }
  | { type: 'end'; file: number };

/** What a thread answers for a stretch that it took. */
export interface MappedByThread {
  number: number;
  mapped: MappedStretch;
}

/** Threads that map beside the one that reads. They stay for the next file: code that has run for a while is twice as fast. */
const threads: Worker[] = [];
const waiting = new Map<number, PromiseWithResolvers<MappedStretch>>();
/** The last one that was given. */
let lastNumber = 0;
/** A thread holds little beside its columns; with more room its garbage would lie about for longer. */
const resourceLimits = { ...codeLimits, maxYoungGenerationSizeMb: 6 };

export function nextNumber(): number {
  lastNumber += 1;
  return lastNumber;
}

/** Tells so many threads, the first ones, and starts those that there are not yet. */
export function tellThreads(count: number, order: OrderToThread): void {
  while (threads.length < count) threads.push(startThread());
  for (const thread of threads.slice(0, count)) thread.postMessage(order);
}

/** Resolves when some thread has mapped the stretch. */
export function mappedByThread(number: number): Promise<MappedStretch> {
  const answer = Promise.withResolvers<MappedStretch>();
  // Nobody may wait for it any more when the thread breaks.
  answer.promise.catch(() => undefined);
  waiting.set(number, answer);
  return answer.promise;
}

/** The stretch is mapped here. */
export function forgetAnswer(number: number): void {
  waiting.delete(number);
}

function startThread(): Worker {
  const thread = new Worker(new URL('./mapping-thread.ts', import.meta.url), { resourceLimits });
  thread.on('message', ({ number, mapped }: MappedByThread) => {
    waiting.get(number)?.resolve(mapped);
    waiting.delete(number);
  });
  thread.once('error', (error) => {
    threads.splice(threads.indexOf(thread), 1);
    for (const answer of waiting.values()) answer.reject(error);
    waiting.clear();
  });
  // A process ends without waiting for it. Listening to messages would hold it, so this comes last.
  thread.unref();
  return thread;
}
