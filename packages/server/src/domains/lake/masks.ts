import { createHmac } from 'node:crypto';
import { type Column, engineTypes } from '@ploidy/formats/tables';

/** Oldest age, in years, that a year of birth may tell (45 CFR 164.514(b)(2)(i)(C): 90 and over are one group). */
const ageMax = 89;
/** Dates move by 1 to this many days, each patient by his own. */
const shiftDaysMax = 364;
/** What a code is made of; the columns of a concept hold its text where it has no code, and texts hold blanks. */
const codePattern = '[A-Za-z0-9._:/+-]{1,64}';
/** Race and ethnicity (OMB standards of 1997, as US Core names them), and what is said where they are not known. */
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
/** Several are joined as `fhir/maps/patient.ts` does. */
const ombPattern = `(?:${ombCategories})(?:; (?:${ombCategories}))*`;

/** Secrets of the masks of one project, so that a hash joins within the project and nowhere else. */
export class Masks {
  readonly #key: string;

  constructor(key: Uint8Array, project: string) {
    this.#key = createHmac('sha256', key).update(project).digest('hex');
  }

  /** SQL of a column as a caller sees it who may only read masked data. `patient`: SQL of the row's patient id. */
  expression(column: Column, patient: string | undefined): string {
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
      case 'omb':
        return `CASE WHEN regexp_full_match(${name}, '${ombPattern}', 'i') THEN ${name} END AS ${name}`;
      case 'year':
        return `${yearOnly(name)} AS ${name}`;
      case 'shift':
        return `${this.#shift(name, patient)} AS ${name}`;
    }
  }

  /** SQL of the keyed hash of a text. */
  hash(value: string): string {
    return `left(sha256('${this.#key}' || ':' || ${value}), 32)`;
  }

  /** Without a patient there is no offset, and an unshifted date would tell too much. */
  #shift(value: string, patient: string | undefined): string {
    if (!patient) return 'CAST(NULL AS DATE)';
    const days = `(1 + CAST('0x' || left(sha256('${this.#key}:shift:' || ${patient}), 8) AS UBIGINT) % ${shiftDaysMax})`;
    return `(${value} - CAST(${days} AS INTEGER))`;
  }
}

function yearOnly(value: string): string {
  const oldest = `(year(current_date) - ${ageMax + 1})`;
  return `make_date(CASE WHEN year(${value}) < ${oldest} THEN ${oldest} ELSE year(${value}) END, 1, 1)`;
}
