import { isNumber } from '../delimited/index.ts';

/** Words for no value in clinical files of cBioPortal. */
const nullWords = new Set([
  '',
  'na',
  '[not applicable]',
  '[not available]',
  '[pending]',
  '[discrepancy]',
  '[completed]',
  '[null]',
]);

/** Returns a value without blanks around it; undefined for a word for none. */
export function clinicalText(text: string | undefined): string | undefined {
  const trimmed = text?.trim() ?? '';
  return nullWords.has(trimmed.toLowerCase()) ? undefined : trimmed;
}

/** Attribute of patients or samples, as the header of a clinical file defines it. */
export interface StudyAttribute {
  id: string;
  name: string;
  type: 'string' | 'number' | 'boolean';
  description: string | undefined;
  priority: number | undefined;
}

const types: ReadonlyMap<string, StudyAttribute['type']> = new Map([
  ['STRING', 'string'],
  ['NUMBER', 'number'],
  ['BOOLEAN', 'boolean'],
]);

/** Attributes that are computed from other data: those of a file are never taken. */
export const computedAttributes: ReadonlySet<string> = new Set(['MUTATION_COUNT', 'FRACTION_GENOME_ALTERED']);

/** Columns of a clinical file, from its rows that start with `#` and its titles. */
export class ClinicalHeader {
  readonly titles: readonly string[];
  /** Attributes by column; undefined for ids, columns without a title, and repeated ones. */
  readonly attributes: readonly (StudyAttribute | undefined)[];
  readonly remarks: string[] = [];

  /** `above`: the rows with `#`, in their order: names, descriptions, types, priorities. */
  constructor(above: readonly string[], titles: readonly string[]) {
    this.titles = titles.map((title) => title.trim().toUpperCase());
    const rows = above.map((line) =>
      line
        .replace(/^#+/, '')
        .split('\t')
        .map((text) => text.trim()),
    );
    // Older files have the level between type and priority.
    const [names, descriptions, kinds, ...others] = rows;
    const priorities = others.findLast((row) => row.some((text) => /^-?\d+$/.test(text)));
    if (rows.length < 4)
      this.remarks.push(
        `it has ${rows.length} of the 4 rows of a clinical header: attributes without a type are texts`,
      );
    this.attributes = this.titles.map((id, place) => {
      if (id === '' || id === 'PATIENT_ID' || id === 'SAMPLE_ID') return undefined;
      if (this.titles.indexOf(id) < place) {
        this.remarks.push(`the attribute ${id} is repeated: its first column counts`);
        return undefined;
      }
      const kind = kinds?.[place]?.toUpperCase() ?? '';
      const type = types.get(kind);
      if (type === undefined && kinds !== undefined)
        this.remarks.push(`the type of ${id} is none of STRING, NUMBER and BOOLEAN: its values are texts`);
      const priority = priorities?.[place] ?? '';
      return {
        id,
        name: names?.[place] || id,
        type: type ?? 'string',
        description: descriptions?.[place] || undefined,
        priority: /^-?\d{1,9}$/.test(priority) ? Number(priority) : undefined,
      };
    });
  }

  place(title: string): number {
    return this.titles.indexOf(title);
  }
}

/** Words of survival that the format allows without the number of their event. */
const events: ReadonlyMap<string, string> = new Map([
  ['living', '0:LIVING'],
  ['alive', '0:LIVING'],
  ['deceased', '1:DECEASED'],
  ['dead', '1:DECEASED'],
  ['diseasefree', '0:DiseaseFree'],
  ['recurred/progressed', '1:Recurred/Progressed'],
  ['recurred', '1:Recurred/Progressed'],
  ['progressed', '1:Recurred/Progressed'],
]);

/** Value of an attribute. `isOdd`: not what its type asks for. */
interface ClinicalValue {
  value: string;
  number: number | undefined;
  isOdd: boolean;
}

/**
 * Reads a value by the type of its attribute. A number may have `<` or `>` before it. `isEvent`: of a status with times, whose
 * words get the number of their event.
 */
export function clinicalValue(text: string, type: StudyAttribute['type'], isEvent: boolean): ClinicalValue {
  if (isEvent) {
    const value = /^[01]:/.test(text) ? text : (events.get(text.toLowerCase()) ?? text);
    return { value, number: undefined, isOdd: !/^[01]:/.test(value) };
  }
  if (type === 'number') {
    const digits = text.replace(/^[<>]=?\s*/, '');
    return isNumber(digits)
      ? { value: text, number: Number(digits), isOdd: false }
      : { value: text, number: undefined, isOdd: true };
  }
  if (type === 'boolean') {
    const isBoolean = /^(?:true|false)$/i.test(text);
    return { value: isBoolean ? text.toUpperCase() : text, number: undefined, isOdd: !isBoolean };
  }
  return { value: text, number: undefined, isOdd: false };
}

/** Returns whether an attribute is the status of a survival: `X_STATUS` beside `X_MONTHS`. */
export const isSurvivalStatus = (id: string, ids: ReadonlySet<string>): boolean =>
  id.endsWith('_STATUS') && ids.has(`${id.slice(0, -'_STATUS'.length)}_MONTHS`);
