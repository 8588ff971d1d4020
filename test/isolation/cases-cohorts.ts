import { newId } from '../../packages/server/src/ids.ts';
import type { Request, RouteCase } from './cases.ts';
import type { Household, Ids } from './world.ts';

const json = (path: string, body: object): Request => ({ path, body });

/** What a cohort asks of a project that is not its own. */
const elsewhere = (ids: Ids) => [
  { project: ids.otherProject, queryType: 'sql', query: { sql: 'SELECT patient_id FROM patient' } },
];

async function freshCohort({ call, ids }: Household): Promise<Partial<Ids>> {
  const body = { name: newId(), ownerProject: ids.project };
  return { cohort: (await call('POST', '/v1/cohorts', { body })).body.id };
}

/** Cohorts, and questions that are answered at once. */
export const cohortCases: Record<string, RouteCase> = {
  'GET /v1/cohorts': { ask: (ids) => ({ path: `/v1/cohorts?projectId=${ids.project}` }) },
  'POST /v1/cohorts': {
    ask: (ids) => json('/v1/cohorts', { name: newId(), ownerProject: ids.project }),
    further: [
      (ids) => json('/v1/cohorts', { name: newId(), ownerProject: ids.project, queries: elsewhere(ids) }),
    ],
  },
  'GET /v1/cohorts/:cohortId': { ask: (ids) => ({ path: `/v1/cohorts/${ids.cohort}` }) },
  'PATCH /v1/cohorts/:cohortId': {
    ask: (ids) => json(`/v1/cohorts/${ids.cohort}`, { description: 'Changed' }),
    further: [(ids) => json(`/v1/cohorts/${ids.cohort}`, { queries: elsewhere(ids) })],
  },
  'DELETE /v1/cohorts/:cohortId': {
    ask: (ids) => ({ path: `/v1/cohorts/${ids.cohort}` }),
    fresh: freshCohort,
  },
  'POST /v1/analytics/dsl': {
    ask: (ids) => json('/v1/analytics/dsl', { datasetId: ids.project, query: { target: 'patient' } }),
    further: [
      (ids) => json('/v1/analytics/dsl', { cohortId: ids.cohort, query: { target: 'patient' } }),
      (ids) =>
        json('/v1/analytics/dsl', {
          datasetId: ids.project,
          cohortId: ids.cohort,
          query: { target: 'patient' },
        }),
    ],
  },
  'GET /v1/analytics/fields': { ask: () => ({ path: '/v1/analytics/fields' }), namesNothing: true },
};
