import { newId } from '../../packages/server/src/base/ids.ts';
import type { Request, RouteCase } from './cases.ts';
import type { Household, Ids } from './world.ts';

const json = (path: string, body: object): Request => ({ path, body });

/** Returns a read group set that is being made of a file that is no BAM. */
async function freshReads({ call, ids }: Household): Promise<Partial<Ids>> {
  const begun = await call('POST', '/v1/files', { body: { name: newId(), datasetId: ids.project } });
  await fetch(begun.body.uploadUrl, { method: 'PUT', body: 'x' });
  const body = { datasetId: ids.project, fileId: begun.body.id };
  return { readGroupSet: (await call('POST', `/${ids.account}/v1/readgroupsets`, { body })).body.id };
}

/** Datasets, reads and references: the account is in the path. */
export const genomicsCases: Record<string, RouteCase> = {
  'POST /:account/v1/datasets/search': { ask: (ids) => json(`/${ids.account}/v1/datasets/search`, {}) },
  'GET /:account/v1/datasets/:datasetId': {
    ask: (ids) => ({ path: `/${ids.account}/v1/datasets/${ids.project}` }),
  },
  'POST /:account/v1/readgroupsets/search': {
    ask: (ids) => json(`/${ids.account}/v1/readgroupsets/search`, { datasetId: ids.project }),
  },
  'POST /:account/v1/readgroupsets': {
    ask: (ids) =>
      json(`/${ids.account}/v1/readgroupsets`, { datasetId: ids.project, fileId: ids.bam, name: newId() }),
  },
  'GET /:account/v1/readgroupsets/:readGroupSetId': {
    ask: (ids) => ({ path: `/${ids.account}/v1/readgroupsets/${ids.readGroupSet}` }),
  },
  'DELETE /:account/v1/readgroupsets/:readGroupSetId': {
    ask: (ids) => ({ path: `/${ids.account}/v1/readgroupsets/${ids.readGroupSet}` }),
    fresh: freshReads,
  },
  'POST /:account/v1/referencesets/search': {
    ask: (ids) => json(`/${ids.account}/v1/referencesets/search`, {}),
  },
  'GET /:account/v1/referencesets/:referenceSetId': {
    ask: (ids) => ({ path: `/${ids.account}/v1/referencesets/${ids.referenceSet}` }),
  },
  'POST /:account/v1/references/search': {
    ask: (ids) => json(`/${ids.account}/v1/references/search`, { referenceSetId: ids.referenceSet }),
  },
  'GET /:account/v1/refget/sequence/service-info': {
    ask: (ids) => ({ path: `/${ids.account}/v1/refget/sequence/service-info` }),
    namesNothing: true,
  },
  'GET /:account/v1/refget/sequence/:digest': {
    ask: (ids) => ({ path: `/${ids.account}/v1/refget/sequence/${ids.sequence}` }),
  },
  'GET /:account/v1/refget/sequence/:digest/metadata': {
    ask: (ids) => ({ path: `/${ids.account}/v1/refget/sequence/${ids.sequence}/metadata` }),
  },
  'GET /:account/v1/references/:referenceId': {
    ask: (ids) => ({ path: `/${ids.account}/v1/references/${ids.reference}` }),
  },
  'GET /:account/v1/references/:referenceId/bases': {
    ask: (ids) => ({ path: `/${ids.account}/v1/references/${ids.reference}/bases?start=1` }),
  },
  'POST /:account/v1/references/:referenceId/bases': {
    ask: (ids) => json(`/${ids.account}/v1/references/${ids.reference}/bases`, { start: 1 }),
  },
};

const beacon = '/ga4gh/beacon/v2';
const documents = ['info', 'service-info', 'map', 'configuration', 'entry_types', 'filtering_terms'];
const allele = { referenceName: '1', start: [5], alternateBases: 'C' };

/** Beacon, which answers about what the caller may read. */
export const beaconCases: Record<string, RouteCase> = {
  ...Object.fromEntries(
    documents.map((name): [string, RouteCase] => [
      `GET ${beacon}/${name}`,
      { ask: () => ({ path: `${beacon}/${name}` }), namesNothing: true },
    ]),
  ),
  [`GET ${beacon}`]: { ask: () => ({ path: beacon }), namesNothing: true },
  [`GET ${beacon}/g_variants`]: {
    ask: () => ({ path: `${beacon}/g_variants?geneId=BRAF&requestedGranularity=count` }),
    namesNothing: true,
  },
  [`POST ${beacon}/g_variants`]: {
    ask: () => ({ path: `${beacon}/g_variants`, body: { query: { requestParameters: allele } } }),
    namesNothing: true,
  },
};
