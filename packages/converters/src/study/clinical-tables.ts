import { join } from 'node:path';
import type { ConvertedTable, Sql } from '@ploidy/engine';
import { literal } from '@ploidy/engine/task-runtime';
import {
  ClinicalHeader,
  clinicalText,
  clinicalValue,
  computedAttributes,
  isSurvivalStatus,
  type Row,
  type StudyAttribute,
  storedTable,
} from '@ploidy/formats';
import { TableFile } from '../tables/table-file.ts';
import { widthOf } from './matrix.ts';
import type { StudyAccount } from './study-account.ts';
import { linesOf, type StudyFile } from './unpack.ts';

type Level = 'patient' | 'sample';

/** A patient of a study, as far as tables of patients ask for it. */
export interface StudyPatient {
  gender?: string;
  race?: string;
  ethnicity?: string;
  isDeceased?: boolean;
}

/** Attributes that are also values of patients. */
const ofPatients: Readonly<Record<string, (patient: StudyPatient, value: string) => void>> = {
  SEX: (patient, value) => setGender(patient, value),
  GENDER: (patient, value) => setGender(patient, value),
  RACE: (patient, value) => (patient.race ??= value),
  ETHNICITY: (patient, value) => (patient.ethnicity ??= value),
  OS_STATUS: (patient, value) => {
    if (/^[01]:/.test(value)) patient.isDeceased = value.startsWith('1');
  },
};

const genders: ReadonlyMap<string, string> = new Map([
  ['m', 'male'],
  ['f', 'female'],
  ...['male', 'female', 'other', 'unknown'].map((word): [string, string] => [word, word]),
]);

function setGender(patient: StudyPatient, value: string): void {
  const gender = genders.get(value.toLowerCase());
  if (gender !== undefined) patient.gender ??= gender;
}

/** Patients, samples and attributes of the clinical files of a study. */
export class ClinicalTables {
  readonly patients = new Map<string, StudyPatient>();
  /** Patients by sample. */
  readonly samples = new Map<string, string>();
  readonly #attributes = new Map<string, StudyAttribute & { level: Level }>();
  readonly #values: TableFile;
  readonly #folder: string;
  readonly #prefix: string;

  /** `prefix`: put before the ids of patients. */
  constructor(folder: string, prefix: string) {
    this.#folder = folder;
    this.#prefix = prefix;
    const { columns } = storedTable('attribute_value');
    this.#values = new TableFile(join(folder, 'given-values.parquet'), { columns, orderBy: [] });
  }

  close(): void {
    this.#values.close();
  }

