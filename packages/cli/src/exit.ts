import { ClientError } from '@ploidy/client';

/** Exit codes, stable for scripts; listed in `ploidy --help` and docs/cli.md. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  signedOut: 3,
  notFound: 4,
  unreachable: 5,
  interrupted: 130,
} as const;

/** A command that ends with a sentence and a code. */
export class CommandError extends Error {
  readonly exitCode: number;
  readonly remedy: string | undefined;

  constructor(message: string, exitCode: number = exitCodes.failed, remedy?: string) {
    super(message);
    this.exitCode = exitCode;
    this.remedy = remedy;
  }
}

/** Ctrl-C, after what it stopped has been cancelled. */
export class Interrupted extends CommandError {
  constructor(message = 'Interrupted.') {
    super(message, exitCodes.interrupted);
  }
}

/** Returns the exit code of an error; `undefined` for an unexpected one. */
export function exitCodeOf(error: unknown): number | undefined {
  if (error instanceof CommandError) return error.exitCode;
  // A local file that cannot be read or written.
  if (error instanceof Error && 'syscall' in error) return exitCodes.failed;
  if (!(error instanceof ClientError)) return undefined;
  if (error.code === 'INVALID_ADDRESS') return exitCodes.usage;
  if (['UNREACHABLE', 'UNTRUSTED', 'AWAY'].includes(error.code)) return exitCodes.unreachable;
  if (error.status === 401) return exitCodes.signedOut;
  return error.status === 404 && error.code !== 'FOREIGN_ANSWER' ? exitCodes.notFound : exitCodes.failed;
}
