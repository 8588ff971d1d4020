import { newId } from '../../packages/server/src/ids.ts';
import type { Request, RouteCase } from './cases.ts';
import type { Household, Ids } from './world.ts';

const json = (path: string, body: object): Request => ({ path, body });

async function freshCohort({ call, ids }: Household): Promise<Partial<Ids>> {
  const body = { name: newId(), ownerProject: ids.project };
  return { cohort: (await call('POST', '/v1/cohorts', { body })).body.id };
}

/** Cohorts, and questions that are answered at once. */
export const cohortCases: Record<string, RouteCase> = {
  'GET /v1/cohorts': { ask: (ids) => ({ path: `/v1/cohorts?projectId=${ids.project}` }) },
  'POST /v1/cohorts': {
    ask: (ids) => json('/v1/cohorts', { name: newId(), ownerProject: ids.project }),
  },
  'GET /v1/cohorts/:cohortId': { ask: (ids) => ({ path: `/v1/cohorts/${ids.cohort}` }) },
  'PATCH /v1/cohorts/:cohortId': {
    ask: (ids) => json(`/v1/cohorts/${ids.cohort}`, { description: 'Changed' }),
  },
  'DELETE /v1/cohorts/:cohortId': {
    ask: (ids) => ({ path: `/v1/cohorts/${ids.cohort}` }),
    fresh: freshCohort,
  },
  'POST /v1/analytics/dsl': {
    ask: (ids) => json('/v1/analytics/dsl', { datasetId: ids.project, query: { target: 'patient' } }),
  },
  'GET /v1/analytics/fields': { ask: () => ({ path: '/v1/analytics/fields' }), namesNothing: true },
};
