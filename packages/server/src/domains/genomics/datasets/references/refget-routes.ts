import { Type } from 'typebox';
import type { Caller } from '../../../../access/caller.ts';
import {
  Answer,
  bodyFor,
  type Located,
  type Route,
  type RouteContext,
  route,
} from '../../../../api/route.ts';
import { serviceInfoFields, textOf } from '../../../../api/shapes.ts';
import { invalidInput, Problem } from '../../../../base/problem.ts';
import { version } from '../../../../base/version.ts';
import { requestedRange } from '../../../files/index.ts';
import { accountParam } from '../dataset-routes.ts';
import type { FoundReference, ReferenceSets, SequenceDigests } from './reference-sets.ts';

const tag = 'Genomics';
const refgetRoot = '/:account/v1/refget/sequence';
const plainType = 'text/vnd.ga4gh.refget.v2.0.0+plain';
const jsonType = 'application/vnd.ga4gh.refget.v2.0.0+json';

interface RefgetDeps {
  referenceSets: ReferenceSets;
  publicUrl: () => string;
}

/** Routes of GA4GH refget 2: sequences by the digest of their bases. */
export function refgetRoutes(deps: RefgetDeps): Route[] {
  return [infoRoute(deps), sequenceRoute(deps), metadataRoute(deps)];
}

const params = Type.Object({
  ...accountParam.properties,
  digest: Type.String({
    minLength: 1,
    maxLength: 255,
    description: '`ga4gh:SQ.…`, `SQ.…`, `md5:…` or an MD5',
  }),
});
const position = (description: string) =>
  Type.Optional(Type.String({ pattern: '^[0-9]{1,10}$', description }));

function sequenceRoute({ referenceSets }: RefgetDeps): Route {
  return route({
    method: 'GET',
    path: `${refgetRoot}/:digest`,
    operation: 'references.read',
    tag,
    summary: 'Get the bases of a sequence by its digest (refget)',
    headers: ['Range'],
    params,
    query: Type.Object({
      start: position('First base, from 0'),
      end: position('End of the range, exclusive'),
    }),
    answers: {
      200: { description: 'The bases', contentType: plainType },
      206: { description: 'The range of the header', contentType: plainType },
    },
    locate: ({ params: { account, digest } }, _account, caller) =>
      locateSequence(referenceSets, caller, account, digest),
    handle: async ({ resource: found, query, headers, method }) => {
      requireAccepted(headers, plainType, /^text\/(?:\*|plain|vnd\.ga4gh\.refget\.v[12]\.0\.\d\+plain)$/);
      const { length } = found.reference;
      const ranged = query.start !== undefined || query.end !== undefined;
      if (ranged && headers['range'] !== undefined)
        throw invalidInput([{ path: 'headers/range', message: 'goes not together with start and end' }]);
      const range = ranged ? rangeIn(query, length) : requestedRange(headers['range'], length);
      const { start, end } = range ?? { start: 0, end: length };
      const isPart = !ranged && range !== undefined;
      return new Answer(
        isPart ? 206 : 200,
        await bodyFor(method, () => referenceSets.openBases(found, start, end)),
        {
          'content-type': `${plainType}; charset=us-ascii`,
          'content-length': String(end - start),
          'accept-ranges': ranged ? 'none' : 'bytes',
          ...(isPart && { 'content-range': `bytes ${start}-${end - 1}/${length}` }),
        },
      );
    },
  });
}

function metadataRoute({ referenceSets }: RefgetDeps): Route {
  return route({
    method: 'GET',
    path: `${refgetRoot}/:digest/metadata`,
    operation: 'references.read',
    tag,
    summary: 'Get the length, digests and names of a sequence (refget)',
    params,
    answers: {
      200: { schema: metadataShape, description: 'The sequence', contentType: jsonType },
    },
    locate: ({ params: { account, digest } }, _account, caller) =>
      locateSequence(referenceSets, caller, account, digest),
    handle: async ({ resource: { reference }, headers }) => {
      requireAccepted(headers, jsonType, jsonForm);
      const { md5checksum: md5, sha512t24u, length, accession, name } = reference;
      const metadata = {
        md5,
        ...(sha512t24u !== null && { ga4gh: `SQ.${sha512t24u}` }),
        length,
        aliases: [
          { alias: name, naming_authority: 'file' },
          ...(accession === null ? [] : [{ alias: accession, naming_authority: 'accession' }]),
        ],
      };
      return new Answer(200, { metadata }, { 'content-type': jsonType });
    },
  });
}

