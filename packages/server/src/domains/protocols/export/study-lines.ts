import { literal } from '@ploidy/engine';
import { inCohort } from './fhir-parts.ts';

/** SQL of a text without tabs and line ends, which would break its line. */
export const cell = (sql: string): string =>
  `translate(CAST(${sql} AS VARCHAR), chr(9) || chr(10) || chr(13), '   ')`;

/** SQL of a line of these columns; NULL is an empty field. */
export const lineOf = (columns: readonly string[]): string =>
  columns.map((column) => `coalesce(${cell(column)}, '')`).join(' || chr(9) || ');

/** Statement of a file: fixed lines, then the lines of a SELECT (`line`, ordered by its `place`). */
export function fileOf(head: readonly string[], lines?: string): string {
  const fixed = head.map(
    (text, at) => `SELECT 0 AS part, '${String(at).padStart(3, '0')}' AS place, ${literal(text)} AS line`,
  );
  const all = lines === undefined ? fixed : [...fixed, `SELECT 1 AS part, place, line FROM (${lines})`];
  return `SELECT line FROM (${all.join(' UNION ALL ')}) ORDER BY part, place, line`;
}

/** Samples of the study: those of its patients. */
export const studySamples = (cohort: string | undefined): string =>
  `(SELECT id AS sample_id, patient_id FROM sequence WHERE patient_id IS NOT NULL AND ${inCohort('patient_id', cohort)})`;
