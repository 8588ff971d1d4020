import { EngineError } from './engine.ts';

/* Errors of tasks that exceed a limit. */

export function overDisk(): EngineError {
  return new EngineError(
    'DISK',
    'It needed more temporary disk space than one task may use. Sort, join or group fewer rows.',
  );
}

const noDiskMessage = 'The storage is full: free space or add some, then try again.';

/** Full, or near it while a task writes: the task is not at fault. */
export function noDisk(): EngineError {
  return new EngineError('DISK', noDiskMessage);
}

/** Reports whether the storage, and not the limit of one task, ended a task. */
export function isNoDisk({ code, message }: EngineError): boolean {
  return code === 'DISK' && message === noDiskMessage;
}

export function overMemory(): EngineError {
  return new EngineError(
    'MEMORY',
    'It needed more memory than one task may use. Read fewer columns or rows, or aggregate in steps.',
  );
}

export function overTime(runTimeMaxMs: number): EngineError {
  const limit =
    runTimeMaxMs < 120_000 ? `${runTimeMaxMs / 1000} seconds` : `${runTimeMaxMs / 60_000} minutes`;
  return new EngineError('TIME', `It ran longer than ${limit}, which is the limit. Narrow it down.`);
}

export function overOutput(outputMaxBytes: number): EngineError {
  return new EngineError(
    'RESULT_SIZE',
    `The result is larger than ${outputMaxBytes} bytes, which is the limit. Select fewer columns or rows.`,
  );
}
