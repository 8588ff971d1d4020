import type { ConversionTask } from './conversion.ts';
import type { EngineError } from './engine.ts';
import type { ConverterAddress } from './settings.ts';

/** What a worker process is started with, as the only argument on its command line. */
export interface WorkerStart {
  /** The worker's own folder; its working directory too. */
  folder: string;
  memoryMaxBytes: number;
  threads: number;
  temporaryMaxBytes: number;
  /** Whether it is likely to wait for its first task, and has time to get warm for it. */
  waits: boolean;
}

/** From the service to a worker. */
export type Order =
  /** `isHeld`: nothing of its data is read before `begin`. */
  { type: 'task'; task: unknown; isHeld: boolean } | { type: 'begin' } | { type: 'ping' };

/** A conversion as its worker gets it: the task, and another converter when the settings name one. */
export interface ConversionOrder {
  task: ConversionTask;
  converter: ConverterAddress | undefined;
}

/** From a worker to the service. */
export type Report =
  | { type: 'ready' }
  | { type: 'pong' }
  /** A task has arrived. */
  | { type: 'begun' }
  /** Where the service cannot read the memory of a process by itself. */
  | { type: 'resident'; bytes: number }
  | { type: 'progress'; progress: unknown }
  | { type: 'done'; outcome: unknown }
  | { type: 'failed'; failure: Failure };

export interface Failure {
  /** `INTERNAL`: neither the statement nor the input is to blame. */
  code: EngineError['code'] | 'INTERNAL';
  message: string;
  line?: number | undefined;
  column?: number | undefined;
}
