import type { ErrorEntry } from './error-entry.ts';

/** Errors of the service itself. */
export const serviceErrors = {
  INTERNAL: [500, 'A defect; the log has it under the request id', 'Report it with the request id'],
  DIGEST_MISMATCH: [500, 'Stored bytes are damaged', '`ploidy admin verify-lake`; restore a backup'],
  JOB_INTERRUPTED: [
    500,
    'A process that worked for this request ended',
    'Try again; if it repeats, report it',
  ],
  BEING_INDEXED: [503, 'The file is being indexed', 'Wait `Retry-After` seconds, or ask without a region'],
  BUSY: [503, 'Too many sign-ins at this moment', 'Wait `Retry-After` seconds'],
  ENGINE_UNAVAILABLE: [
    503,
    'The engine of queries does not answer',
    'Wait, or ask the operator to read the log',
  ],
  NOT_READY: [503, 'The service starts or ends', 'Wait `Retry-After` seconds'],
  OVERLOADED: [503, 'More work than the service can do', 'Wait `Retry-After` seconds'],
  BEACON_TIME: [
    503,
    'Not all projects could be searched in 30 s',
    'Name an assembly or a smaller range, or search again',
  ],
  OBJECT_CHANGED: [
    503,
    'An object of a connected bucket was changed or removed since it was found',
    'Look at the bucket again',
  ],
  STORAGE_FULL: [503, 'The disk is full', 'Ask the operator (docs/operate/limits.md); deletions still work'],
  STORAGE_UNAVAILABLE: [
    503,
    'The store of files does not answer',
    'Wait, or ask the operator (docs/operate/s3.md)',
  ],
  UNAVAILABLE: [503, 'A part of the service does not answer', 'Wait `Retry-After` seconds'],
  SERVICE_RUNNING: [409, 'Only on the host: the service uses the folder', 'Stop it on every machine'],
  SEALED_VALUE_UNREADABLE: [
    422,
    'Only on the host: a value is sealed with another master key',
    'Use the key of that time: docs/operate/master-key.md',
  ],
} as const satisfies Record<string, ErrorEntry>;
