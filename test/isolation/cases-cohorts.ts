import { newId } from '../../packages/server/src/base/ids.ts';
import type { Request, RouteCase } from './cases.ts';
import type { Household, Ids } from './world.ts';

const json = (path: string, body: object): Request => ({ path, body });

/** Queries of a cohort over a project that is not its own. */
const elsewhere = (ids: Ids) => [
  { project: ids.otherProject, queryType: 'sql', query: { sql: 'SELECT patient_id FROM patient' } },
];

async function freshCohort({ call, ids }: Household): Promise<Partial<Ids>> {
  const body = { name: newId(), ownerProject: ids.project };
  return { cohort: (await call('POST', '/v1/cohorts', { body })).body.id };
}

async function freshSavedQuery({ call, ids }: Household): Promise<Partial<Ids>> {
  const body = { name: newId(), statement: 'SELECT 1', shared: true };
  return { savedQuery: (await call('POST', savedQueries(ids), { body })).body.id };
}

async function freshReport({ call, ids }: Household): Promise<Partial<Ids>> {
  const body = { name: newId(), parts: [], shared: true };
  return { report: (await call('POST', reports(ids), { body })).body.id };
}

const reports = (ids: Ids): string => `/v1/projects/${ids.project}/reports`;

const savedQueries = (ids: Ids): string => `/v1/projects/${ids.project}/saved-queries`;

const studyLayout = (ids: Ids): string => `/v1/analytics/study/layout?datasetId=${ids.project}`;