const metadataShape = Type.Object(
  {
    metadata: Type.Object(
      {
        md5: textOf('MD5 of the bases, hex'),
        ga4gh: Type.Optional(
          Type.String({ description: '`SQ.` and the digest of GA4GH; absent for a FASTA ingested earlier' }),
        ),
        length: Type.Integer({ description: 'Number of bases' }),
        aliases: Type.Array(
          Type.Object({
            alias: textOf('Name of the sequence'),
            naming_authority: textOf('`file` or `accession`'),
          }),
          { description: 'Names in its source' },
        ),
      },
      { description: 'Facts of the sequence' },
    ),
  },
  { title: 'RefgetMetadata' },
);

function infoRoute({ publicUrl }: RefgetDeps): Route {
  return route({
    method: 'GET',
    path: `${refgetRoot}/service-info`,
    operation: 'references.serviceInfo',
    tag,
    summary: 'Get the capabilities of refget',
    params: accountParam,
    answers: {
      200: { schema: infoShape, description: 'As GA4GH service-info describes it', contentType: jsonType },
    },
    handle: async ({ headers }) => {
      requireAccepted(headers, jsonType, jsonForm);
      const url = publicUrl();
      const host = new URL(url).hostname.split('.').toReversed().join('.');
      const info = {
        ...{ id: `${host}.refget`, name: 'refget', version },
        description: 'Sequences of the reference sets of an account',
        organization: { name: 'Ploidy', url },
        type: { group: 'org.ga4gh', artifact: 'refget', version: '2.0.0' },
        refget: {
          circular_supported: false,
          subsequence_limit: null,
          algorithms: ['ga4gh', 'md5'],
          identifier_types: [],
        },
      };
      return new Answer(200, info, { 'content-type': jsonType });
    },
  });
}

const infoShape = Type.Object(
  {
    ...serviceInfoFields,
    refget: Type.Object(
      {
        circular_supported: Type.Boolean({ description: '`false`: a start may not be behind the end' }),
        // Generators of clients have no type for null alone.
        subsequence_limit: Type.Union([Type.Integer(), Type.Null()], { description: 'null: no limit' }),
        algorithms: Type.Array(Type.String(), { description: 'Digests by which sequences are found' }),
        identifier_types: Type.Array(Type.String(), { description: 'None: accessions are not looked up' }),
      },
      { description: 'Capabilities' },
    ),
  },
  { title: 'RefgetServiceInfo' },
);

type Headers = RouteContext<unknown, unknown, unknown, unknown>['headers'];
const jsonForm = /^application\/(?:\*|json|vnd\.ga4gh\.refget\.v[12]\.0\.\d\+json)$/;

/** Problem 406 unless the client accepts the format of the answer. */
function requireAccepted(headers: Headers, type: string, form: RegExp): void {
  const asked = String(headers['accept'] ?? '*/*').split(',');
  const types = asked.map((one) => (one.split(';')[0] ?? '').trim().toLowerCase());
  if (types.some((one) => one === '*/*' || form.test(one))) return;
  throw new Problem(406, 'NOT_ACCEPTABLE', `Ask for ${type}: there is no other format.`);
}

async function locateSequence(
  referenceSets: ReferenceSets,
  caller: Caller,
  account: string,
  text: string,
): Promise<Located<FoundReference> | undefined> {
  const digests = digestsIn(text);
  return digests && referenceSets.locateDigest(caller, account, digests);
}

/** Reads the name of a sequence: the digest of GA4GH, or an MD5 in any case. */
function digestsIn(text: string): SequenceDigests | undefined {
  const [, sha512t24u] = /^(?:ga4gh:)?SQ\.([\w-]{32})$/.exec(text) ?? [];
  if (sha512t24u !== undefined) return { sha512t24u };
  const [, md5checksum] = /^(?:md5:)?([0-9a-f]{32})$/i.exec(text) ?? [];
  return md5checksum === undefined ? undefined : { md5checksum: md5checksum.toLowerCase() };
}

/** Reads `start` and `end`. Problem 416 for what the sequence has not. */
function rangeIn(query: { start?: string; end?: string }, length: number): { start: number; end: number } {
  const start = Number(query.start ?? 0);
  const end = Number(query.end ?? length);
  if (start <= end && start < length && end <= length) return { start, end };
  throw new Problem(416, 'RANGE_NOT_SATISFIABLE', `The sequence has ${length} bases.`, {
    headers: { 'content-range': `bytes */${length}` },
  });
}
