import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { InputError } from '@ploidy/formats';

/** For heaps that are made from then on. With the two megabytes of a worker process a sixth more of the time goes into collecting garbage. */
const youngMemory = '--max-semi-space-size=4';

/** More would mostly wait for the one that hands out, and each has a heap of its own. */
const threadsMax = 4;

/**
 * What V8 puts aside for code in each thread. It counts as memory that was asked for (RLIMIT_DATA of a worker process), and V8
 * ends the process when it gets none; of itself it asks for 512.
 */
export const codeLimits = { codeRangeSizeMb: 32 };

/** What a thread does with a task. `moved`: memory of the outcome that the thread gives away. */
export type Work<Task> = (task: Task) => { outcome: unknown; moved: ArrayBuffer[] };

/** Where `open` is, by which every thread makes its own `Work`: an exported function of a module, and what it is given. */
export interface WorkAddress {
  module: string;
  name: string;
  known: unknown;
}

/** An error on its way between threads. */
export interface Failure {
  message: string;
  line?: number | undefined;
  column?: number | undefined;
  /** Whether the source is to blame. */
  isInput: boolean;
}

/** What a thread answers. */
export type Answer = { number: number } & ({ outcome: unknown } | { failure: Failure });

interface Hand {
  worker: Worker;
  isBusy: boolean;
}

interface Waiting {
  number: number;
  task: unknown;
  moved: ArrayBuffer[];
  resolve(outcome: unknown): void;
  reject(error: unknown): void;
}

/** Threads that do the tasks of one conversion. Until they are started the calling thread does them itself, so that small files do not pay for threads. */
export class Threads<Task> {
  readonly #address: WorkAddress;
  readonly #work: Work<Task>;
  readonly #count: number;
  readonly #hands: Hand[] = [];
  #queue: Waiting[] = [];
  readonly #running = new Map<number, Waiting>();
  #numbers = 0;
  #failure: unknown;

  /** `work`: what the calling thread does itself. */
  constructor(address: WorkAddress, work: Work<Task>, count: number) {
    this.#address = address;
    this.#work = work;
    this.#count = Math.min(count, threadsMax);
  }

  /** Tasks that should be under way, so that no thread waits for the next. */
  get wanted(): number {
    return this.#hands.length === 0 ? 1 : this.#hands.length * 2;
  }

  /** Begins to use threads, if there are several. */
  start(): void {
    if (this.#hands.length > 0 || this.#count < 2) return;
    setFlagsFromString(youngMemory);
    for (let hand = 0; hand < this.#count; hand += 1) this.#hands.push(this.#startHand());
  }

  /** Does a task. `moved`: memory of it that belongs to the thread then. */
  run<Outcome>(task: Task, moved: ArrayBuffer[] = []): Promise<Outcome> {
    if (this.#hands.length === 0) return this.#doHere(task) as Promise<Outcome>;
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) return reject(this.#failure);
      this.#numbers += 1;
      this.#queue.push({
        number: this.#numbers,
        task,
        moved,
        resolve: resolve as (outcome: unknown) => void,
        reject,
      });
      this.#assign();
    });
  }

  /** Ends the threads, whatever they do. */
  async close(): Promise<void> {
    this.#fail(new Error('The conversion has ended'));
    await Promise.all(this.#hands.map(({ worker }) => worker.terminate()));
  }

  async #doHere(task: Task): Promise<unknown> {
    // Between two tasks other work of the process gets its turn.
    await new Promise(setImmediate);
    return this.#work(task).outcome;
  }

  #startHand(): Hand {
    const worker = new Worker(new URL('./thread.ts', import.meta.url), {
      workerData: this.#address,
      resourceLimits: codeLimits,
    });
    const hand: Hand = { worker, isBusy: false };
    worker.on('message', (answer: Answer) => {
      hand.isBusy = false;
      this.#answered(answer);
      this.#assign();
    });
    worker.on('error', (error) => this.#fail(error));
    worker.on('exit', () => this.#fail(new Error('A thread of the conversion ended without a word.')));
    return hand;
  }

  #assign(): void {
    for (const hand of this.#hands) {
      const next = hand.isBusy ? undefined : this.#queue.shift();
      if (!next) continue;
      hand.isBusy = true;
      this.#running.set(next.number, next);
      hand.worker.postMessage({ number: next.number, task: next.task }, next.moved);
    }
  }

  #answered(answer: Answer): void {
    const task = this.#running.get(answer.number);
    this.#running.delete(answer.number);
    if ('outcome' in answer) task?.resolve(answer.outcome);
    else task?.reject(errorOf(answer.failure));
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
    const lost = [...this.#running.values(), ...this.#queue];
    this.#running.clear();
    this.#queue = [];
    for (const { reject } of lost) reject(this.#failure);
  }
}

function errorOf({ message, line, column, isInput }: Failure): Error {
  if (!isInput) return new Error(message);
  return new InputError(message, {
    ...(line !== undefined && { line }),
    ...(column !== undefined && { column }),
  });
}
