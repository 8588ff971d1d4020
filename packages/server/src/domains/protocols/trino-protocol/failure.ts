import { EngineError, placeOf, StatementRefused } from '@ploidy/engine';
import { isStorageFull, Problem } from '../../../base/problem.ts';

/** Names and numbers of Trino's `StandardErrorCode`. */
const codes = {
  GENERIC_USER_ERROR: 0,
  SYNTAX_ERROR: 1,
  USER_CANCELED: 3,
  PERMISSION_DENIED: 4,
  NOT_FOUND: 5,
  FUNCTION_NOT_FOUND: 6,
  INVALID_CAST_ARGUMENT: 9,
  NOT_SUPPORTED: 13,
  INVALID_SESSION_PROPERTY: 14,
  NUMERIC_VALUE_OUT_OF_RANGE: 19,
  ABANDONED_QUERY: 22,
  QUERY_TEXT_TOO_LARGE: 35,
  CATALOG_NOT_FOUND: 44,
  SCHEMA_NOT_FOUND: 45,
  TABLE_NOT_FOUND: 46,
  COLUMN_NOT_FOUND: 47,
  MISSING_SCHEMA_NAME: 57,
  TYPE_MISMATCH: 58,
  INVALID_PARAMETER_USAGE: 80,
  GENERIC_INTERNAL_ERROR: 65_536,
  GENERIC_INSUFFICIENT_RESOURCES: 131_072,
  QUERY_QUEUE_FULL: 131_074,
  EXCEEDED_TIME_LIMIT: 131_075,
  EXCEEDED_SPILL_LIMIT: 131_078,
  EXCEEDED_LOCAL_MEMORY_LIMIT: 131_079,
} as const;

type FailureName = keyof typeof codes;

/** Place in a statement, from 1. */
export interface Place {
  line: number;
  column: number;
}

/** Failure of a statement as it is recorded. */
export interface Failure {
  name: FailureName;
  message: string;
  place?: Place;
}

/** Failure that ends a statement while it is read. */
export class StatementFailed extends Error {
  readonly failure: Failure;

  constructor(name: FailureName, message: string, place?: Place) {
    super(message);
    this.name = 'StatementFailed';
    this.failure = { name, message, ...(place && { place }) };
  }
}

/** Describes a failure as the protocol has it. */
export function errorOf({ name, message, place }: Failure): object {
  const code = codes[name];
  const type = code < 65_536 ? 'USER_ERROR' : code < 131_072 ? 'INTERNAL_ERROR' : 'INSUFFICIENT_RESOURCES';
  const where = place && { errorLocation: { lineNumber: place.line, columnNumber: place.column } };
  const text = place ? `line ${place.line}:${place.column}: ${message}` : message;
  const failureInfo = {
    type: 'io.trino.spi.TrinoException',
    message: text,
    suppressed: [],
    stack: [],
    ...where,
  };
  return { message: text, errorCode: code, errorName: name, errorType: type, ...where, failureInfo };
}

/** Failure of a run or a check; undefined for errors that are not the statement's. */
export function failureOf(error: unknown): Failure | undefined {
  if (error instanceof StatementFailed) return error.failure;
  if (error instanceof EngineError) return runFailure(error);
  if (isStorageFull(error)) return { name: 'EXCEEDED_SPILL_LIMIT', message: error.message };
  if (!(error instanceof Problem) || error.status >= 500) return undefined;
  if (error.status === 403) return { name: 'PERMISSION_DENIED', message: `Access Denied: ${error.message}` };
  if (error.status === 429) return { name: 'QUERY_QUEUE_FULL', message: error.message };
  return { name: 'GENERIC_USER_ERROR', message: error.message };
}

const runFailures: Readonly<Record<EngineError['code'], FailureName>> = {
  SQL: 'GENERIC_USER_ERROR',
  INPUT: 'GENERIC_USER_ERROR',
  TIME: 'EXCEEDED_TIME_LIMIT',
  MEMORY: 'EXCEEDED_LOCAL_MEMORY_LIMIT',
  DISK: 'EXCEEDED_SPILL_LIMIT',
  RESULT_SIZE: 'GENERIC_INSUFFICIENT_RESOURCES',
  WORKER_LOST: 'GENERIC_INTERNAL_ERROR',
};

function runFailure({ code, message }: EngineError): Failure {
  if (code !== 'SQL') return { name: runFailures[code], message };
  if (/out of range|overflow/i.test(message)) return { name: 'NUMERIC_VALUE_OUT_OF_RANGE', message };
  if (/could not convert|conversion/i.test(message)) return { name: 'INVALID_CAST_ARGUMENT', message };
  return { name: 'GENERIC_USER_ERROR', message };
}

/** Text of a statement at which the caller's places are counted. */
interface SentText {
  text: string;
  /** Returns the offset in `text` (bytes) of an offset in the text that was checked. */
  placeOf(offset: number): number;
  /** Schema of tables without one; absent if the session has none. */
  schema: string | undefined;
  /** Set if there is no such schema. */
  isUnknown: boolean;
}

/** Failure of a statement that the guard refused; undefined for other errors. */
export function refusalOf(error: unknown, sent: SentText): Failure | undefined {
  const refused = error instanceof Problem ? error.cause : error;
  if (!(refused instanceof StatementRefused)) return undefined;
  const { text, offset, kind, subject = '' } = refused.fault;
  const place = offset === undefined ? {} : { place: placeOf(sent.text, sent.placeOf(offset)) };
  const failure = (name: FailureName, message: string): Failure => ({ name, message, ...place });
  switch (kind) {
    case 'syntax':
      return failure('SYNTAX_ERROR', text);
    case 'column':
      return failure('COLUMN_NOT_FOUND', `Column '${subject}' cannot be resolved`);
    case 'function':
      return failure('FUNCTION_NOT_FOUND', `Function '${subject}' not registered: ${text}`);
    case 'schema':
      return failure('SCHEMA_NOT_FOUND', `Schema '${subject}' does not exist`);
    case 'table':
      if (sent.isUnknown) return failure('SCHEMA_NOT_FOUND', `Schema '${sent.schema}' does not exist`);
      if (sent.schema === undefined)
        return failure('MISSING_SCHEMA_NAME', 'Schema must be specified when session schema is not set');
      return failure('TABLE_NOT_FOUND', `Table '${subject}' does not exist`);
    case 'type':
      return failure('TYPE_MISMATCH', text);
    case 'form':
    case undefined:
      return failure('NOT_SUPPORTED', text);
  }
}