  /** Defines an attribute; false if the other level has it, or it is computed. */
  #define(attribute: StudyAttribute, level: Level, account: StudyAccount): boolean {
    if (computedAttributes.has(attribute.id)) {
      account.unread(`${attribute.id}: it is computed from the other data`);
      return false;
    }
    const known = this.#attributes.get(attribute.id);
    if (known && known.level !== level) {
      account.warn(`the attribute ${attribute.id} is also one of a ${known.level}: it was left out here`);
      account.unread(`${attribute.id}: an attribute of the other level has its id`);
      return false;
    }
    if (!known) this.#attributes.set(attribute.id, { ...attribute, level });
    account.read(attribute.id);
    return true;
  }

  /** Reads a clinical file. Files of samples are read first: only they name the samples of a patient. */
  async read(file: StudyFile, level: Level, account: StudyAccount): Promise<void> {
    const above: string[] = [];
    let header: ClinicalHeader | undefined;
    let taken: readonly (StudyAttribute | undefined)[] = [];
    const seen = new Set<string>();
    const ids = new Set<string>();
    for await (const { text, line } of linesOf(file.path)) {
      if (!header && text.startsWith('#')) above.push(text);
      else if (text.trim() === '') continue;
      else if (!header) {
        header = new ClinicalHeader(above, text.split('\t'));
        for (const title of header.titles) ids.add(title);
        const needed = level === 'sample' ? ['PATIENT_ID', 'SAMPLE_ID'] : ['PATIENT_ID'];
        const missing = needed.filter((title) => !ids.has(title));
        if (missing.length > 0) return account.leaveFile(`it has no column ${missing.join(', ')}`);
        for (const remark of header.remarks) account.warn(remark);
        taken = header.attributes.map((one) => (one && this.#define(one, level, account) ? one : undefined));
      } else this.#record(text.split('\t'), line, { header, taken, level, seen, ids }, account);
    }
  }

  #record(
    fields: readonly string[],
    line: number,
    { header, taken, level, seen, ids }: Reading,
    account: StudyAccount,
  ): void {
    const idAt = (title: string) => clinicalText(fields[header.place(title)]);
    const [own, sample] = [idAt('PATIENT_ID'), level === 'sample' ? idAt('SAMPLE_ID') : undefined];
    if (widthOf(fields, header.titles.length) > header.titles.length)
      account.leave('a line with more fields than the titles', line);
    else if (own === undefined || (level === 'sample' && sample === undefined))
      account.leave('a row without the id of its patient or sample', line);
    else if (seen.has(sample ?? own))
      account.leave(`a second row of the same ${level}: the first one counts`, line);
    else this.#subject(own, sample, fields, line, { header, taken, level, seen, ids }, account);
  }

  #subject(
    own: string,
    sample: string | undefined,
    fields: readonly string[],
    line: number,
    { taken, seen, ids }: Reading,
    account: StudyAccount,
  ): void {
    const key = sample ?? own;
    seen.add(key);
    account.gave();
    const patientId = `${this.#prefix}${own}`;
    const patient = this.patients.get(patientId) ?? {};
    this.patients.set(patientId, patient);
    if (sample !== undefined) this.samples.set(sample, patientId);
    for (const [place, attribute] of taken.entries()) {
      const text = attribute && clinicalText(fields[place]);
      if (!attribute || text === undefined) continue;
      const found = clinicalValue(text, attribute.type, isSurvivalStatus(attribute.id, ids));
      if (found.isOdd) account.odd(attribute.id, line);
      ofPatients[attribute.id]?.(patient, found.value);
      this.add({ attribute_id: attribute.id, patient_id: patientId, sample_id: sample, ...found });
    }
  }

  /** Adds an attribute that is computed. */
  defineComputed(attribute: StudyAttribute, level: Level): void {
    this.#attributes.set(attribute.id, { ...attribute, level });
  }

  has(attributeId: string): boolean {
    return this.#attributes.has(attributeId);
  }

  add(row: Row): void {
    this.#values.add(row);
  }

  /** Writes `attribute` and `attribute_value`. `computed`: SELECTs of further values. */
  async end(sql: Sql, computed: readonly string[]): Promise<ConvertedTable[]> {
    await this.#values.end(sql);
    const attributes = new TableFile(join(this.#folder, 'attribute.parquet'), storedTable('attribute'));
    try {
      for (const { id, ...rest } of this.#attributes.values()) attributes.add({ attribute_id: id, ...rest });
      await attributes.end(sql);
    } finally {
      attributes.close();
    }
    const path = join(this.#folder, 'attribute_value.parquet');
    const rows = await sql.run(
      `COPY (${shownValues([`FROM read_parquet(${literal(this.#values.path)})`, ...computed], attributes.path)}) TO ${literal(path)} (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1)`,
    );
    return [
      { table: 'attribute', path: attributes.path, rows: attributes.rowCount },
      { table: 'attribute_value', path, rows },
    ];
  }
}

interface Reading {
  header: ClinicalHeader;
  taken: readonly (StudyAttribute | undefined)[];
  level: Level;
  seen: Set<string>;
  ids: ReadonlySet<string>;
}

/** Patients who share a text that masked readers see: fewer could be recognised by it. */
const patientsMin = 5;
/** Texts that are a day, or have one in them. */
const days = String.raw`\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\b(?:19|20)\d{6}\b`;
const ageMax = 89;
/** Ages of 89 and of 130 years in years, months and days: above the first and below the second, a number may be an age to hide. */
const agesIn = [1, 12, 365.25].map((parts) => [ageMax * parts, 130 * parts] as const);

/**
 * Selects the values with `is_shown`. Texts are shown that several patients share. Numbers are shown unless they may be a day, a
 * year of birth, or an age above 89: all numbers of the attribute decide in which unit they could be one. Times of survivals
 * are no ages.
 */
function shownValues(values: readonly string[], attributes: string): string {
  const ages = agesIn.map(([from, to]) => `(number > ${from} AND greatest_number <= ${to})`).join(' OR ');
  const birth = `(are_whole AND least_number >= 1850 AND greatest_number <= 2100 AND number <= year(current_date) - ${ageMax + 1})`;
  const day = `(are_whole AND least_number >= 18500101 AND greatest_number <= 21001231)`;
  const named = `(regexp_matches(attribute_id, '(^|_)AGE(_|$)|BIRTH') AND number > ${ageMax})`;
  return `WITH given AS (${values.map((one) => `(${one})`).join(' UNION ALL BY NAME ')}),
    shares AS (SELECT attribute_id, value, count(DISTINCT patient_id) AS patients FROM given GROUP BY ALL),
    ranges AS (SELECT attribute_id, min(number) AS least_number, max(number) AS greatest_number, bool_and(number = floor(number)) AS are_whole
      FROM given GROUP BY attribute_id),
    known AS (SELECT attribute_id, type, attribute_id LIKE '%\\_MONTHS' ESCAPE '\\' AND replace(attribute_id || '|', '_MONTHS|', '_STATUS') IN
      (SELECT attribute_id FROM read_parquet(${literal(attributes)})) AS is_time FROM read_parquet(${literal(attributes)}))
    SELECT given.* REPLACE (CASE WHEN type <> 'number' THEN patients >= ${patientsMin} AND NOT regexp_matches(value, ${literal(days)})
      WHEN number IS NULL THEN false ELSE is_time OR NOT (${ages} OR ${birth} OR ${day} OR ${named}) END AS is_shown)
    FROM given JOIN shares USING (attribute_id, value) JOIN ranges USING (attribute_id) JOIN known USING (attribute_id)
    ORDER BY attribute_id, patient_id, sample_id`;
}
