// Imported alone: a process of one query needs no other part of the formats. Reading all takes a third of its start.
import { InputError } from '@ploidy/formats/input-error';
import { EngineError, shortMessage } from '../engine.ts';
import { noDisk, overDisk, overMemory } from '../limit-errors.ts';
import type { Failure } from '../messages.ts';

/** Reduces an error to what the service may see: no SQL of ours, no paths of the host. */
export function failureOf(error: unknown): Failure {
  if (error instanceof InputError) {
    return { code: 'INPUT', message: shortMessage(error.message), line: error.line, column: error.column };
  }
  const known = error instanceof EngineError ? error : engineError(messageOf(error));
  if (known) return { code: known.code, message: known.message, line: known.line, column: known.column };
  return { code: 'INTERNAL', message: shortMessage(withoutPaths(withoutContext(messageOf(error)))) };
}

/** Removes our own SQL from an error: a masking view holds the project's key as a literal, which no message may quote. */
export function withoutLiterals(error: unknown, statements: readonly string[]): unknown {
  // Keys by themselves as well: pairs of quotes slip where a literal is shorter, or holds one.
  const literals = statements.flatMap((sql) => [
    ...(sql.match(/[0-9a-f]{64}/g) ?? []),
    ...Array.from(sql.matchAll(/'([^']{8,})'/g), (found) => found[1] ?? ''),
  ]);
  const message = messageOf(error);
  const hidden = literals.reduce((text, literal) => text.replaceAll(literal, '…'), message);
  return hidden === message ? error : new Error(hidden);
}

/** Kinds of the engine's errors that the author of a statement can do something about. */
const statementError =
  /^(Binder|Catalog|Parser|Syntax|Conversion|Out of Range|Invalid Input|Invalid type|Mismatch Type|Not implemented|Constraint|Divide by Zero|Sequence|Expression|Invalid|Dependency|Interrupt|INTERRUPT|Permission|Invalid Configuration|Parameter Not Resolved|Invalid unicode) ?[\w ]*Error: /;

const wholeRow =
  'A whole row is compared with a value or cast: a name of a table is no column, write table.column.';

function engineError(message: string): EngineError | undefined {
  if (/^Out of Memory Error/.test(message)) {
    return /max_temp_directory_size/.test(message) ? overDisk() : overMemory();
  }
  // In the words of the system, which the engine and Node pass on (errno(3): ENOSPC, EDQUOT).
  if (/no space left on device|disk quota exceeded/i.test(message)) return noDisk();
  if (!statementError.test(message)) return undefined;
  const plain = message.replace(/^[\w ]*Error: /, '');
  // The engine lists all columns of the table.
  if (/type STRUCT\([^)]*\b(?:patient_id|sample_id) VARCHAR/.test(plain))
    return new EngineError('SQL', wholeRow);
  return new EngineError('SQL', withoutPaths(withoutContext(plain)));
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Removes the engine's quotation of the text that it ran, which is not the text of the user. */
function withoutContext(message: string): string {
  const [first = ''] = message.split(/\n(?:LINE \d+:|Possible solutions:|\nStack Trace)/);
  return first.replace(/\s+/g, ' ').trim();
}

const absolutePath = /(?<=^|[\s"'(])(?:[A-Za-z]:)?[\\/](?:[^\s"'/\\]+[\\/])+[^\s"']*/g;

function withoutPaths(message: string): string {
  return message.replace(absolutePath, '(file)');
}
