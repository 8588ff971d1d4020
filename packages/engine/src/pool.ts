import { FairTurns } from './fair-turns.ts';
import { NeverBegun, type WorkerProcess } from './worker-process.ts';

const attemptsMax = 3;
/** Between a process that did not start and the next attempt. */
const restartMs = 1000;
/**
 * Delay before a spare process starts. Creating one blocks the service for milliseconds, and its start uses a core for a tenth
 * of a second: by then the caller has its result.
 */
const refillMs = 100;
/** Time that a large process waits for a task. */
const warmMs = 30_000;
/** Time that a process waits which is one too many: the next of many small tasks begins sooner. */
const lingerMs = 5000;

interface PoolLimits {
  /** Processes that wait ready. */
  idleWorkers: number;
  /** Processes that work at the same time. */
  concurrentMax: number;
  /** A process is thrown away after this many tasks: 1 where a task could leave something behind for the next. */
  tasksMax: number;
  /** Bytes of resident memory above which a process is not kept for another task. */
  keptMaxBytes: number;
  /** Bytes of resident memory above which a process is kept for soon tasks only: its code has run and is fast, but it holds memory. */
  restingMaxBytes: number;
}

interface Taker extends PromiseWithResolvers<WorkerProcess> {
  /** Set if the caller waits for a process that was started for another purpose. */
  hasJoined: boolean;
}

const closedError = (): Error => new Error('the engine is closed');

/** Worker processes that are started before they are needed. */
export class WorkerPool {
  readonly #start: () => Promise<WorkerProcess>;
  readonly #limits: PoolLimits;
  readonly #idle = new Set<WorkerProcess>();
  readonly #working = new Set<WorkerProcess>();
  readonly #endings = new Set<Promise<unknown>>();
  readonly #turns: FairTurns;
  /** Callers that have a turn and wait for a starting process. */
  readonly #takers: Taker[] = [];
  #starting = 0;
  #refilling: NodeJS.Timeout | undefined;
  #proof: Promise<void> | undefined;
  #free: number;
  #closed = false;

  constructor(start: () => Promise<WorkerProcess>, limits: PoolLimits) {
    this.#start = start;
    this.#limits = limits;
    this.#free = limits.concurrentMax;
    this.#turns = new FairTurns(limits.concurrentMax);
  }

