import { type Logger, pino } from 'pino';
import { loggedError } from './logged-error.ts';

export type { Logger } from 'pino';

/** Lines that wait to be written; more are left out. */
const waitingMaxBytes = 4 * 2 ** 20;

/**
 * The log: JSON lines on standard error. Requests are logged by their route pattern, never by address or body; errors with
 * their cause. Credentials are cut out wherever a library might put them.
 */
export function openLog(level: string): Logger {
  const destination = pino.destination({ dest: 2, sync: false, maxLength: waitingMaxBytes });
  // A log that cannot be written, as on a full disk, must not end the service: its lines wait, and the next one tries again.
  destination.on('error', () => undefined);
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
    destination,
  );
}
