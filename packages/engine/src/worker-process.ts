import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { EngineError } from './engine.ts';
import { overOutput } from './limit-errors.ts';
import { spawnLimited, type WorkerScript } from './limited-process.ts';
import type { Order, Report, WorkerStart } from './messages.ts';
import {
  exceedsOutput,
  lowerPriority,
  processorClock,
  residentBytes,
  type WatchLimits,
  watch,
} from './watch.ts';

interface WorkerOptions {
  script: WorkerScript;
  /** The worker makes its own folder in it. */
  scratchFolder: string;
  memoryMaxBytes: number;
  threads: number;
  temporaryMaxBytes: number;
  /** Bytes of private memory that the kernel grants, if it can limit them. */
  dataMaxBytes: number;
  /** Set if spare processes of this kind are kept. */
  waits: boolean;
  /** A process at work that shows no sign of life for this long hangs, and is killed. */
  silenceMaxMs: number;
}

export interface Run {
  task: unknown;
  limits: WatchLimits;
  /** File or folder whose size is limited. */
  outputPath?: string;
  signal?: AbortSignal;
  onProgress?: (progress: unknown) => void;
}

const startMaxMs = 30_000;
/** Shortest time between two looks at the time that a process has used. */
const looksMs = 100;
const pingMaxMs = 5000;
/**
 * Maximum unanswered looks in a row, until a process counts as hung. They are counted and not timed, so that a service that
 * stalls itself blames no process.
 */
const missedPingsMax = 4;

/** The process had ended or hung before the task reached it: another may do the task. */
export class NeverBegun extends EngineError {
  constructor() {
    super('WORKER_LOST', 'The process that should have worked on it had ended. Try again.');
  }
}

/** One child process with the engine in it. It does tasks one after the other, and is thrown away when one goes wrong. */
export class WorkerProcess {
  readonly pid: number;
  /** Resolves when the process is gone, however it went. */
  readonly exited: Promise<void>;
  readonly #child: ChildProcess;
  readonly #folder: string;
  readonly #silenceMaxMs: number;
  #listener: (report: Report | 'exit') => void = () => undefined;
  /** Callers that wait for a sign of life, in order. */
  readonly #pings: ((isAlive: boolean) => void)[] = [];
  #residentBytes = 0;
  #tasksDone = 0;
  #hasLowPriority = false;
  #errors = '';
  /** Answers since the last look. */
  #isHeard = false;

