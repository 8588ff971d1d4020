/** Unreadable input, with the error and its place. `line` and `column` count from 1. */
export class InputError extends Error {
  readonly line: number | undefined;
  readonly column: number | undefined;

  constructor(message: string, place: { line?: number; column?: number } = {}, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'InputError';
    this.line = place.line;
    this.column = place.column;
  }
}
