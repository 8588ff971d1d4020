import { Type } from 'typebox';
import type { Caller } from '../../../access/caller.ts';
import { type Located, type Route, route } from '../../../api/route.ts';
import { countOf, idParam, serviceInfoFields } from '../../../api/shapes.ts';
import { timestamp } from '../../../base/ids.ts';
import { notFound } from '../../../base/problem.ts';
import { version } from '../../../base/version.ts';
import type { FilesTable } from '../../../platform/records/schema.ts';
import type { Files } from '../files.ts';
import type { Transfers } from '../uploads/transfers.ts';
import { bulkRoutes } from './bulk-routes.ts';
import { accessShape, described, drsErrors, drsRoot, objectShape, objectsMax } from './drs-shapes.ts';

/** The one way to the bytes of an object: a signed address. */
const accessId = 'https';

interface DrsDeps {
  files: Files;
  transfers: Transfers;
  publicUrl: () => string;
}

/** Routes of the GA4GH Data Repository Service 1.4 over the files that a caller may read. */
export function drsRoutes(deps: DrsDeps): Route[] {
  return [serviceInfoRoute(deps), objectRoute(deps), accessRoute(deps), ...bulkRoutes()];
}

function serviceInfoRoute({ publicUrl }: DrsDeps): Route {
  return route({
    ...described,
    method: 'GET',
    path: `${drsRoot}/service-info`,
    operation: 'drs.serviceInfo',
    summary: 'Get the capabilities of the data repository (GA4GH service-info)',
    answers: {
      200: {
        schema: Type.Object({
          ...serviceInfoFields,
          maxBulkRequestLength: countOf('Objects of one request at most'),
        }),
        description: 'As GA4GH service-info and DRS describe it',
      },
      ...drsErrors,
    },
    handle: async () => {
      const url = publicUrl();
      // Reversed host name, as in package names: unique without registration.
      const host = new URL(url).hostname.split('.').toReversed().join('.');
      return {
        id: `${host}.drs`,
        name: 'Data repository',
        description: 'Files of projects, for callers who may read them',
        version,
        organization: { name: 'Ploidy', url },
        type: { group: 'org.ga4gh', artifact: 'drs', version: '1.4.0' },
        maxBulkRequestLength: objectsMax,
      };
    },
  });
}

function objectRoute({ files, publicUrl }: DrsDeps): Route {
  return route({
    ...described,
    method: 'GET',
    path: `${drsRoot}/objects/:id`,
    operation: 'files.read',
    summary: 'Get a file as an object, with its checksum',
    description:
      'The id of a file alone names its present bytes. Objects have no parts: `expand` changes nothing.',
    params: idParam,
    query: Type.Object({ expand: Type.Optional(Type.Boolean()) }),
    answers: { 200: { schema: objectShape, description: 'The object' }, ...drsErrors },
    locate: ({ params }, _account, caller) => locate(files, params.id, caller),
    handle: async ({ resource }) => objectOf(resource, publicUrl()),
  });
}

function accessRoute({ files, transfers }: DrsDeps): Route {
  return route({
    ...described,
    method: 'GET',
    path: `${drsRoot}/objects/:id/access/:accessId`,
    operation: 'files.read',
    summary: 'Get an address of the bytes of an object, which needs no key',
    params: Type.Object({ ...idParam.properties, accessId: Type.String({ minLength: 1, maxLength: 64 }) }),
    answers: {
      200: {
        schema: accessShape,
        description: 'The address; valid for `PLOIDY_SIGNED_URL_LIFE`',
      },
      ...drsErrors,
    },
    locate: ({ params }, _account, caller) => locate(files, params.id, caller),
    handle: async ({ resource, params, caller }) => {
      if (params.accessId !== accessId) throw notFound();
      return { url: transfers.downloadUrl(resource, caller) };
    },
  });
}

/** Locates a file by an object's id. An id with a digest names these bytes only. */
async function locate(
  files: Files,
  id: string,
  caller: Caller | undefined,
): Promise<Located<FilesTable> | undefined> {
  const [fileId = '', ...rest] = id.split('.');
  const located = await files.locateToRead(fileId, caller);
  const digest = rest.join('.');
  return digest === '' || located?.record.sha256 === digest ? located : undefined;
}

function objectOf(file: FilesTable, publicUrl: string) {
  const id = `${file.id}.${file.sha256}`;
  return {
    id,
    name: file.name.slice(file.name.lastIndexOf('/') + 1),
    self_uri: `drs://${new URL(publicUrl).host}/${id}`,
    size: file.size,
    created_time: timestamp(file.created_at),
    updated_time: timestamp(file.modified_at),
    version: file.sha256,
    mime_type: file.content_type,
    checksums: [{ checksum: file.sha256, type: 'sha-256' }],
    access_methods: [{ type: 'https', access_id: accessId }],
  };
}
