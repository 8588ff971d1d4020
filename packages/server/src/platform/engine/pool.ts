import type { WorkerProcess } from './worker-process.ts';

export interface PoolLimits {
  /** Processes that wait ready. */
  idleWorkers: number;
  /** Processes that work at the same time. */
  concurrentMax: number;
}

/** Worker processes that are started before they are needed; each does one task and is thrown away. */
export class WorkerPool {
  readonly #start: () => Promise<WorkerProcess>;
  readonly #limits: PoolLimits;
  readonly #idle = new Set<WorkerProcess>();
  readonly #working = new Set<WorkerProcess>();
  readonly #endings = new Set<Promise<unknown>>();
  readonly #waiting: (() => void)[] = [];
  #starting = 0;
  #free: number;
  #closed = false;

  constructor(start: () => Promise<WorkerProcess>, limits: PoolLimits) {
    this.#start = start;
    this.#limits = limits;
    this.#free = limits.concurrentMax;
  }

  /** Starts the processes that wait. Rejects when one does not start. */
  async open(): Promise<void> {
    await Promise.all(Array.from({ length: this.#limits.idleWorkers }, () => this.#addIdle()));
  }

  /**
   * Lends a process to `task`, after waiting for a turn. After a failure `cleanUp` runs when the process is gone for good,
   * and then the promise rejects; but an abort rejects at once.
   */
  async use<T>(
    signal: AbortSignal,
    task: (worker: WorkerProcess) => Promise<T>,
    cleanUp: () => Promise<void>,
  ): Promise<T> {
    await this.#turn(signal);
    let worker: WorkerProcess | undefined;
    let succeeded = false;
    try {
      worker = await this.#takeUnlessAborted(signal);
      this.#working.add(worker);
      const outcome = await task(worker);
      succeeded = true;
      return outcome;
    } finally {
      const ending = this.#remember(this.#end(worker, succeeded ? undefined : cleanUp));
      if (!succeeded && !signal.aborted) await ending;
    }
  }

  /** Rejects when no process answers. */
  async ping(): Promise<void> {
    const [worker] = [...this.#idle, ...this.#working];
    if (worker) await worker.ping();
    else await this.#addIdle();
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#idle, ...this.#working].map((worker) => worker.stop()));
    await Promise.all(this.#endings);
  }

  async #turn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const abort = (): void => {
      const place = this.#waiting.indexOf(resolve);
      if (place >= 0) this.#waiting.splice(place, 1);
      reject(signal.reason);
    };
    this.#waiting.push(resolve);
    signal.addEventListener('abort', abort, { once: true });
    await promise.finally(() => signal.removeEventListener('abort', abort));
  }

  /** A process that is ready only after the abort waits for the next task. */
  async #takeUnlessAborted(signal: AbortSignal): Promise<WorkerProcess> {
    const { promise, resolve, reject } = Promise.withResolvers<WorkerProcess>();
    const abort = (): void => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    this.#take().then((worker) => {
      if (signal.aborted) void this.#keepIdle(worker);
      else resolve(worker);
    }, reject);
    return await promise.finally(() => signal.removeEventListener('abort', abort));
  }

  async #take(): Promise<WorkerProcess> {
    if (this.#closed) throw new Error('the engine is closed');
    const [ready] = this.#idle;
    if (ready === undefined) return await this.#start();
    this.#idle.delete(ready);
    // One that starts takes a core from the task at hand: while others wait, it can come later.
    if (this.#idle.size === 0) this.#refill();
    return ready;
  }

  /** The next turn comes when the memory of this process is free again. */
  async #end(worker: WorkerProcess | undefined, cleanUp: (() => Promise<void>) | undefined): Promise<void> {
    if (worker) {
      this.#working.delete(worker);
      await worker.stop();
    }
    await cleanUp?.();
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free += 1;
    this.#refill();
  }

  #refill(): void {
    if (this.#closed || this.#idle.size + this.#starting >= this.#limits.idleWorkers) return;
    // A process that does not start is the error of the next task, which starts its own.
    this.#addIdle().then(
      () => this.#refill(),
      () => undefined,
    );
  }

  async #addIdle(): Promise<void> {
    this.#starting += 1;
    const starting = this.#start().finally(() => {
      this.#starting -= 1;
    });
    await this.#remember(starting.then((worker) => this.#keepIdle(worker)));
  }

  /** What `close` has to wait for. */
  #remember(ending: Promise<void>): Promise<void> {
    const settled = Promise.allSettled([ending]);
    this.#endings.add(settled);
    void settled.then(() => this.#endings.delete(settled));
    return ending;
  }

  async #keepIdle(worker: WorkerProcess): Promise<void> {
    if (this.#closed || this.#idle.size >= this.#limits.idleWorkers) {
      await worker.stop();
      return;
    }
    this.#idle.add(worker);
    void worker.exited.then(() => {
      if (!this.#idle.delete(worker)) return;
      void worker.stop();
      this.#refill();
    });
  }
}