  /** Starts the processes that wait. Rejects when one does not start. */
  async open(): Promise<void> {
    await Promise.all(Array.from({ length: this.#limits.idleWorkers }, () => this.#addOne()));
  }

  /**
   * Lends a process to `task`, after waiting for a turn; callers take turns. After a failure `cleanUp` runs when the process is gone for good,
   * and then the promise rejects; but an abort rejects at once.
   */
  async use<T>(
    signal: AbortSignal,
    task: (worker: WorkerProcess) => Promise<T>,
    cleanUp: () => Promise<void>,
    caller?: string,
  ): Promise<T> {
    await this.#turn(signal, caller).catch((error: unknown) => {
      // There is no process that could leave something, but what was made ready for one goes as well.
      void this.#remember(cleanUp());
      throw error;
    });
    const workers: WorkerProcess[] = [];
    let succeeded = false;
    try {
      for (;;) {
        const worker = await this.#takeUnlessAborted(signal);
        workers.push(worker);
        this.#working.add(worker);
        try {
          const outcome = await task(worker);
          succeeded = true;
          return outcome;
        } catch (error) {
          if (!(error instanceof NeverBegun) || workers.length === attemptsMax) throw error;
        }
      }
    } finally {
      const ending = this.#remember(this.#end(workers, succeeded ? undefined : cleanUp));
      if (!succeeded && !signal.aborted) await ending;
    }
  }

  /** Rejects when no process answers and no new one can be started. */
  async ping(): Promise<void> {
    for (const worker of [...this.#idle, ...this.#working]) {
      if (await worker.ping()) return;
    }
    // Several that ask at once wait for one process.
    this.#proof ??= this.#addOne().finally(() => {
      this.#proof = undefined;
    });
    await this.#proof;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#refilling);
    await Promise.all([...this.#idle, ...this.#working].map((worker) => worker.stop()));
    await Promise.all(this.#endings);
  }

  async #turn(signal: AbortSignal, caller: string | undefined): Promise<void> {
    await this.#turns.take(caller, signal);
    this.#free -= 1;
  }

  /** Takes a process; one that is ready only after the abort waits for the next task. */
  async #takeUnlessAborted(signal: AbortSignal): Promise<WorkerProcess> {
    const { promise, resolve, reject } = Promise.withResolvers<WorkerProcess>();
    const abort = (): void => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    this.#take().then((worker) => {
      if (!signal.aborted) return resolve(worker);
      void this.#hand(worker);
      // The abort may precede the listener.
      abort();
    }, reject);
    return await promise.finally(() => signal.removeEventListener('abort', abort));
  }

  async #take(): Promise<WorkerProcess> {
    if (this.#closed) throw closedError();
    const [ready] = this.#idle;
    if (ready !== undefined) {
      this.#idle.delete(ready);
      // While another waits, one that starts would only take a core from the task at hand.
      if (this.#idle.size === 0) this.#refillLater();
      return ready;
    }
    // A process that already starts serves the caller as well as a new one.
    const hasJoined = this.#takers.length < this.#starting;
    const taker = { ...Promise.withResolvers<WorkerProcess>(), hasJoined };
    this.#takers.push(taker);
    if (!hasJoined) this.#startFor();
    return await taker.promise;
  }

  /** The next turn begins when the memory of this process is free again. */
  async #end(workers: WorkerProcess[], cleanUp: (() => Promise<void>) | undefined): Promise<void> {
    try {
      for (const worker of workers) {
        this.#working.delete(worker);
        if (cleanUp === undefined && (await this.#mayStay(worker))) await this.#hand(worker);
        else await worker.stop();
      }
      await cleanUp?.();
    } finally {
      this.#free += 1;
      this.#turns.give();
      this.#refill();
    }
  }

  async #mayStay(worker: WorkerProcess): Promise<boolean> {
    const { tasksMax, keptMaxBytes } = this.#limits;
    return (
      !worker.hasLowPriority && worker.tasksDone < tasksMax && (await worker.residentBytes()) <= keptMaxBytes
    );
  }

  /**
   * Returns whether fewer processes wait than could be put to work. While all turns are taken, one waits where processes do one
   * task each: the next turn begins without one.
   */
  #isShort(): boolean {
    const { idleWorkers, tasksMax } = this.#limits;
    const wanted = Math.min(idleWorkers, tasksMax === 1 ? Math.max(this.#free, 1) : this.#free);
    return !this.#closed && this.#idle.size + this.#starting - this.#takers.length < wanted;
  }

  /** Starts what is missing, one after the other. */
  #refill(): void {
    clearTimeout(this.#refilling);
    this.#refilling = undefined;
    if (!this.#isShort()) return;
    // A failed start is no caller's error: a waiting caller gets a process of its own.
    this.#addOne().then(
      () => this.#refillLater(),
      () => undefined,
    );
  }

  #refillLater(afterMs = refillMs): void {
    if (!this.#isShort()) return;
    this.#refilling ??= setTimeout(() => this.#refill(), afterMs).unref();
  }

  /** Starts a process; the caller that waits for it gets its error. */
  #startFor(): void {
    this.#addOne().catch(() => undefined);
  }

  async #addOne(): Promise<void> {
    this.#starting += 1;
    const starting = this.#start().finally(() => {
      this.#starting -= 1;
    });
    const refuse = (error: unknown): never => {
      this.#refuse(error);
      // Also one that was started for a caller: another process may have served that caller since.
      this.#refillLater(restartMs);
      throw error;
    };
    await this.#remember(starting.then((worker) => this.#hand(worker), refuse));
  }

  /** Reports a failed start to the caller that has waited longest. A caller that waited for another start gets a process of its own. */
  #refuse(error: unknown): void {
    const taker = this.#takers.shift();
    if (!taker?.hasJoined || this.#closed) {
      taker?.reject(error);
      return;
    }
    taker.hasJoined = false;
    this.#takers.unshift(taker);
    this.#startFor();
  }

  /** Gives a process to the caller that has waited longest, or keeps it as a spare. */
  async #hand(worker: WorkerProcess): Promise<void> {
    const taker = this.#takers.shift();
    if (taker && !this.#closed) return taker.resolve(worker);
    taker?.reject(closedError());
    await this.#keepIdle(worker);
  }

  /** Work that `close` waits for. */
  #remember(ending: Promise<void>): Promise<void> {
    const settled = Promise.allSettled([ending]);
    this.#endings.add(settled);
    void settled.then(() => this.#endings.delete(settled));
    return ending;
  }

  async #keepIdle(worker: WorkerProcess): Promise<void> {
    const { tasksDone } = worker;
    const { idleWorkers } = this.#limits;
    const isSurplus = this.#idle.size >= idleWorkers;
    if (this.#closed || (isSurplus && (tasksDone === 0 || idleWorkers === 0))) {
      await worker.stop();
      return;
    }
    this.#idle.add(worker);
    void worker.exited.then(() => this.#dismiss(worker));
    if (tasksDone === 0) return;
    setTimeout(() => void this.#endLarge(worker, tasksDone), warmMs).unref();
    if (isSurplus) setTimeout(() => this.#endSurplus(worker, tasksDone), lingerMs).unref();
  }

  /** Ends a process that still waits since that task, beside as many as shall wait. */
  #endSurplus(worker: WorkerProcess, tasksDone: number): void {
    if (worker.tasksDone === tasksDone && this.#idle.size > this.#limits.idleWorkers) this.#dismiss(worker);
  }

  /** Ends a process that still waits since that task and holds more memory than one that waits shall. */
  async #endLarge(worker: WorkerProcess, tasksDone: number): Promise<void> {
    if ((await worker.residentBytes()) <= this.#limits.restingMaxBytes) return;
    if (worker.tasksDone === tasksDone) this.#dismiss(worker);
  }

  /** Ends an idle process; another takes its place. */
  #dismiss(worker: WorkerProcess): void {
    if (!this.#idle.delete(worker)) return;
    void this.#remember(worker.stop());
    this.#refill();
  }
}
