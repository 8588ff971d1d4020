import type { RouteCase } from './cases.ts';
import type { Ids } from './world.ts';

/** Tickets and blocks of both areas of htsget. */
function casesOf(kind: 'reads' | 'variants', id: 'readGroupSet' | 'variants'): Record<string, RouteCase> {
  const path = (ids: Ids) => `/${ids.account}/v1/htsget/${kind}/${ids[id]}`;
  return {
    [`GET /:account/v1/htsget/${kind}/:id`]: { ask: (ids) => ({ path: path(ids) }) },
    [`POST /:account/v1/htsget/${kind}/:id`]: {
      ask: (ids) => ({ path: path(ids), body: { regions: [{ referenceName: `mark-of-${ids.account}` }] } }),
    },
    [`GET /:account/v1/htsget/${kind}/:id/blocks`]: { ask: (ids) => ({ path: `${path(ids)}/blocks` }) },
    [`GET /:account/v1/htsget/${kind}/service-info`]: {
      ask: (ids) => ({ path: `/${ids.account}/v1/htsget/${kind}/service-info` }),
      namesNothing: true,
    },
  };
}

export const htsgetCases: Record<string, RouteCase> = {
  ...casesOf('reads', 'readGroupSet'),
  ...casesOf('variants', 'variants'),
};
