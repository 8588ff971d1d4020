import { InputError } from '@ploidy/formats';
import { EngineError } from '../engine.ts';
import type { Failure } from '../messages.ts';

/** What of an error goes to the service: without our SQL, without paths of the host. */
export function failureOf(error: unknown): Failure {
  if (error instanceof InputError) {
    return { code: 'INPUT', message: error.message, line: error.line, column: error.column };
  }
  if (error instanceof EngineError) {
    return { code: error.code, message: error.message, line: error.line, column: error.column };
  }
  const message = error instanceof Error ? error.message : String(error);
  return engineFailure(message) ?? { code: 'INTERNAL', message: withoutPaths(withoutContext(message)) };
}

/** Kinds of the engine's errors that the author of a statement can do something about. */
const statementError =
  /^(Binder|Catalog|Parser|Syntax|Conversion|Out of Range|Invalid Input|Invalid type|Mismatch Type|Not implemented|Constraint|Divide by Zero|Sequence|Expression|Invalid|Dependency|Interrupt|INTERRUPT|Permission|Invalid Configuration|Parameter Not Resolved|Invalid unicode) ?[\w ]*Error: /;

function engineFailure(message: string): Failure | undefined {
  if (/^Out of Memory Error/.test(message)) {
    return /max_temp_directory_size/.test(message) ? overDisk() : overMemory();
  }
  if (/No space left on device/.test(message)) return overDisk();
  if (!statementError.test(message)) return undefined;
  const plain = withoutPaths(withoutContext(message.replace(/^[\w ]*Error: /, '')));
  return { code: 'SQL', message: plain };
}

function overMemory(): Failure {
  return {
    code: 'MEMORY',
    message:
      'It needed more memory than one task may use. Read fewer columns or rows, or aggregate in steps.',
  };
}

function overDisk(): Failure {
  return {
    code: 'DISK',
    message: 'It needed more temporary disk space than one task may use. Sort, join or group fewer rows.',
  };
}

/** The engine quotes the text that it ran, which is not the text that the person wrote. */
function withoutContext(message: string): string {
  const [first = ''] = message.split(/\n\s*\n(?:LINE \d+:|Possible solutions:)|\nLINE \d+:|\n\nStack Trace/);
  return first.replace(/\s+/g, ' ').trim();
}

const absolutePath = /(?<=^|[\s"'(])(?:[A-Za-z]:)?[\\/](?:[^\s"'/\\]+[\\/])+[^\s"']*/g;

function withoutPaths(message: string): string {
  return message.replace(absolutePath, '(file)');
}
