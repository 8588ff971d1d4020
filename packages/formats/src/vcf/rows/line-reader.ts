import { bytesOf, textOf } from '../../bytes.ts';
import type { AnnotationLayout } from '../annotation-layout.ts';
import { ForeignLines } from '../foreign/foreign-lines.ts';
import { hasLocalGenotypes, withGenotypes } from './local-genotypes.ts';
import type { RecordLine } from './record-line.ts';

/** Reads lines; those whose annotations or genotypes have an unusual form are rewritten first. */
export class LineReader {
  /** Undefined where all annotations have the usual form. */
  readonly #foreign: ForeignLines | undefined;

  constructor(layouts: readonly AnnotationLayout[]) {
    this.#foreign = ForeignLines.open(layouts);
  }

  /** Alternates for which annotations were left out, because their owner is unknown. */
  get unclearCount(): number {
    return this.#foreign?.unclearCount ?? 0;
  }

  /** Sets the text of the following lines, which must not change until `end`. */
  begin(text: Uint8Array): void {
    this.#foreign?.enter(text);
  }

  end(): void {
    this.#foreign?.leave();
  }

  /** Reads a line; false when it is no record. */
  read(line: RecordLine, bytes: Uint8Array, start: number, end: number): boolean {
    const isRead = this.#foreign?.rewrite(bytes, start, end)
      ? line.read(this.#foreign.line, 0, this.#foreign.line.length)
      : line.read(bytes, start, end);
    if (!isRead || !hasLocalGenotypes(line)) return isRead;
    const written = withGenotypes(textOf(line.bytes, line.startOf(0), line.end));
    if (written === undefined) return true;
    const again = bytesOf(written);
    return line.read(again, 0, again.length);
  }

  /** Reads a string. */
  ofText(text: string): string {
    const read = this.#foreign?.ofText(text) ?? text;
    return withGenotypes(read) ?? read;
  }
}
