import { type Header, RecordFault, textAt } from '../delimited/index.ts';

/** How the column is called in files that were put together of several samples; the first that there is counts. */
const names = ['sample_id', 'sample'];
/** How others call it. That a file has one of these does not tell what the file is. */
const otherNames = ['sampleid', 'sample_name', 'samplename', 'tumor_sample_barcode', 'sample_barcode'];
/** Columns that say whose a record is, and not of which sample. */
const ownerNames =
  `patient_id,patientid,patient,subject_id,subjectid,subject,donor_id,individual_id,participant_id,case_id,specimen_id`.split(
    ',',
  );

/** The column that names the sample of each record, where a file has one. */
export class SampleColumn {
  /** -1 when there is none. */
  readonly place: number;
  readonly #name: string;
  readonly #isQuoted: boolean;
  /** Of the column that says whose the records are; -1 when there is none. */
  readonly #ownerPlace: number;
  #owner: string | undefined;

  /** `isQuoted`: quotation marks around a name are none of it, also in a file of tabs. */
  constructor(
    header: Header,
    columns: readonly string[] = [...names, ...otherNames],
    { isQuoted = false } = {},
  ) {
    this.place = header.place(...columns);
    this.#isQuoted = isQuoted;
    this.#name = header.names[this.place] ?? '';
    this.#ownerPlace = this.place < 0 ? header.place(...ownerNames) : -1;
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
   * that is nobody's, or to another patient, and where a file without such a column is of several patients: all would be one sample.
   */
  at(fields: readonly string[]): string | undefined {
    if (this.isMissing) {
      this.#checkOwner(fields);
      return undefined;
    }
    const text = textAt(fields, this.place);
    const name = this.#isQuoted ? text?.replaceAll(/^["']|["']$/g, '').trim() : text;
    if (!name) throw new RecordFault(`${this.#name} is missing`, this.place + 1);
    return name;
  }
  #checkOwner(fields: readonly string[]): void {
    const owner = textAt(fields, this.#ownerPlace);
    if (owner === undefined) return;
    this.#owner ??= owner;
    if (owner !== this.#owner) throw new RecordFault(severalOwners, this.#ownerPlace + 1, { isOfFile: true });
  }
}

const severalOwners =
  'the file is of several patients, and no column says of which sample a record is; call it sample_id';
