import { isDeepStrictEqual } from 'node:util';
import { invalidInput, Problem, type ProblemDetail } from '../../../base/problem.ts';
import type { Lake } from '../../lake/index.ts';
import {
  type Compiler,
  cohortsNamed,
  KnownCollections,
  type PatientTest,
  readQuery,
  type UnknownKeys,
} from '../analytics/index.ts';
import { patientsOf, readStored } from '../study/index.ts';
import type { CohortQuery } from './cohort.ts';

/** Sources of the members in one project. */
export interface MemberSource {
  /** Tests of which a member passes at least one. */
  tests: PatientTest[];
  /** Statements with a column `patient_id`; `at`: index of the query. */
  statements: { sql: string; at: number }[];
  /** SELECTs of patients that pass the filter of a study. */
  selects: ((compiler: Compiler) => string)[];
}

/**
 * Returns the sources by project. Problem 400 with the path of every error. `held`: stored queries, which may
 * hold unknown keys that were accepted once.
 */
export async function readQueries(
  lake: Lake,
  queries: CohortQuery[],
  subjects: { project: string; ids: string[] },
  held: CohortQuery[],
): Promise<Map<string, MemberSource>> {
  const sources = new Map<string, MemberSource>();
  const details: ProblemDetail[] = [];
  const isHeld = ({ project, queryType, query }: CohortQuery): boolean =>
    held.some((one) =>
      isDeepStrictEqual([one.project, one.queryType, one.query], [project, queryType, query]),
    );
  const sourceOf = (project: string): MemberSource => {
    const known = sources.get(project) ?? { tests: [], statements: [], selects: [] };
    sources.set(project, known);
    return known;
  };
  if (subjects.ids.length > 0) sourceOf(subjects.project).tests.push({ kind: 'named', ids: subjects.ids });
  for (const [at, query] of queries.entries()) {
    const known = new KnownCollections(await lake.ownTables(query.project));
    try {
      const unknownKeys = isHeld(query) ? 'ignored' : 'reported';
      addTo(sourceOf(query.project), query, at, { unknownKeys, known });
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
  { unknownKeys, known }: { unknownKeys: UnknownKeys; known: KnownCollections },
): void {
  const path = `body/queries/${at}/query`;
  if (queryType === 'dsl') {
    const read = readQuery(query, path, unknownKeys, known);
    if (read.target.name !== 'patient') {
      throw invalidInput([{ path: `${path}/target`, message: 'must be patient' }]);
    }
    if (cohortsNamed(query).length > 0)
      throw invalidInput([{ path: `${path}/where`, message: 'must not name cohorts' }]);
    source.tests.push(read.where);
  } else if (queryType === 'sql') {
    const { sql } = query;
    if (typeof sql !== 'string' || sql.trim() === '') {
      throw invalidInput([{ path: `${path}/sql`, message: 'must be a statement that selects patient_id' }]);
    }
    source.statements.push({ sql, at });
  } else if (queryType === 'study') {
    const { unit, filter } = readStored(query, path);
    source.selects.push(patientsOf(filter, unit, known));
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
