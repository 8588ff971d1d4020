import type { Request, RouteCase } from './cases.ts';

const lake = '/analytics/data-lake';
const json = (path: string, body: object): Request => ({ path, body });

/** Routes under both prefixes of the data lake. */
export function lakeCases(prefix: string): Record<string, RouteCase> {
  const root = `${prefix}${lake}`;
  return {
    [`GET ${root}/schema`]: { ask: (ids) => ({ path: `${root}/schema?datasetId=${ids.project}` }) },
    [`GET ${root}/schema/:table`]: {
      ask: (ids) => ({ path: `${root}/schema/${ids.table}?datasetId=${ids.project}` }),
    },
    [`GET ${root}/query`]: { ask: (ids) => ({ path: `${root}/query?datasetId=${ids.project}` }) },
    [`POST ${root}/query`]: {
      ask: (ids) =>
        json(`${root}/query`, { datasetId: ids.project, query: 'SELECT 1', outputFileName: 'one.csv' }),
    },
    [`POST ${root}/rows`]: {
      ask: (ids) => json(`${root}/rows`, { datasetId: ids.project, query: 'SELECT 1' }),
    },
    [`GET ${root}/query/:queryId`]: { ask: (ids) => ({ path: `${root}/query/${ids.query}` }) },
    // Another user's resource: needs projectAdmin as well.
    [`DELETE ${root}/query/:queryId`]: {
      ask: (ids) => ({ path: `${root}/query/${ids.query}` }),
      granted: 403,
    },
  };
}
