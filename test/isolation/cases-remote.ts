import type { RouteCase } from './cases.ts';

const root = '/iceberg/engine/v1';

/** Catalogue of the distributed engine: only the token of a running query opens anything. */
export const remoteCases: Record<string, RouteCase> = {
  [`GET ${root}/config`]: { ask: () => ({ path: `${root}/config` }), namesNothing: true },
  [`GET ${root}/namespaces`]: { ask: () => ({ path: `${root}/namespaces` }), namesNothing: true },
  [`GET ${root}/namespaces/:namespace`]: { ask: (ids) => ({ path: `${root}/namespaces/${ids.project}` }) },
  [`GET ${root}/namespaces/:namespace/tables`]: {
    ask: (ids) => ({ path: `${root}/namespaces/${ids.project}/tables` }),
  },
  [`GET ${root}/namespaces/:namespace/views`]: {
    ask: (ids) => ({ path: `${root}/namespaces/${ids.project}/views` }),
  },
  [`GET ${root}/namespaces/:namespace/tables/:table`]: {
    ask: (ids) => ({ path: `${root}/namespaces/${ids.project}/tables/${ids.table}` }),
  },
};

const open = '/iceberg/v1';

/** Iceberg catalogue of readers outside. */
export const openCases: Record<string, RouteCase> = {
  [`GET ${open}/config`]: { ask: () => ({ path: `${open}/config` }), namesNothing: true },
  [`GET ${open}/namespaces`]: { ask: () => ({ path: `${open}/namespaces` }), namesNothing: true },
  [`GET ${open}/namespaces/:namespace`]: { ask: (ids) => ({ path: `${open}/namespaces/${ids.project}` }) },
  [`GET ${open}/namespaces/:namespace/tables`]: {
    ask: (ids) => ({ path: `${open}/namespaces/${ids.project}/tables` }),
  },
  [`GET ${open}/namespaces/:namespace/tables/:table`]: {
    ask: (ids) => ({ path: `${open}/namespaces/${ids.project}/tables/${ids.table}` }),
  },
  'GET /ploidy-lake/:project/:table/:object': {
    ask: (ids) => ({ path: `/ploidy-lake/${ids.project}/${ids.table}/${ids.file}` }),
  },
};