  private constructor(child: ChildProcess, pid: number, folder: string, silenceMaxMs: number) {
    this.#child = child;
    this.pid = pid;
    this.#folder = folder;
    this.#silenceMaxMs = silenceMaxMs;
    child.on('message', (report: Report) => {
      this.#isHeard = true;
      if (report.type === 'resident') this.#residentBytes = report.bytes;
      else if (report.type === 'pong') this.#pings.shift()?.(true);
      else this.#listener(report);
    });
    // A closed channel shows in the exit; without a listener the error would end the service.
    child.on('error', () => this.kill());
    child.stderr?.on('data', (chunk) => {
      this.#errors = `${this.#errors}${chunk}`.slice(-2000);
    });
    this.exited = new Promise((resolve) => {
      child.once('exit', () => {
        resolve();
        for (const answer of this.#pings.splice(0)) answer(false);
        this.#listener('exit');
      });
    });
  }

  /** Starts a process and waits until it is ready for work. */
  static async start(options: WorkerOptions): Promise<WorkerProcess> {
    const folder = join(options.scratchFolder, `${options.script}-${randomUUID()}`);
    await mkdir(folder, { mode: 0o700 });
    const start: WorkerStart = {
      folder,
      memoryMaxBytes: options.memoryMaxBytes,
      threads: options.threads,
      temporaryMaxBytes: options.temporaryMaxBytes,
      waits: options.waits,
    };
    const script = fileURLToPath(new URL(`./task-entry-points/${options.script}.ts`, import.meta.url));
    const child = spawnLimited([script, JSON.stringify(start)], options, folder);
    // A failed start is reported in the next turn: without a listener that would end the service.
    child.on('error', () => undefined);
    if (child.pid === undefined) {
      await rm(folder, { recursive: true, force: true });
      throw new EngineError('WORKER_LOST', 'The engine could not start a process.');
    }
    const worker = new WorkerProcess(child, child.pid, folder, options.silenceMaxMs);
    try {
      await worker.#ready();
    } catch (error) {
      await worker.stop();
      throw error;
    }
    // Later output could hold health data: it is read and discarded.
    child.stderr?.removeAllListeners('data').resume();
    return worker;
  }

  /**
   * Does one task. Rejects with `EngineError`; with the signal's reason, at once, when it is aborted; with another error
   * when the engine itself failed. After a rejection the process is being killed.
   */
  async run({ task, limits, outputPath, signal, onProgress }: Run): Promise<unknown> {
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const ended = new AbortController();
    const abort = (): void => reject(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    let begun = false;
    this.#listener = (report) => {
      if (report === 'exit') reject(begun ? lost() : new NeverBegun());
      else if (report.type === 'begun') begun = true;
      else if (report.type === 'done') resolve(report.outcome);
      else if (report.type === 'failed') reject(failed(report.failure));
      else if (report.type === 'progress') onProgress?.(report.progress);
    };
    const watched = {
      pid: this.pid,
      reportedResidentBytes: () => this.#residentBytes,
      outputPath,
      temporaryFolder: this.#folder,
    };
    void watch(watched, limits, ended.signal).then((broken) => {
      if (broken) reject(begun || broken.code !== 'TIME' ? broken : new NeverBegun());
    });
    void this.#watchSilence(ended.signal).then((isSilent) => {
      if (isSilent) reject(begun ? lost(new Error('it gave no sign of life')) : new NeverBegun());
    });
    if (limits.longMs !== undefined) void this.#lowerOnceLong(limits.longMs, ended.signal);
    try {
      this.#send({ type: 'task', task });
      const outcome = await promise;
      // The watch may have seen no moment of a fast task.
      if (await exceedsOutput(outputPath, limits)) throw overOutput(limits.outputMaxBytes);
      this.#tasksDone += 1;
      return outcome;
    } catch (error) {
      this.kill();
      throw error;
    } finally {
      ended.abort();
      signal?.removeEventListener('abort', abort);
      this.#listener = () => undefined;
    }
  }

  /** Tasks that went well. */
  get tasksDone(): number {
    return this.#tasksDone;
  }

  get hasLowPriority(): boolean {
    return this.#hasLowPriority;
  }

  /** Resident memory now. */
  async residentBytes(): Promise<number> {
    return Math.max(await residentBytes(this.pid), this.#residentBytes);
  }

  /** Checks that the process responds, working or waiting. */
  async ping(): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), pingMaxMs);
    this.#pings.push(resolve);
    this.#send({ type: 'ping' });
    return await promise.finally(() => clearTimeout(timer));
  }

  /** A process that waits for a busy processor has not worked long: another would have to be started in its place. */
  async #lowerOnceLong(longMs: number, signal: AbortSignal): Promise<void> {
    const usedMs = await processorClock(this.pid);
    for (let leftMs = longMs; leftMs > 0; leftMs = longMs - (await usedMs())) {
      await pause(Math.max(leftMs, looksMs), undefined, { ref: false, signal }).catch(() => undefined);
      if (signal.aborted) return;
    }
    this.#hasLowPriority = true;
    await lowerPriority(this.pid);
  }

  /** Resolves with true when the process answers no more, and with false once `signal` ends the watch. */
  async #watchSilence(signal: AbortSignal): Promise<boolean> {
    this.#isHeard = false;
    for (let missed = 0; missed < missedPingsMax; ) {
      const everyMs = this.#silenceMaxMs / missedPingsMax;
      await pause(everyMs, undefined, { ref: false, signal }).catch(() => undefined);
      if (signal.aborted) return false;
      missed = this.#isHeard ? 0 : missed + 1;
      this.#isHeard = false;
      this.#send({ type: 'ping' });
    }
    return true;
  }

  /** Kills a process, in which nothing of value is, so that it cannot hang. */
  kill(): void {
    this.#child.kill('SIGKILL');
  }

  /** Kills the process; resolves when it is gone and its folder with it. */
  async stop(): Promise<void> {
    this.kill();
    await this.exited;
    // One that cannot be removed (a disk that fails) goes with the next start, which empties the scratch folder.
    await rm(this.#folder, { recursive: true, force: true }).catch(() => undefined);
  }

  #send(order: Order): void {
    if (this.#child.connected) this.#child.send(order, () => undefined);
    else this.#listener('exit');
  }

  async #ready(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => reject(lost(new Error('not ready in time'))), startMaxMs);
    this.#listener = (report) => {
      if (report === 'exit') reject(lost(new Error(this.#errors)));
      else if (report.type === 'ready') resolve();
    };
    await promise.finally(() => clearTimeout(timer));
    this.#listener = () => undefined;
  }
}

function failed(failure: (Report & { type: 'failed' })['failure']): Error {
  if (failure.code === 'INTERNAL') return new Error(`The engine failed: ${failure.message}`);
  return new EngineError(failure.code, failure.message, { line: failure.line, column: failure.column });
}

function lost(cause?: unknown): EngineError {
  return new EngineError(
    'WORKER_LOST',
    'The process that worked on it ended unexpectedly. Try again; if it happens again, make it smaller.',
    {},
    cause,
  );
}
