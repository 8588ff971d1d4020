import { bytesOf, textOf } from '../../bytes.ts';
import { ComputedAnnotations } from '../foreign/computed.ts';
import { ForeignLines } from '../foreign/foreign-lines.ts';
import { hasLocalGenotypes, withDepths, withGenotypes } from './local-genotypes.ts';
import type { PlainCounts } from './mapping-counts.ts';
import type { MappingSettings } from './mapping-settings.ts';
import type { RecordLine } from './record-line.ts';

/** Facts of a file by which its lines are read. */
type ReaderSettings = Pick<MappingSettings, 'layouts' | 'genome' | 'format'>;

/** Reads lines; those whose annotations or genotypes have an unusual form are rewritten first. */
export class LineReader {
  /** Undefined where all annotations have the usual form. */
  readonly #foreign: ForeignLines | undefined;
  /** Undefined without gene models. */
  readonly #computed: ComputedAnnotations | undefined;
  /** Set if the file has depths of local alleles (LAD) beside GT. */
  readonly #hasLocalDepths: boolean;

  constructor({ layouts, genome, format = new Map() }: ReaderSettings) {
    this.#hasLocalDepths = format.has('LAD') && (format.has('LAA') || format.has('LA'));
    if (genome) this.#computed = new ComputedAnnotations(genome);
    this.#foreign = ForeignLines.open(layouts, this.#computed);
  }

  /** Returns the counts of computed annotations since the last call. */
  takeCounts(): Partial<PlainCounts> {
    return this.#computed?.takeCounts() ?? {};
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
