import { isDeepStrictEqual } from 'node:util';
import { invalidInput, Problem, type ProblemDetail } from '../../problem.ts';
import { type PatientTest, readQuery, type UnknownKeys } from '../analytics/index.ts';
import type { CohortQuery } from './cohort.ts';

/** What makes the members in one project. */
export interface MemberSource {
  /** Patients for whom one of these holds. */
  tests: PatientTest[];
  /** Statements of the author's with a column `patient_id`; `at`: which of the cohort's queries it is. */
  statements: { sql: string; at: number }[];
}

/**
 * The sources by project. Problem 400 with the path of every mistake of every query. `held` are queries that the cohort has: they may
 * have keys that mean nothing, because such keys were taken once.
 */
export function readQueries(
  queries: CohortQuery[],
  subjects: { project: string; ids: string[] },
  held: CohortQuery[],
): Map<string, MemberSource> {
  const sources = new Map<string, MemberSource>();
  const details: ProblemDetail[] = [];
  const isHeld = ({ project, queryType, query }: CohortQuery): boolean =>
    held.some((one) =>
      isDeepStrictEqual([one.project, one.queryType, one.query], [project, queryType, query]),
    );
  const sourceOf = (project: string): MemberSource => {
    const known = sources.get(project) ?? { tests: [], statements: [] };
    sources.set(project, known);
    return known;
  };
  if (subjects.ids.length > 0) sourceOf(subjects.project).tests.push({ kind: 'named', ids: subjects.ids });
  for (const [at, query] of queries.entries()) {
    try {
      const unknownKeys = isHeld(query) ? 'ignored' : 'told';
      addTo(sourceOf(query.project), query, at, unknownKeys);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      details.push(...(error.details ?? []));
    }
  }
  if (details.length > 0) throw invalidInput(details);
  return sources;
}

function addTo(
  source: MemberSource,
  { queryType, query }: CohortQuery,
  at: number,
  unknownKeys: UnknownKeys,
): void {
  const path = `body/queries/${at}/query`;
  if (queryType === 'dsl') {
    const read = readQuery(query, path, unknownKeys);
    if (read.target.name !== 'patient') {
      throw invalidInput([{ path: `${path}/target`, message: 'must be patient' }]);
    }
    source.tests.push(read.where);
  } else if (queryType === 'sql') {
    const { sql } = query;
    if (typeof sql !== 'string' || sql.trim() === '') {
      throw invalidInput([{ path: `${path}/sql`, message: 'must be a statement that selects patient_id' }]);
    }
    source.statements.push({ sql, at });
  } else {
    const { subjectIds } = query;
    if (!isListOfTexts(subjectIds)) {
      throw invalidInput([{ path: `${path}/subjectIds`, message: 'must be a list of patient ids' }]);
    }
    source.tests.push({ kind: 'named', ids: subjectIds });
  }
}

function isListOfTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}