/** Tools of assistants: each call is decided again by the route that it asks (protocols/assistants/assistants.test.ts). */
export const assistantCases: Record<string, RouteCase> = {
  'POST /:account/mcp': {
    ask: (ids) => {
      const params = { name: 'list_projects', arguments: {} };
      return json(`/${ids.account}/mcp`, { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    },
  },
  'GET /.well-known/oauth-protected-resource/:account/mcp': {
    ask: () => ({ path: '/.well-known/oauth-protected-resource/nobody/mcp' }),
    namesNothing: true,
  },
};

/** Saved queries. Reading a shared one needs data; changing that of another user `projectAdmin`. */
export const savedQueryCases: Record<string, RouteCase> = {
  'GET /v1/projects/:projectId/saved-queries': { ask: (ids) => ({ path: savedQueries(ids) }) },
  'POST /v1/projects/:projectId/saved-queries': {
    ask: (ids) => json(savedQueries(ids), { name: newId(), statement: 'SELECT 1' }),
  },
  'GET /v1/projects/:projectId/saved-queries/:savedQueryId': {
    ask: (ids) => ({ path: `${savedQueries(ids)}/${ids.savedQuery}` }),
  },
  'PUT /v1/projects/:projectId/saved-queries/:savedQueryId': {
    ask: (ids) =>
      json(`${savedQueries(ids)}/${ids.savedQuery}`, { name: newId(), statement: 'SELECT 2', shared: true }),
  },
  'PUT /v1/projects/:projectId/saved-queries/:savedQueryId/schedule': {
    ask: (ids) => json(`${savedQueries(ids)}/${ids.savedQuery}/schedule`, { cron: '0 0 1 1 *' }),
    // Only the owner plans.
    granted: 403,
  },
  'DELETE /v1/projects/:projectId/saved-queries/:savedQueryId/schedule': {
    ask: (ids) => ({ path: `${savedQueries(ids)}/${ids.savedQuery}/schedule` }),
  },
  'DELETE /v1/projects/:projectId/saved-queries/:savedQueryId': {
    ask: (ids) => ({ path: `${savedQueries(ids)}/${ids.savedQuery}` }),
    fresh: freshSavedQuery,
  },
};

/** Reports, under the rules of saved queries. */
export const reportCases: Record<string, RouteCase> = {
  'GET /v1/projects/:projectId/reports': { ask: (ids) => ({ path: reports(ids) }) },
  'POST /v1/projects/:projectId/reports': {
    ask: (ids) => json(reports(ids), { name: newId(), parts: [] }),
  },
  'GET /v1/projects/:projectId/reports/:reportId': {
    ask: (ids) => ({ path: `${reports(ids)}/${ids.report}` }),
  },
  'PUT /v1/projects/:projectId/reports/:reportId': {
    ask: (ids) => json(`${reports(ids)}/${ids.report}`, { name: newId(), parts: [], shared: true }),
  },
  'DELETE /v1/projects/:projectId/reports/:reportId': {
    ask: (ids) => ({ path: `${reports(ids)}/${ids.report}` }),
    fresh: freshReport,
  },
};

/** Patients as phenopackets. */
export const phenopacketCases: Record<string, RouteCase> = {
  'GET /v1/projects/:id/subjects/:subjectId/phenopacket': {
    ask: (ids) => ({ path: `/v1/projects/${ids.project}/subjects/mark-of-${ids.account}/phenopacket` }),
  },
};

/** Patients that were given to samples. */
export const sampleCases: Record<string, RouteCase> = {
  'GET /v1/projects/:id/annotation-sources': {
    ask: (ids) => ({ path: `/v1/projects/${ids.project}/annotation-sources` }),
  },
  'PUT /v1/projects/:id/annotation-filling': {
    ask: (ids) => json(`/v1/projects/${ids.project}/annotation-filling`, { isPaused: false }),
  },
  'GET /v1/projects/:id/annotation-changes': {
    ask: (ids) => ({ path: `/v1/projects/${ids.project}/annotation-changes` }),
  },
  'GET /v1/projects/:id/access': { ask: (ids) => ({ path: `/v1/projects/${ids.project}/access` }) },
  'GET /v1/projects/:id/masked-columns': {
    ask: (ids) => ({ path: `/v1/projects/${ids.project}/masked-columns` }),
  },
  'GET /v1/projects/:id/samples': { ask: (ids) => ({ path: `/v1/projects/${ids.project}/samples` }) },
  'PUT /v1/projects/:id/samples': {
    ask: (ids) => json(`/v1/projects/${ids.project}/samples`, { samples: [{ sampleId: 'later' }] }),
    // Asks for readData as well: a caller of some patients could name foreign samples.
    granted: 403,
  },
};

/** Exports, which only the user who started them may follow. */
export const exportCases: Record<string, RouteCase> = {
  'GET /v1/projects/:id/fhir/$export': {
    ask: (ids) => ({
      path: `/v1/projects/${ids.project}/fhir/$export`,
      headers: { prefer: 'respond-async' },
    }),
    further: [
      (ids) => ({
        path: `/v1/projects/${ids.project}/fhir/$export?cohort=${ids.cohort}`,
        headers: { prefer: 'respond-async' },
      }),
    ],
  },
  'POST /v1/projects/:id/exports': {
    ask: (ids) => json(`/v1/projects/${ids.project}/exports`, { format: 'vcf' }),
    further: [(ids) => json(`/v1/projects/${ids.project}/exports`, { format: 'vcf', cohort: ids.cohort })],
  },
  'GET /v1/exports/:id': { ask: (ids) => ({ path: `/v1/exports/${ids.export}` }), onlyOwn: true },
  'DELETE /v1/exports/:id': { ask: (ids) => ({ path: `/v1/exports/${ids.export}` }), onlyOwn: true },
};

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
  'GET /v1/cohorts/:cohortId/counts': { ask: (ids) => ({ path: `/v1/cohorts/${ids.cohort}/counts` }) },
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
      (ids) =>
        json('/v1/analytics/dsl', {
          datasetId: ids.project,
          query: { target: 'patient', where: { patient: { cohort: { operator: 'eq', value: ids.cohort } } } },
        }),
    ],
  },
  'POST /v1/analytics/study/query': {
    ask: (ids) =>
      json('/v1/analytics/study/query', { datasetId: ids.project, aggregates: [{ id: 'n', kind: 'count' }] }),
    further: [
      (ids) =>
        json('/v1/analytics/study/query', {
          datasetId: ids.project,
          filter: { not: { cohort: ids.cohort } },
        }),
      (ids) =>
        json('/v1/analytics/study/query', {
          datasetId: ids.project,
          filter: { where: { patient: { cohort: { operator: 'eq', value: ids.cohort } } } },
        }),
    ],
  },
  'POST /v1/analytics/study/subjects': {
    ask: (ids) => json('/v1/analytics/study/subjects', { datasetId: ids.project }),
    further: [
      (ids) =>
        json('/v1/analytics/study/subjects', { datasetId: ids.project, filter: { cohort: ids.cohort } }),
    ],
  },
  'POST /v1/analytics/study/parse': {
    ask: () => json('/v1/analytics/study/parse', { text: 'BRAF: MUT' }),
    namesNothing: true,
  },
  'GET /v1/analytics/study/attributes': {
    ask: (ids) => ({ path: `/v1/analytics/study/attributes?datasetId=${ids.project}` }),
  },
  'GET /v1/analytics/study/layout': { ask: (ids) => ({ path: studyLayout(ids) }) },
  'PUT /v1/analytics/study/layout': {
    ask: (ids) => json(studyLayout(ids), { charts: [] }),
  },
  'DELETE /v1/analytics/study/layout': { ask: (ids) => ({ path: studyLayout(ids) }) },
  'GET /v1/analytics/fields': {
    ask: () => ({ path: '/v1/analytics/fields' }),
    further: [(ids) => ({ path: `/v1/analytics/fields?datasetId=${ids.project}` })],
    namesNothing: true,
  },
};
