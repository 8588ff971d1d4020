import { createHash, createHmac } from 'node:crypto';
import {
  type Column,
  engineTypes,
  maskedElements,
  type Table,
  tables,
  wordsColumn,
} from '@ploidy/formats/tables';

/** Oldest age in years that a year of birth may reveal (45 CFR 164.514(b)(2)(i)(C): 90 and over form one group). */
const ageMax = 89;
/** Maximum number of days by which the dates of a patient are shifted. */
const shiftDaysMax = 364;
/** Pattern of a code. Words in place of a code are not shown. */
const codePattern = '[A-Za-z0-9._:/+-]{1,64}';
/**
 * Codes in files that do not mark words (`_words` is NULL): of FHIR itself, languages, HL7 v2 and v3, ICD-10, and concepts of
 * SNOMED CT. Names of persons look like none of them. The identifier of a concept has 00 or 10 before its check digit (SNOMED
 * CT Release File Specification, 6.3); other digits could be the number of a person, and appear after another ingestion.
 */
const knownCodePattern =
  '[a-z]+(-[a-z]+)*|[a-z]{2,3}-[A-Z]{2}|[A-Z]{1,4}|[A-Z][0-9][0-9A-Z]([.][0-9A-Z]{1,4})?|[1-9][0-9]{2,14}[01]0[0-9]';
/** Categories of race and ethnicity (OMB standards of 1997, as in US Core), and the values for unknown. */
const ombCategories = [
  'American Indian or Alaska Native',
  'Asian',
  'Black or African American',
  'Native Hawaiian or Other Pacific Islander',
  'White',
  'Other Race',
  '(?:Not |Non[- ])?Hispanic or Latino',
  'Unknown',
  'Asked but (?:no answer|unknown)',
  '[0-9]{4}-[0-9]',
  'UNK|ASKU|OTH',
].join('|');
/** Several values are joined as in `fhir/maps/patient.ts`. */
const ombPattern = `(?:${ombCategories})(?:; (?:${ombCategories}))*`;

/** Masks of one project. The key is the project's own: equal hashes join within it and nowhere else. */
export class Masks {
  readonly #key: string;

  constructor(key: Uint8Array, project: string) {
    this.#key = createHmac('sha256', key).update(project).digest('hex');
  }

  /** Builds the SQL of a column for a caller of masked data. `patient`: SQL of the row's patient id. */
  expression(column: Omit<Column, 'about'>, patient: string | undefined): string {
    const name = `"${column.name}"`;
    const type = engineTypes[column.type];
    switch (column.mask) {
      case 'none':
        return name;
      case 'null':
        return `CAST(NULL AS ${type}) AS ${name}`;
      case 'hash':
        return `${this.hash(name)} AS ${name}`;
      case 'code':
        return `CASE WHEN regexp_full_match(${name}, '${codePattern}') THEN ${name} END AS ${name}`;
      case 'coded':
        return `CASE WHEN ${isCode(column.name)} THEN ${name} END AS ${name}`;
      case 'element':
        return `CASE WHEN ${isShownElement} THEN ${name} END AS ${name}`;
      case 'elementCode':
        return `CASE WHEN ${isShownElement} AND regexp_full_match(${name}, '${codePattern}') THEN ${name} END AS ${name}`;
      case 'omb':
        return `CASE WHEN regexp_full_match(${name}, '${ombPattern}', 'i') THEN ${name} END AS ${name}`;
      case 'shown':
        return `CASE WHEN "is_shown" THEN ${name} END AS ${name}`;
      case 'year':
        return `${yearOnly(name)} AS ${name}`;
      case 'shift':
        return `${this.#shift(name, patient)} AS ${name}`;
    }
  }

  /**
   * Digest of the key and of the masks of tables: another one means that other values would be shown. `own`: definitions
   * of tables that the project defines itself.
   */
  digestOf(names: readonly string[], own: ReadonlyMap<string, Table>): string {
    const digest = createHash('sha256').update(this.hash('id'));
    for (const name of [...names].sort()) {
      const masked = (tables.get(name) ?? own.get(name))?.columns.filter(({ mask }) => mask !== 'none') ?? [];
      for (const column of masked) digest.update(`${name} ${this.expression(column, 'id')}\n`);
    }
    return digest.digest('hex').slice(0, 32);
  }

  /** Builds the SQL of the keyed hash of a string. */
  hash(value: string): string {
    return `left(sha256('${this.#key}' || ':' || ${value}), 32)`;
  }

  /** Shifts a date by the patient's offset; NULL without a patient, since an unshifted date reveals too much. */
  #shift(value: string, patient: string | undefined): string {
    if (!patient) return 'CAST(NULL AS DATE)';
    const days = `(1 + CAST('0x' || left(sha256('${this.#key}:shift:' || ${patient}), 8) AS UBIGINT) % ${shiftDaysMax})`;
    return `(${value} - CAST(${days} AS INTEGER))`;
  }
}

/** Tests that a table beside `coding` shows the codes of an element. */
const isShownElement = `("resource_type" || ' ' || "path") IN (${maskedElements.map((one) => `'${one}'`).join(', ')})`;

/** Tests that a value of a column of the mask `coded` is a code. */
function isCode(column: string): string {
  const words = `"${wordsColumn}"`;
  const isUnmarkedCode = `strpos(${words}, ',${column},') = 0 AND regexp_full_match("${column}", '${codePattern}')`;
  return `CASE WHEN ${words} IS NULL THEN regexp_full_match("${column}", '${knownCodePattern}') ELSE ${isUnmarkedCode} END`;
}

function yearOnly(value: string): string {
  const oldest = `(year(current_date) - ${ageMax + 1})`;
  return `make_date(CASE WHEN year(${value}) < ${oldest} THEN ${oldest} ELSE year(${value}) END, 1, 1)`;
}
