import { Type } from 'typebox';
import type { Caller } from '../../../access/caller.ts';
import { Answer, type Located, type Route, route } from '../../../api/route.ts';
import { countOf, idParam, serviceInfoFields, textOf, timestampShape } from '../../../api/shapes.ts';
import { timestamp } from '../../../base/ids.ts';
import { notFound, type Problem } from '../../../base/problem.ts';
import { version } from '../../../base/version.ts';
import type { FilesTable } from '../../../platform/records/schema.ts';
import type { Files } from '../files.ts';
import type { Transfers } from '../uploads/transfers.ts';

const tag = 'Files: DRS';
const root = '/ga4gh/drs/v1';
/** The one way to the bytes of an object: a signed address. */
const accessId = 'https';

const errorShape = Type.Object(
  { msg: Type.String({ description: 'Reason and remedy' }), status_code: countOf('Status of the response') },
  { title: 'DrsError' },
);
const failure = (description: string) => ({ schema: errorShape, description });
const errors = {
  400: failure('The input is not valid'),
  401: failure('Without a valid key or token'),
  403: failure('The caller may not read the object'),
  404: failure('There is no such object, or it has other bytes now'),
  429: failure('Too many requests'),
  503: failure('A store is unavailable'),
};

/** Converts a problem to the error format of DRS. */
function drsProblem({ status, code, message }: Problem, requestId: string): Answer {
  const body = JSON.stringify({ msg: message, status_code: status, code, requestId });
  return new Answer(status, body, { 'content-type': 'application/json; charset=utf-8' });
}

const objectShape = Type.Object(
  {
    id: Type.String({ description: 'Id of the file, a point, and the SHA-256 of its bytes' }),
    name: textOf('Last part of the name of the file'),
    self_uri: Type.String({ description: '`drs://host/id`' }),
    size: countOf('Size in bytes'),
    created_time: timestampShape,
    updated_time: timestampShape,
    version: textOf('SHA-256 of the bytes, hex'),
    mime_type: textOf('Media type of the file'),
    checksums: Type.Array(
      Type.Object({ checksum: textOf('Digest in hex'), type: textOf('Kind of the digest: `sha-256`') }),
      { description: 'Digests of the bytes' },
    ),
    access_methods: Type.Array(
      Type.Object({
        type: textOf('Protocol of the address: `https`'),
        access_id: textOf('Id for the request of the address'),
      }),
      { description: 'Ways to the bytes' },
    ),
  },
  { title: 'DrsObject' },
);

interface DrsDeps {
  files: Files;
  transfers: Transfers;
  publicUrl: () => string;
}

/** Routes of the GA4GH Data Repository Service 1.4 over the files that a caller may read. */
export function drsRoutes(deps: DrsDeps): Route[] {
  return [serviceInfoRoute(deps), objectRoute(deps), accessRoute(deps)];
}

const described = { tag, problemPage: drsProblem } as const;

function serviceInfoRoute({ publicUrl }: DrsDeps): Route {
  return route({
    ...described,
    method: 'GET',
    path: `${root}/service-info`,
    operation: 'drs.serviceInfo',
    summary: 'Capabilities of the data repository (GA4GH service-info)',
    answers: {
      200: {
        schema: Type.Object({
          ...serviceInfoFields,
          maxBulkRequestLength: countOf('Objects of one request; bulk requests are not offered'),
        }),
        description: 'As GA4GH service-info and DRS describe it',
      },
      ...errors,
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
        // The standard requires a number, also of services without bulk requests.
        maxBulkRequestLength: 1,
      };
    },
  });
}

function objectRoute({ files, publicUrl }: DrsDeps): Route {
  return route({
    ...described,
    method: 'GET',
    path: `${root}/objects/:id`,
    operation: 'files.read',
    summary: 'A file as an object, with its checksum',
    description:
      'The id of a file alone names its present bytes. Objects have no parts: `expand` changes nothing.',
    params: idParam,
    query: Type.Object({ expand: Type.Optional(Type.Boolean()) }),
    answers: { 200: { schema: objectShape, description: 'The object' }, ...errors },
    locate: ({ params }, _account, caller) => locate(files, params.id, caller),
    handle: async ({ resource }) => objectOf(resource, publicUrl()),
  });
}

function accessRoute({ files, transfers }: DrsDeps): Route {
  return route({
    ...described,
    method: 'GET',
    path: `${root}/objects/:id/access/:accessId`,
    operation: 'files.read',
    summary: 'An address of the bytes of an object, which needs no key',
    params: Type.Object({ ...idParam.properties, accessId: Type.String({ minLength: 1, maxLength: 64 }) }),
    answers: {
      200: {
        schema: Type.Object(
          {
            url: Type.String({
              format: 'uri',
              description: 'Address of the bytes; needs no credentials',
            }),
          },
          { title: 'DrsAccessUrl' },
        ),
        description: 'The address; valid for `PLOIDY_SIGNED_URL_LIFE`',
      },
      ...errors,
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
