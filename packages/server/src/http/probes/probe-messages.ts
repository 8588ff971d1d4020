/** Questions that the thread passes on to the main thread. */
export type Question = '/readyz' | '/metrics';

/** Answer of the main thread. */
export interface ProbeAnswer {
  status: number;
  contentType: string;
  body: string;
}

/** Settings of the thread. */
export interface ProbeSettings {
  host: string;
  port: number;
  version: string;
  /** Silence of the main thread after which the process counts as dead. */
  silenceMaxMs: number;
  /** Time of the last heartbeat in nanoseconds of `process.hrtime`, the clock of all threads. */
  heartbeat: BigInt64Array;
}

export type ToThread = { id: number; answer: ProbeAnswer };

export type FromThread =
  | { kind: 'listening'; port: number }
  | { kind: 'failed'; code: string; message: string }
  | { kind: 'question'; id: number; question: Question };
