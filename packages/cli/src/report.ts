import { debuglog } from 'node:util';
import { ClientError } from '@ploidy/client';
import { CommanderError } from 'commander';
import { CommandError, exitCodeOf, exitCodes } from './exit.ts';
import { documentText, visible } from './visible.ts';

/** Error as `--json` prints it on standard error. */
interface Reported {
  error: string;
  code: string;
  remedy?: string | undefined;
  status?: number | undefined;
  requestId?: string | undefined;
  details?: { path: string; message: string }[] | undefined;
  exitCode: number;
}

const keyRefused = {
  error: 'The service does not accept your key or sign-in: it is wrong, has expired or was revoked.',
  remedy: 'Run "ploidy login" again.',
};
const remedies: Readonly<Record<string, string>> = {
  FORBIDDEN: 'Run "ploidy policies explain PRIVILEGE", or ask an administrator of the account.',
  NOT_FOUND: 'Check the name or id, and with "ploidy whoami" the account.',
  INVALID_QUERY: 'Run "ploidy schema" for the tables, and "ploidy schema TABLE" for their columns.',
  INTERNAL: 'Try again; if it happens again, give the request id to an operator.',
};

/** Reports an error on standard error; returns the exit code. */
export function report(error: unknown, json: boolean): number {
  if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.ok;
  const known = error instanceof CommanderError ? exitCodes.usage : exitCodeOf(error);
  // `NODE_DEBUG=ploidy` shows where an error of this program was thrown.
  debuglog('ploidy')('%O', error);
  const exitCode = known ?? exitCodes.failed;
  const reported = known === undefined ? unexpected(error) : describe(error, exitCode);
  if (json) process.stderr.write(`${documentText(reported)}\n`);
  // Commander has printed its own errors, with help.
  else if (!(error instanceof CommanderError)) process.stderr.write(`${textOf(reported)}\n`);
  return exitCode;
}

/** Describes an error that no command foresaw: a fault of this program. */
function unexpected(error: unknown): Reported {
  const [message = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  return {
    error: `An error of this program: ${message}`,
    code: 'UNEXPECTED',
    remedy: 'Report the command line and "ploidy --version"; NODE_DEBUG=ploidy shows more.',
    exitCode: exitCodes.failed,
  };
}

function describe(error: unknown, exitCode: number): Reported {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof CommandError)
    return { error: message, code: codes[exitCode] ?? 'FAILED', remedy: error.remedy, exitCode };
  if (!(error instanceof ClientError))
    return {
      error: message.replace(/^error: /, ''),
      code: error instanceof CommanderError ? 'USAGE' : 'LOCAL',
      exitCode,
    };
  const { code, status, requestId, details } = error;
  const shown = exitCode === exitCodes.signedOut ? keyRefused : { error: message, remedy: error.remedy };
  const remedy = shown.remedy ?? remedies[code];
  return { ...shown, code, remedy, status, requestId, ...(details.length > 0 && { details }), exitCode };
}

/** Codes of failures that this program finds by itself. */
const codes: Readonly<Record<number, string>> = {
  [exitCodes.usage]: 'USAGE',
  [exitCodes.signedOut]: 'SIGNED_OUT',
  [exitCodes.notFound]: 'NOT_FOUND',
  [exitCodes.interrupted]: 'INTERRUPTED',
};

function textOf({ error, remedy, details = [], code, status, requestId }: Reported): string {
  const more = details.filter(({ message }) => !error.includes(message));
  const fromService = status !== undefined;
  return [
    error,
    ...more.map(({ path, message }) => `  ${path}: ${message}`),
    ...(remedy === undefined ? [] : [`  ${remedy}`]),
    ...(fromService ? [`  ${code}${requestId === undefined ? '' : `, request ${requestId}`}`] : []),
  ]
    .map(visible)
    .join('\n');
}
