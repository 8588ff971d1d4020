import { type Logger, pino } from 'pino';
import { LogLines } from './log-lines.ts';

export type { Logger } from 'pino';

/** Writer of all logs of the process: each writer listens for the end of the process. */
const standardError = new LogLines(2);

/**
 * Returns the log: JSON lines on standard error. Requests are logged by their route pattern, never by address or body; errors
 * with their cause. Credentials are cut out wherever a library might put them.
 */
export function openLog(level: string): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: (error: unknown) => loggedError(error) },
      redact: {
        paths: ['req.headers', 'headers', '*.authorization', '*.cookie', '*.apiKey', '*.password'],
        remove: true,
      },
    },
    standardError,
  );
}

/** Loggable fields of an error. Libraries attach other properties, such as a connection and its key in pg. */
const loggedFields = ['code', 'syscall', 'table', 'constraint'] as const;
const depthMax = 5;
const errorsMax = 10;

/**
 * Form of an error in the log: type, message, stack and causes. Of its other fields only `loggedFields` are kept: the
 * rest may hold credentials, addresses or values of a row.
 */
export function loggedError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return typeof error === 'object' ? { type: 'object' } : String(error);
  const fields = loggedFields.flatMap((name) => {
    const value: unknown = Reflect.get(error, name);
    return typeof value === 'string' || typeof value === 'number' ? [[name, value] as const] : [];
  });
  const inner = (cause: unknown): unknown => loggedError(cause, depth + 1);
  const goesOn = depth < depthMax;
  return {
    type: error.constructor.name,
    ...Object.fromEntries(fields),
    message: error.message,
    stack: error.stack,
    ...(goesOn && error.cause !== undefined && { cause: inner(error.cause) }),
    ...(goesOn && error instanceof AggregateError && { errors: error.errors.slice(0, errorsMax).map(inner) }),
  };
}
