import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { InputError } from '@ploidy/formats';

/** Maximum threads: further ones would mostly wait for the one that distributes tasks, and each has a heap of its own. */
const threadsMax = 4;
/** Tasks of a thread at once: the current one and the next, so that it need not wait for the calling thread. */
const tasksPerWorker = 2;

/** Tasks after which threads end with their conversion: what they keep is wanted by its next step, and starting costs less. */
const keptTasksMax = 16;

/** Handles a task. `moved`: memory of the outcome to transfer to the calling thread. */
export type Work<Task> = (task: Task) => { outcome: unknown; moved: ArrayBuffer[] };

/** Address of a function that creates the `Work` of a thread: an exported function of a module, and its argument. */
export interface WorkAddress {
  module: string;
  name: string;
  known: unknown;
  /** Young generation of each thread. */
  youngMaxMegabytes: number;
}

/** Task for a thread. `moved`: memory that is transferred to the thread. */
export interface Given<Task> {
  task: Task;
  moved: ArrayBuffer[];
}

/** Message to a thread. */
export type Order =
  | { kind: 'open'; address: WorkAddress }
  | { kind: 'task'; number: number; task: unknown }
  | { kind: 'close' };

/** Error in transfer between threads. */
export interface Failure {
  message: string;
  line?: number | undefined;
  column?: number | undefined;
  /** Set if the source is at fault. */
  isInput: boolean;
}

/** Message from a thread. */
export type Answer = { number: number } & ({ outcome: unknown } | { failure: Failure });

interface WorkerSlot {
  thread: Worker;
  taskCount: number;
  /** Unsubscribes from the thread. */
  unsubscribe(): void;
}

interface Waiting {
  number: number;
  given: Given<unknown>;
  resolve(outcome: unknown): void;
  reject(error: unknown): void;
}

/**
 * Threads for the tasks of one conversion. Until they are started the calling thread runs the tasks itself, so that small files
 * need no threads.
 */
export class Threads<Task> {
  readonly #address: WorkAddress;
  readonly #work: Work<Task>;
  readonly #count: number;
  readonly #slots: WorkerSlot[] = [];
  #queue: Waiting[] = [];
  readonly #running = new Map<number, Waiting>();
  #numbers = 0;
  #failure: unknown;

  /** `work`: runs tasks on the calling thread. */
  constructor(address: WorkAddress, work: Work<Task>, count: number) {
    this.#address = address;
    this.#work = work;
    this.#count = Math.min(count, threadsMax);
  }

