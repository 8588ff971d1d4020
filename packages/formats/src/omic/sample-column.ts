import { type Header, RecordFault, textAt } from '../delimited/index.ts';

/** How the column is called in files that were put together of several samples; the first that there is counts. */
const names = ['sample_id', 'sample'];

/** The column that names the sample of each record, where a file has one. */
export class SampleColumn {
  /** -1 when there is none. */
  readonly place: number;
  readonly #name: string;
  readonly #isQuoted: boolean;

  /** `isQuoted`: quotation marks around a name are none of it, also in a file of tabs. */
  constructor(header: Header, columns: readonly string[] = names, { isQuoted = false } = {}) {
    this.place = header.place(...columns);
    this.#isQuoted = isQuoted;
    this.#name = header.names[this.place] ?? '';
  }

  static isIn(header: Header): boolean {
    return header.hasOne(...names);
  }

  /** The file names no sample: it is of one. */
  get isMissing(): boolean {
    return this.place < 0;
  }

  /**
   * The sample of a record; undefined in a file without such a column. Throws `RecordFault` for an empty field: the row would go to a sample
   * that is nobody's, or to another patient.
   */
  at(fields: readonly string[]): string | undefined {
    if (this.isMissing) return undefined;
    const text = textAt(fields, this.place);
    const name = this.#isQuoted ? text?.replaceAll(/^["']|["']$/g, '').trim() : text;
    if (!name) throw new RecordFault(`${this.#name} is missing`, this.place + 1);
    return name;
  }
}
