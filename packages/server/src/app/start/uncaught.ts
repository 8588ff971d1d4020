import type { Logger } from '../../platform/log/log.ts';

/**
 * Logs an uncaught error and ends the process, whose state is unknown. The runtime would print all properties
 * of the error.
 */
export function endOnUncaught(log: Logger): void {
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'the service ends: an error was caught nowhere');
    process.exit(1);
  });
}
