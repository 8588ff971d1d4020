import { exitCodes } from './exit.ts';

let cleanUp = async (): Promise<void> => undefined;

/** Sets the work before the process ends because its output has no reader any more. */
export function beforeClosedOutput(work: () => Promise<void>): void {
  cleanUp = work;
}

/** Ends the process when its output cannot be written. A closed reader (`head`) is no failure; a full disk is one. */
export function endWithOutput(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') {
      process.stderr.write(`Standard output cannot be written: ${error.message}.\n`);
      process.exit(exitCodes.failed);
    }
    // Exit code 0 even if the clean-up fails: results expire at the service.
    const end = (): never => process.exit(exitCodes.ok);
    cleanUp().then(end, end);
  });
}
