import type { Logger } from './log.ts';

/**
 * An error that nobody caught ends the process, as it does anyway: nobody knows what state it left behind. But it is written to the log
 * like every other; the runtime would print all that hangs on it.
 */
export function endOnUncaught(log: Logger): void {
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'the service ends: an error was caught nowhere');
    process.exit(1);
  });
}
