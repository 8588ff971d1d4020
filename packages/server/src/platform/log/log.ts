import { type Logger, pino } from 'pino';
import { LogLines } from './log-lines.ts';
import { loggedError } from './logged-error.ts';

export type { Logger } from 'pino';

/** Writer of all logs of the process: each writer listens for the end of the process. */
const standardError = new LogLines(2);

/**
 * The log: JSON lines on standard error. Requests are logged by their route pattern, never by address or body; errors with
 * their cause. Credentials are cut out wherever a library might put them.
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
