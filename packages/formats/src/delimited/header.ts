import { RecordFault } from './record-fault.ts';

/** Texts for "not known" in the files of all programs; C writes the sign of NaN. */
const absent = new Set(['', '.', 'NA', 'N/A', 'NaN', 'nan', '-nan', '-NaN', 'null', 'NULL', 'None']);

/** Names of the column of samples; the first present counts. */
export const sampleColumns = ['sample_id', 'sample'];

/** Names of the column of samples in other programs. Such a column does not identify the format of a file. */
export const otherSampleColumns =
  `sampleid,sample_name,samplename,tumor_sample_barcode,sample_barcode,sample_uuid,barcode,aliquot,aliquot_id,aliquot_barcode,library,library_id,
  library_name,modelid,model_id,depmap_id,cell_line,cell_line_name,cellline,ccle_name,biosample,biosample_id,run,run_accession`.split(
    /,\s*/,
  );

/** Names of the column of patients. */
export const patientColumns =
  'patient_id,patientid,patient,subject_id,subjectid,usubjid,subject,donor_id,individual_id,participant_id,participant,case_id,mrn'.split(
    ',',
  );

/** Normalizes the name of a column: `Sample ID`, `sample-id` and `Sample.ID` are `sample_id`. */
export function columnKey(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/[\s._-]+/g, '_');
}

/**
 * Columns of a file by their names, in any case; blanks, dots and dashes equal underscores. Blanks around a name are cut, as
 * around a field: spreadsheets and typed lists have them after commas. An unrecognised column of samples would put all rows
 * under one sample.
 */
export class Header {
  readonly names: readonly string[];
  readonly #places = new Map<string, number>();
  readonly #alike = new Map<string, number>();

  constructor(names: readonly string[]) {
    this.names = names.map((name) => name.trim());
    for (const [place, name] of this.names.entries()) {
      const [exact, alike] = [name.toLowerCase(), columnKey(name)];
      if (!this.#places.has(exact)) this.#places.set(exact, place);
      if (!this.#alike.has(alike)) this.#alike.set(alike, place);
    }
    // R writes `X.` for a mark before the header.
    const first = this.names.findIndex((name) => name !== '');
    const [, marked = ''] = /^X\.(.+)$/.exec(this.names[first] ?? '') ?? [];
    if (!this.#alike.has(columnKey(marked))) this.#alike.set(columnKey(marked), first);
  }

  /** Returns the index of the first of these columns that exists; -1 without one. An exact name precedes a similar one. */
  place(...names: readonly string[]): number {
    for (const name of names) {
      const place = this.#places.get(name.toLowerCase()) ?? this.#alike.get(columnKey(name));
      if (place !== undefined) return place;
    }
    return -1;
  }

  has(...names: readonly string[]): boolean {
    return names.every((name) => this.place(name) >= 0);
  }

  /** Returns whether one of several column names is present. */
  hasOne(...names: readonly string[]): boolean {
    return this.place(...names) >= 0;
  }

  /**
   * Returns whether a record is a header: most of its texts are names of columns; or the first is that of the first column,
   * and no other text is a number. The records behind it are of another file, perhaps with other columns or samples.
   */
  isRepeatedBy(fields: readonly string[]): boolean {
    const first = columnKey((fields[0] || fields[1]) ?? '').replace(/^#/, '');
    if (first === '' || !this.#alike.has(first)) return false;
    const texts = fields.map((field) => field.trim()).filter((text) => text !== '');
    const known = texts.slice(1).filter((text) => this.#alike.has(columnKey(text))).length;
    if (known >= 1 && (known + 1) * 2 > texts.length) return true;
    const own = columnKey((this.names[0] || this.names[1]) ?? '').replace(/^#/, '');
    return texts.length > 1 && first === own && !texts.some(isNumber);
  }

  /** Throws `RecordFault` unless a record has as many fields; empty ones at the end do not count. */
  check(fields: readonly string[]): void {
    const { length } = this.names;
    let count = fields.length;
    while (count > length && fields[count - 1] === '') count -= 1;
    if (count !== length)
      throw new RecordFault(`it has ${fields.length} columns, but the header has ${length}`);
  }
}

/** Returns the text of a field; undefined for an empty one, or a word for a missing value. */
export function textAt(fields: readonly string[], place: number): string | undefined {
  const text = fields[place]?.trim();
  return text === undefined || absent.has(text) ? undefined : text;
}

/** Returns a gene symbol; some programs write `-` for none (StringTie). */
export function symbolAt(fields: readonly string[], place: number): string | undefined {
  const text = textAt(fields, place);
  return text === '-' || text === '--' ? undefined : text;
}

const number = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d{1,3})?$/;

/** Returns whether a text is a finite number in the notation of data files. */
export function isNumber(text: string): boolean {
  return number.test(text) && Number.isFinite(Number(text));
}

/** Reads the number in a field, if any. Throws `RecordFault` for other text. */
export function numberAt(fields: readonly string[], place: number): number | undefined {
  const text = textAt(fields, place);
  if (text === undefined) return undefined;
  if (!isNumber(text)) throw new RecordFault('a number is needed', place + 1);
  const value = Number(text);
  if (text.length > 15 && /^[-+]?\d+$/.test(text) && !Number.isSafeInteger(value))
    throw new RecordFault('a whole number has too many digits', place + 1);
  return value;
}

/** Reads the position in a field, from 1, if any; R writes round ones as `1e+05`. Throws `RecordFault` for other text. */
export function positionAt(fields: readonly string[], place: number): number | undefined {
  const value = numberAt(fields, place);
  if (value !== undefined && !(Number.isSafeInteger(value) && value >= 0 && value < 1e15))
    throw new RecordFault('a position has to be a whole number', place + 1);
  return value;
}

/** Longer lists (names of reads, sequences) are of no use in a table. */
const textLengthMax = 4096;

/** Key under which a record whose uses are noted has itself without notes: attributes keep what nothing else reads. */
export const unnoted: unique symbol = Symbol('unnoted');

/** Makes the column `attributes`: what the columns of a file that have no column of their own say, as JSON. */
export function attributesOf(
  header: Header,
  usedPlaces: Iterable<number>,
): (fields: readonly string[], further?: Record<string, unknown>) => string | undefined {
  const used = new Set(usedPlaces);
  // The first column of a name counts, here as for all others.
  const kept = header.names.flatMap((name, place) =>
    used.has(place) || name === '' || header.names.indexOf(name) < place ? [] : [[name, place] as const],
  );
  return (record: readonly string[] & { [unnoted]?: readonly string[] }, further = {}) => {
    const fields = record[unnoted] ?? record;
    const found = kept.flatMap(([name, place]) => {
      const text = textAt(fields, place);
      return text !== undefined && text.length <= textLengthMax ? [[name, numberOrText(text)]] : [];
    });
    return jsonOf({ ...further, ...Object.fromEntries(found) });
  };
}

/** Writes an object as JSON; undefined if it is empty. */
export function jsonOf(attributes: Record<string, unknown>): string | undefined {
  const present = Object.entries(attributes).filter(([, value]) => value !== undefined);
  return present.length === 0 ? undefined : JSON.stringify(Object.fromEntries(present));
}

/** Numbers with all of their digits, also zeros at the end. Zeros in front and `1E5` are of ids. */
const keptNumber = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:e[+-][0-9]{1,3})?$/i;

/** Numbers as numbers, as they are written, unless digits would be lost when they are read. */
function numberOrText(text: string): unknown {
  return keptNumber.test(text) && text.replace(/\D/g, '').length <= 15 ? JSON.rawJSON(text) : text;
}
