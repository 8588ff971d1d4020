import { Type } from 'typebox';
import type { Caller } from '../../../access/caller.ts';
import { Answer, bodyFor, type Route, route } from '../../../api/route.ts';
import { notFound, Problem } from '../../../base/problem.ts';
import { pathOf } from '../../../base/public-path.ts';
import type { Blobs } from '../../../platform/blobs/blobs.ts';
import type { Records } from '../../../platform/records/records.ts';
import type { AddressUses } from '../../audit/index.ts';
import { requestedRange } from '../../files/index.ts';
import type { Holders } from '../../identity/addresses/index.ts';
import { attributesOfTables, rowAccessOf } from '../../lake/index.ts';
import { type Audiences, isShownRows } from './audiences.ts';
import { bucket, type Objects } from './objects.ts';
import type { Grant, ReadingGrants } from './reading-grants.ts';
import { isServed } from './served-objects.ts';
import { isSignedWith, type SignedRequest, signatureOf } from './signature-v4.ts';

interface ObjectRouteDeps {
  records: Records;
  objects: Objects;
  grants: ReadingGrants;
  blobs: Blobs;
  holders: Holders;
  uses: AddressUses;
  audiences: Audiences;
  publicUrl: () => string;
  countsMin: number;
  projectExists: (id: string) => Promise<boolean>;
}

const refusal = { schema: Type.Unknown(), contentType: 'application/xml' };
const part = (description: string) => Type.String({ minLength: 1, maxLength: 255, description });

/** Serves the files of Iceberg tables to clients of S3, by the credentials of a loaded table. */
export function objectRoutes(deps: ObjectRouteDeps): Route[] {
  const { records, objects, blobs, uses } = deps;
  return [
    route({
      method: 'GET',
      path: `/${bucket}/:project/:table/:object`,
      operation: 'lake.readObject',
      tag: 'Iceberg',
      problemPage: objectProblem,
      summary: 'Read a file of an Iceberg table as an object of S3',
      description: 'Signed by AWS Signature Version 4 with the credentials of the loaded table.',
      params: Type.Object({
        project: part('Id of the project'),
        table: part('Name of the table'),
        object: part('Name of the object, from the metadata of the table'),
      }),
      query: Type.Object({ 'x-id': Type.Optional(part('Name of the action, which some clients send')) }),
      headers: ['Range'],
      answers: {
        200: { description: 'The bytes', contentType: 'application/octet-stream' },
        206: { description: 'A range of the bytes', contentType: 'application/octet-stream' },
        400: { ...refusal, description: 'The request is not valid' },
        403: { ...refusal, description: 'The credentials do not open this object' },
        404: { ...refusal, description: 'There is no such object' },
      },
      handle: async ({ params: { project, table, object: name }, method, url, headers, requestId }) => {
        const grant = grantOf(deps, { method, url, headers });
        if (grant.project !== project || grant.table !== table) throw denied();
        const caller = await requireReader(deps, grant);
        const object = objects.find(grant, name);
        if (!object) throw notFound();
        if (object.extension === 'parquet' && !(await isServed(records.read, grant, object.key)))
          throw replaced();
        if (method === 'GET') {
          const resource = attributesOfTables({ account_id: grant.account, project_id: project });
          const use = { by: caller, action: 'lake.readObject' as const, resource, details: { table } };
          await uses.record({ ...use, requestId });
        }
        const head = {
          'accept-ranges': 'bytes',
          'content-type': 'application/octet-stream',
          etag: `"${object.key}"`,
          // Objects never change; clients ask for a date.
          'last-modified': new Date(0).toUTCString(),
        };
        const range = method === 'GET' ? requestedRange(headers['range'], object.size) : undefined;
        if (range === undefined) {
          const body = await bodyFor(method, () => blobs.open(object.key, undefined, { passedOn: true }));
          return new Answer(200, body, { ...head, 'content-length': String(object.size) });
        }
        return new Answer(206, await blobs.open(object.key, range, { passedOn: true }), {
          ...head,
          'content-length': String(range.end - range.start),
          'content-range': `bytes ${range.start}-${range.end - 1}/${object.size}`,
        });
      },
    }),
  ];
}

/** Returns the grant of a signed request. Problem 403 without a valid signature. */
function grantOf({ grants, publicUrl }: ObjectRouteDeps, request: SignedRequest): Grant {
  const now = Date.now();
  const signature = signatureOf(request.headers);
  const read = grants.read(String(request.headers['x-amz-security-token'] ?? ''), now);
  if (!signature || !read || read.accessKey !== signature.accessKey) throw denied();
  // Clients sign the path of the service, too, unless they asked it directly.
  const isSigned = [pathOf(publicUrl()), ''].some((path) =>
    isSignedWith(read.secret, signature, { ...request, url: path + request.url }, now),
  );
  if (!isSigned) throw denied();
  return read.grant;
}

/**
 * Returns the caller of a grant. Problem 403 unless it still has the rows and masks of then: a grant ends with the right, and with the
 * credential that loaded the table.
 */
async function requireReader(
  { holders, audiences, countsMin, projectExists }: ObjectRouteDeps,
  { by, account, project, table, audience }: Grant,
): Promise<Caller> {
  if (!(await projectExists(project))) throw notFound();
  const caller = await holders.require(by);
  const tables = attributesOfTables({ account_id: account, project_id: project });
  if (!caller.isMember(account)) throw denied();
  const access = rowAccessOf(caller, tables, countsMin);
  if (!isShownRows(access) || (await audiences.of(access, project, table)) !== audience) throw denied();
  return caller;
}

const denied = (): Problem =>
  new Problem(
    403,
    'FORBIDDEN',
    'Only the credentials of a loaded Iceberg table read its files. Load the table again.',
  );

const replaced = (): Problem =>
  new Problem(404, 'NOT_FOUND', 'Rows of this file were deleted or replaced. Load the table again.');

const codes: Readonly<Record<number, string>> = {
  403: 'AccessDenied',
  404: 'NoSuchKey',
  416: 'InvalidRange',
  503: 'SlowDown',
};

/** Renders a problem in the form of S3. The texts of problems are ours, and hold no markup. */
function objectProblem({ status, message, headers }: Problem, requestId: string): Answer {
  const code = codes[status] ?? (status < 500 ? 'InvalidRequest' : 'InternalError');
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message.replace(/[<&]/g, ' ')}</Message><RequestId>${requestId}</RequestId></Error>`;
  return new Answer(status, body, {
    ...headers,
    'content-type': 'application/xml',
    'cache-control': 'no-store',
  });
}
