import { literal } from '@ploidy/engine';
import { invalidInput, Problem } from '../../../base/problem.ts';
import { maskedParts } from '../fhir/masked-resources.ts';
import type { NewPart } from './exports.ts';

/** Resources to export; absent: all. */
export interface ResourceChoice {
  /** Names of types with commas between them. */
  types?: string | undefined;
  /** Instant from which on resources changed. */
  since?: string | undefined;
  cohort?: string | undefined;
  /** Only resources of a patient. */
  ofPatients?: boolean;
}

/** Returns a file of NDJSON for each type of masked resources. Problem 403 for a condition on an element that is never shown. */
export function maskedFhirParts(
  tables: ReadonlySet<string>,
  { types, since, cohort }: ResourceChoice,
): NewPart[] {
  if (since !== undefined) {
    const message = '_since compares an element that no masked resource has. Leave it out.';
    throw new Problem(403, 'FORBIDDEN', message);
  }
  const wanted = types === undefined ? undefined : new Set(namesIn(types));
  return [...maskedParts(tables)].flatMap(([type, rows]) =>
    wanted && !wanted.has(type) ? [] : [partOf(type, `(${rows})`, inCohort('patient_id', cohort))],
  );
}

/** Builds the statement that lists the types of the chosen resources. Masked rows have no `data` and are left out. */
export function typesStatement(choice: ResourceChoice): string {
  return `SELECT DISTINCT resource_type FROM resource WHERE ${conditionOf(choice)} ORDER BY 1`;
}

/** Returns a file of NDJSON for each type. */
export function fhirParts(types: readonly string[], choice: ResourceChoice): NewPart[] {
  const condition = conditionOf(choice);
  return types.map((type) => partOf(type, 'resource', `${condition} AND resource_type = ${literal(type)}`));
}

const partOf = (type: string, source: string, condition: string): NewPart => ({
  ...{ type, name: `${type}.ndjson`, format: 'fhir' },
  query: `SELECT data FROM ${source} WHERE ${condition}`,
});

/** Builds the condition that chooses patients of a cohort, or of all. */
export const inCohort = (column: string, cohort: string | undefined): string =>
  cohort === undefined
    ? 'true'
    : `${column} IN (SELECT patient_id FROM cohort WHERE cohort_id = ${literal(cohort)})`;

function conditionOf({ types, since, cohort, ofPatients }: ResourceChoice): string {
  const conditions = ['data IS NOT NULL', inCohort('patient_id', cohort)];
  if (ofPatients) conditions.push('patient_id IS NOT NULL');
  if (types !== undefined)
    conditions.push(
      `resource_type IN (${namesIn(types)
        .map((type) => literal(type))
        .join(', ')})`,
    );
  if (since !== undefined) {
    const updated = `TRY_CAST(json_extract_string(data, '$.meta.lastUpdated') AS TIMESTAMPTZ)`;
    // A resource without a time may have changed.
    conditions.push(`coalesce(${updated} >= CAST(${literal(instantOf(since))} AS TIMESTAMPTZ), true)`);
  }
  return conditions.join(' AND ');
}

function namesIn(types: string): string[] {
  const names = types.split(',').map((type) => type.trim());
  if (names.every((name) => /^[A-Z][A-Za-z]{1,62}$/.test(name))) return names;
  const message = 'must be names of FHIR types with commas between them';
  throw invalidInput([{ path: 'query/_type', message }]);
}

function instantOf(since: string): string {
  const time = /^\d{4}-\d\d-\d\dT/.test(since) ? Date.parse(since) : Number.NaN;
  if (!Number.isNaN(time)) return new Date(time).toISOString();
  throw invalidInput([{ path: 'query/_since', message: 'must be a time: 2024-05-01T10:00:00Z' }]);
}
