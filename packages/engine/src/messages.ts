import type { ConversionTask } from './conversion.ts';
import type { EngineError } from './engine.ts';
import type { ConverterAddress } from './settings.ts';

/** Options of a worker process, passed as its only command-line argument. */
export interface WorkerStart {
  /** The worker's own folder; its working directory too. */
  folder: string;
  memoryMaxBytes: number;
  threads: number;
  temporaryMaxBytes: number;
  /** Set if the process is likely to wait for its first task, and has time to warm up. */
  waits: boolean;
}

/** Message from the service to a worker. */
export type Order = { type: 'task'; task: unknown } | { type: 'ping' };

/** A conversion as its worker gets it. */
export interface ConversionOrder {
  task: ConversionTask;
  converter: ConverterAddress;
}

/** Message from a worker to the service. */
export type Report =
  | { type: 'ready' }
  | { type: 'pong' }
  /** A task has arrived. */
  | { type: 'begun' }
  /** Resident memory, for systems on which the service cannot read it. */
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
