import { newId } from '../../packages/server/src/base/ids.ts';
import type { RouteCase } from './cases.ts';
import { type Household, type Ids, nobody } from './world.ts';

const body = { name: 'Made', apiBaseUrl: `${nobody}made` };

async function freshEhr({ call }: Household): Promise<Partial<Ids>> {
  return { ehr: (await call('POST', '/v1/ehrs', { body: { ...body, name: newId() } })).body.id };
}

const change: RouteCase = { ask: (ids) => ({ path: `/v1/ehrs/${ids.ehr}`, body: { ehrType: 'Changed' } }) };

/** EHR systems and their syncs. */
export const ehrCases: Record<string, RouteCase> = {
  'GET /v1/ehrs': { ask: () => ({ path: '/v1/ehrs' }), namesNothing: true },
  'POST /v1/ehrs': { ask: () => ({ path: '/v1/ehrs', body }), namesNothing: true },
  'GET /v1/ehrs/:ehrId': { ask: (ids) => ({ path: `/v1/ehrs/${ids.ehr}` }) },
  // Open to any caller, and this one does not exist.
  'GET /v1/ehrs/:ehrId/jwks': { ask: (ids) => ({ path: `/v1/ehrs/${ids.ehr}/jwks` }), granted: 404 },
  'UPDATE /v1/ehrs/:ehrId': change,
  'PUT /v1/ehrs/:ehrId': change,
  'PATCH /v1/ehrs/:ehrId': change,
  'DELETE /v1/ehrs/:ehrId': { ask: (ids) => ({ path: `/v1/ehrs/${ids.ehr}` }), fresh: freshEhr },
  'POST /v1/ehrs/:ehrId/check': { ask: (ids) => ({ path: `/v1/ehrs/${ids.ehr}/check` }), bodiless: true },
  // Needs createData for the project as well.
  'POST /v1/ehrs/:ehrId/sync': {
    ask: (ids) => ({ path: `/v1/ehrs/${ids.ehr}/sync`, body: { datasetId: ids.project } }),
    granted: 403,
  },
  'GET /v1/ehrs/:ehrId/syncs': { ask: (ids) => ({ path: `/v1/ehrs/${ids.ehr}/syncs` }) },
  'GET /v1/ehrs/:ehrId/syncs/:syncId': {
    ask: (ids) => ({ path: `/v1/ehrs/${ids.ehr}/syncs/${ids.sync}` }),
  },
  // The sync has ended.
  'DELETE /v1/ehrs/:ehrId/syncs/:syncId': {
    ask: (ids) => ({ path: `/v1/ehrs/${ids.ehr}/syncs/${ids.sync}` }),
    granted: 409,
  },
};
