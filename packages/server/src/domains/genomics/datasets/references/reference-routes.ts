import { Type } from 'typebox';
import type { Pages } from '../../../../api/paging.ts';
import { type Route, route } from '../../../../api/route.ts';
import { idOf } from '../../../../api/shapes.ts';
import { accountParam, locateAccount } from '../dataset-routes.ts';
import { filterShape, nextPageTokenShape, pageOfRows, readSearch, searchFields, wanted } from '../search.ts';
import { basesRoutes } from './bases-routes.ts';
import type { ReferenceSets } from './reference-sets.ts';
import { referenceSetShape, referenceShape, viewOfReference, viewOfReferenceSet } from './reference-views.ts';
import { refgetRoutes } from './refget-routes.ts';

const tag = 'Genomics';

interface ReferenceRouteDeps {
  referenceSets: ReferenceSets;
  pages: Pages;
  publicUrl: () => string;
}

/** Routes of /{account}/v1/referencesets and /{account}/v1/references. */
export function referenceRoutes(deps: ReferenceRouteDeps): Route[] {
  const { referenceSets } = deps;
  return [
    searchSetsRoute(deps),
    route({
      method: 'GET',
      path: '/:account/v1/referencesets/:referenceSetId',
      operation: 'references.read',
      tag,
      summary: 'Get a reference set',
      params: Type.Object({
        ...accountParam.properties,
        referenceSetId: idOf('Id of the reference set'),
      }),
      answers: { 200: { schema: referenceSetShape, description: 'The reference set' } },
      locate: ({ params }) => referenceSets.locate(params.account, params.referenceSetId),
      handle: async ({ resource }) => viewOfReferenceSet(resource),
    }),
    searchRoute(deps),
    route({
      method: 'GET',
      path: '/:account/v1/references/:referenceId',
      operation: 'references.read',
      tag,
      summary: 'Get a reference',
      params: Type.Object({
        ...accountParam.properties,
        referenceId: idOf('Id of the reference'),
      }),
      answers: { 200: { schema: referenceShape, description: 'The reference' } },
      locate: ({ params }) => referenceSets.locateReference(params.account, params.referenceId),
      handle: async ({ resource }) => viewOfReference(resource.reference),
    }),
    ...basesRoutes(deps),
    ...refgetRoutes(deps),
  ];
}

function searchSetsRoute({ referenceSets, pages }: ReferenceRouteDeps): Route {
  return route({
    method: 'POST',
    path: '/:account/v1/referencesets/search',
    onlyReads: true,
    operation: 'references.search',
    tag,
    summary: 'Search the reference sets that you may read',
    description: 'Filters are exact.',
    params: accountParam,
    body: Type.Object({
      md5checksum: filterShape('Checksum of the set'),
      accession: filterShape('One of its accessions'),
      assemblyId: filterShape('Assembly, such as `GRCh38`'),
      ...searchFields,
    }),
    answers: {
      200: {
        schema: Type.Object({
          referenceSets: Type.Array(referenceSetShape, { description: 'Sets of this page' }),
          nextPageToken: nextPageTokenShape,
        }),
        description: 'In order of creation',
      },
    },
    locate: async ({ params }) => locateAccount(params.account),
    handle: async ({ params: { account }, body, caller }) => {
      const filter = {
        md5checksum: wanted(body.md5checksum),
        accession: wanted(body.accession),
        assemblyId: wanted(body.assemblyId),
      };
      const search = readSearch(pages, body, ['referencesets', account, caller.userId, filter]);
      const found = await referenceSets.list(caller, account, filter, search.page);
      const { rows, ...next } = pageOfRows(pages, found, search, ({ id }) => [id]);
      return { referenceSets: rows.map(viewOfReferenceSet), ...next };
    },
  });
}

function searchRoute({ referenceSets, pages }: ReferenceRouteDeps): Route {
  return route({
    method: 'POST',
    path: '/:account/v1/references/search',
    onlyReads: true,
    operation: 'references.search',
    tag,
    summary: 'Search the references that you may read',
    description: 'Filters are exact.',
    params: accountParam,
    body: Type.Object({
      referenceSetId: filterShape('Set; absent: all sets that you may read'),
      md5checksum: filterShape('Checksum of its bases'),
      accession: filterShape('Accession, such as `NC_000001.11`'),
      ...searchFields,
    }),
    answers: {
      200: {
        schema: Type.Object({
          references: Type.Array(referenceShape, { description: 'References of this page' }),
          nextPageToken: nextPageTokenShape,
        }),
        description: 'Set by set, in the order of their sources',
      },
    },
    locate: async ({ params: { account }, body }) => {
      const set = wanted(body.referenceSetId);
      if (set !== undefined && !(await referenceSets.isThere(account, set))) return undefined;
      return locateAccount(account);
    },
    handle: async ({ params: { account }, body, caller }) => {
      const filter = {
        referenceSetId: wanted(body.referenceSetId),
        md5checksum: wanted(body.md5checksum),
        accession: wanted(body.accession),
      };
      const search = readSearch(pages, body, ['references', account, caller.userId, filter]);
      const found = await referenceSets.listReferences(caller, account, filter, search.page);
      const { rows, ...next } = pageOfRows(pages, found, search, (row) => [row.set_id, row.position]);
      return { references: rows.map(viewOfReference), ...next };
    },
  });
}
