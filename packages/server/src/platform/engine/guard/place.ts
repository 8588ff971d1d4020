export interface Place {
  /** From 1. */
  line: number;
  /** In characters, from 1. */
  column: number;
}

/** The line and column of a byte offset; the engine counts the bytes of the UTF-8 text from 0. */
export function placeOf(text: string, offset: number): Place {
  const before = Buffer.from(text, 'utf8').subarray(0, offset).toString('utf8');
  const lines = before.split('\n');
  const last = lines[lines.length - 1] ?? '';
  return { line: lines.length, column: [...last].length + 1 };
}