  /** Begins to use threads, if there are several. */
  start(): void {
    if (this.#slots.length > 0 || this.#count < 2) return;
    for (let slot = 0; slot < this.#count; slot += 1) this.#slots.push(this.#acquireSlot());
  }

  /** Runs a task. */
  run<Outcome>(given: Given<Task>): Promise<Outcome> {
    if (this.#slots.length === 0) return this.#doHere(given.task) as Promise<Outcome>;
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) return reject(this.#failure);
      this.#numbers += 1;
      this.#queue.push({
        number: this.#numbers,
        given,
        resolve: resolve as (outcome: unknown) => void,
        reject,
      });
      this.#assign();
    });
  }

  /**
   * Runs tasks as they arrive, several at once, and yields their outcomes in order. A failure, also of the tasks' source,
   * counts once all earlier outcomes were yielded.
   */
  async *inOrder<Outcome>(
    tasks: Iterable<Given<Task>> | AsyncIterable<Given<Task>>,
  ): AsyncGenerator<Outcome> {
    const source = Symbol.asyncIterator in tasks ? tasks[Symbol.asyncIterator]() : tasks[Symbol.iterator]();
    const waiting: Promise<Outcome>[] = [];
    let failure: { error: unknown } | undefined;
    try {
      for (;;) {
        const next = await step(source).catch((error: unknown) => {
          failure = { error };
        });
        if (!next || next.done) break;
        waiting.push(settledLater(this.run<Outcome>(next.value)));
        if (waiting.length >= this.#wanted) yield await (waiting.shift() as Promise<Outcome>);
      }
      for (const outcome of waiting) yield await outcome;
      if (failure) throw failure.error;
    } finally {
      await source.return?.();
    }
  }

  /** Releases the threads: idle ones of a short conversion wait for the next, the others are ended. */
  async close(): Promise<void> {
    const isIdle = this.#running.size === 0 && this.#queue.length === 0 && this.#failure === undefined;
    const isKept = isIdle && this.#numbers <= keptTasksMax;
    this.#fail(new Error('The conversion has ended'));
    for (const { thread, unsubscribe } of this.#slots) {
      unsubscribe();
      if (isKept) {
        thread.postMessage({ kind: 'close' } satisfies Order);
        giveBackThread(thread);
      } else await thread.terminate();
    }
  }

  /** Tasks in progress that keep every thread busy. */
  get #wanted(): number {
    return Math.max(1, this.#slots.length * tasksPerWorker);
  }

  async #doHere(task: Task): Promise<unknown> {
    // Other work of the process runs between two tasks.
    await new Promise(setImmediate);
    return this.#work(task).outcome;
  }

  #acquireSlot(): WorkerSlot {
    const thread = takeThread(this.#address.youngMaxMegabytes);
    const answered = (answer: Answer): void => {
      slot.taskCount -= 1;
      this.#answered(answer);
      this.#assign();
    };
    const broken = (error: unknown): void => this.#fail(error);
    const ended = (): void => this.#fail(new Error('A thread of the conversion ended without a word.'));
    thread.on('message', answered).on('error', broken).on('exit', ended);
    const unsubscribe = (): void => {
      thread.off('message', answered).off('error', broken).off('exit', ended);
    };
    const slot: WorkerSlot = { thread, taskCount: 0, unsubscribe };
    thread.postMessage({ kind: 'open', address: this.#address } satisfies Order);
    return slot;
  }

  #assign(): void {
    for (;;) {
      const [slot] = this.#slots.toSorted((left, right) => left.taskCount - right.taskCount);
      if (!slot || slot.taskCount === tasksPerWorker) return;
      const next = this.#queue.shift();
      if (!next) return;
      slot.taskCount += 1;
      this.#running.set(next.number, next);
      const { task, moved } = next.given;
      slot.thread.postMessage({ kind: 'task', number: next.number, task } satisfies Order, moved);
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

async function step<T>(source: Iterator<T> | AsyncIterator<T>): Promise<IteratorResult<T>> {
  return source.next();
}

/** Marks a rejection as handled: the promise is awaited later. */
export function settledLater<T>(outcome: Promise<T>): Promise<T> {
  outcome.catch(() => undefined);
  return outcome;
}

function errorOf({ message, line, column, isInput }: Failure): Error {
  if (!isInput) return new Error(message);
  return new InputError(message, {
    ...(line !== undefined && { line }),
    ...(column !== undefined && { column }),
  });
}

/**
 * V8 reserves 512 MB for the code of a thread by default. These count against the limit of a worker process (RLIMIT_DATA), and V8 ends
 * the process when the reservation fails.
 */
const codeRangeSizeMb = 32;

/** Idle threads with their young generation, kept for the next conversion: code that has run for a while is twice as fast. */
const idle = new Map<Worker, number>();

/**
 * Returns a thread that no other conversion has. `youngMaxMegabytes`: its room for young objects; with less, garbage is collected
 * more often, and each time costs nearly the same. Those that wait with another are of other work: they end, because their memory is wanted now.
 */
function takeThread(youngMaxMegabytes: number): Worker {
  for (const [thread, megabytes] of idle) {
    idle.delete(thread);
    thread.ref();
    if (megabytes === youngMaxMegabytes) return thread;
    void thread.terminate();
  }
  return startThread(youngMaxMegabytes);
}

/** Takes back an idle thread without listeners. The process does not stay for its sake. */
function giveBackThread(thread: Worker): void {
  thread.unref();
  idle.set(thread, thread.resourceLimits?.maxYoungGenerationSizeMb ?? 0);
}

function startThread(youngMaxMegabytes: number): Worker {
  // The heap that a process begins with is for small files, which have no threads: in each of these it would fill with garbage.
  setFlagsFromString('--initial-old-space-size=0');
  const resourceLimits = { codeRangeSizeMb, maxYoungGenerationSizeMb: youngMaxMegabytes };
  const thread = new Worker(new URL('./thread.ts', import.meta.url), { resourceLimits });
  // An owner listens as well; a thread that breaks while idle is only forgotten.
  thread.on('error', () => idle.delete(thread));
  thread.on('exit', () => idle.delete(thread));
  return thread;
}
