import { bytesOf, textOf } from '../../bytes.ts';
import type { AnnotationLayout } from '../annotation-layout.ts';
import { ForeignLines } from '../foreign/foreign-lines.ts';
import { hasLocalGenotypes, withDepths, withGenotypes } from './local-genotypes.ts';
import type { RecordLine } from './record-line.ts';

/** Reads lines; those whose annotations or genotypes have an unusual form are rewritten first. */
export class LineReader {
  /** Undefined where all annotations have the usual form. */
  readonly #foreign: ForeignLines | undefined;

  readonly #hasLocalDepths: boolean;

  /** `hasLocalDepths`: the file has depths of local alleles (LAD) beside GT. */
  constructor(layouts: readonly AnnotationLayout[], hasLocalDepths = false) {
    this.#hasLocalDepths = hasLocalDepths;
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
    const isLocal = isRead && hasLocalGenotypes(line);
    if (!isRead || !(isLocal || this.#hasLocalDepths)) return isRead;
    const text = textOf(line.bytes, line.startOf(0), line.end);
    const written = isLocal ? withGenotypes(text) : withDepths(text);
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
