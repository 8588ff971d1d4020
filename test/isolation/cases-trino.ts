import type { RouteCase } from './cases.ts';

/** Routes of the Trino protocol. */
export const trinoCases: Record<string, RouteCase> = {
  'POST /v1/statement': { ask: () => ({ path: '/v1/statement', body: 'SELECT 1' }), namesNothing: true },
  'GET /v1/statement': { ask: () => ({ path: '/v1/statement' }), namesNothing: true },
  'GET /v1/statement/executing/:id/:token': {
    ask: (ids) => ({ path: `/v1/statement/executing/${ids.statement}/0` }),
    onlyOwn: true,
  },
  'DELETE /v1/statement/executing/:id/:token': {
    ask: (ids) => ({ path: `/v1/statement/executing/${ids.statement}/0` }),
    onlyOwn: true,
  },
  'GET /v1/statement/segments/:id/:number': {
    ask: (ids) => ({ path: `/v1/statement/segments/${ids.statement}/0` }),
  },
  'GET /v1/query/:id': { ask: (ids) => ({ path: `/v1/query/${ids.statement}` }), onlyOwn: true },
  'DELETE /v1/query/:id': { ask: (ids) => ({ path: `/v1/query/${ids.statement}` }), onlyOwn: true },
  'GET /v1/info': { ask: () => ({ path: '/v1/info' }), namesNothing: true },
  'GET /v1/info/state': { ask: () => ({ path: '/v1/info/state' }), namesNothing: true },
};
