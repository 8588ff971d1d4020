import { type Pages, pageOf, pageQuery } from '../../paging.ts';
import type { Blobs } from '../../platform/blobs/blobs.ts';
import { removeFreed } from '../../platform/blobs/remove-freed.ts';
import type { EhrsTable } from '../../platform/records/schema-ehrs.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import { Answer, type Located, type Route, route } from '../../route.ts';
import { Type } from '../../schema.ts';
import { nameShape, timestampShape } from '../../shapes.ts';
import type { Projects } from '../projects/index.ts';
import { authTypes, ingestionModels, listed, viewOf } from './ehr.ts';
import { type Ehrs, filledAfter } from './ehrs.ts';
import { jwksShape } from './jwks-routes.ts';

const tag = 'EHR configurations';

const oneOf = <T extends string>(values: readonly T[], description: string) =>
  Type.Union(
    values.map((value) => Type.Literal(value)),
    { description },
  );
const secretText = (description: string, pattern: string) =>
  Type.String({ minLength: 1, maxLength: 8192, pattern, description });
const orNull = <T extends ReturnType<typeof Type.String> | typeof scheduleShape>(shape: T) =>
  Type.Optional(Type.Union([shape, Type.Null()]));

const scheduleShape = Type.Object(
  {
    cron: Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'Minute, hour, day of the month, month, day of the week; UTC (`15 3 * * *`)',
    }),
    datasetId: Type.String({ minLength: 1, maxLength: 255, description: 'The project that is filled' }),
  },
  { description: 'When it is pulled from by itself' },
);

const addressShape = Type.String({
  minLength: 1,
  maxLength: 2000,
  description: 'Address of the FHIR API, for instance https://ehr.example/fhir',
});

const optionalFields = {
  ehrType: Type.Optional(
    Type.String({ maxLength: 255, description: 'Kind of EHR system, in your own words' }),
  ),
  apiKey: orNull(
    secretText(
      '`header`: the value of the Authorization header; `basic`: user name; `oauth2`, `private_key_jwt`: id of the client; without control characters',
      '^[^\\u0000-\\u001f\\u007f]+$',
    ),
  ),
  apiSecret: orNull(
    secretText(
      '`basic`: password; `oauth2`: secret of the client, in one line; `private_key_jwt`: private key of the client, PEM (PKCS#8, PKCS#1, SEC1) or JWK, RSA of 2048 bits or more, or P-384. It is not shown again',
      '^[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f]+$',
    ),
  ),
  apiAuthType: Type.Optional(oneOf(authTypes, 'How requests are authorised; default `header`')),
  ingestionModel: Type.Optional(
    oneOf(
      ingestionModels,
      '`SYNCHRONOUS`: a sync answers when it has ended, or after 60 s. Default `ASYNCHRONOUS`',
    ),
  ),
  delayBetweenRecords: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 3_600_000,
      description: 'Milliseconds, on average, between two records that are fetched; default 0',
    }),
  ),
  schedule: orNull(scheduleShape),
};

const listedFields = {
  id: Type.String(),
  name: Type.String(),
  ehrType: Type.String(),
  apiBaseUrl: Type.String(),
  apiAuthType: Type.String(),
  ingestionModel: Type.String(),
  delayBetweenRecords: Type.Number(),
  schedule: Type.Optional(
    Type.Object({ cron: Type.String(), datasetId: Type.String(), next: timestampShape }),
  ),
  creator: Type.String({ description: 'Id of the user who made it' }),
  created: timestampShape,
  updated: timestampShape,
};

const ehrShape = Type.Object({
  ...listedFields,
  apiKey: Type.Optional(Type.String()),
  apiSecret: Type.Optional(Type.String({ description: 'Not that of `private_key_jwt`' })),
  jwks: Type.Optional(jwksShape),
  jwksUrl: Type.Optional(Type.String({ description: 'Where the EHR system can fetch `jwks`' })),
});

export const ehrParam = Type.Object({ ehrId: Type.String({ minLength: 1, maxLength: 255 }) });

export interface EhrRouteParts {
  ehrs: Ehrs;
  projects: Projects;
  blobs: Blobs;
  secrets: Secrets;
  pages: Pages;
  publicUrl: () => string;
}

/** Locates a configuration by its id, for every route that names one. */
export async function locateEhr(ehrs: Ehrs, id: string): Promise<Located<EhrsTable> | undefined> {
  const record = await ehrs.find(id);
  return (
    record && {
      attributes: { account: record.account_id, type: 'ehr', id, ownerId: record.creator_id },
      record,
    }
  );
}

/** Adds what it takes to let an EHR system fill a project; `undefined` when the account has no such project. */
export async function withProject<R>(
  projects: Projects,
  located: Located<R>,
  datasetId: string,
): Promise<Located<R> | undefined> {
  const { account } = located.attributes;
  const project = await projects.find(datasetId);
  if (project?.account !== account) return undefined;
  const attributes = { account, dataset: datasetId, type: 'project' as const, id: datasetId };
  return { ...located, also: [{ operation: 'ehrs.fill', attributes }] };
}

/** /v1/ehrs */
export function ehrRoutes(parts: EhrRouteParts): Route[] {
  const { ehrs, projects, blobs, pages } = parts;
  const one = { tag, accountHeader: true, params: ehrParam, path: '/v1/ehrs/:ehrId' };
  const locate = ({ params }: { params: { ehrId: string } }) => locateEhr(ehrs, params.ehrId);
  const change = (method: 'UPDATE' | 'PUT' | 'PATCH'): Route =>
    route({
      method,
      operation: 'ehrs.update',
      summary: 'Change an EHR configuration',
      description: 'Fields that are not sent keep their value. UPDATE, PUT and PATCH do the same.',
      body: Type.Object({
        name: Type.Optional(nameShape('New name')),
        apiBaseUrl: Type.Optional(addressShape),
        ...optionalFields,
      }),
      answers: { 200: { schema: ehrShape, description: 'The configuration as it is now' } },
      locate: async ({ params, body }) => {
        const located = await locate({ params });
        // What comes from another place goes into the project as what comes by another schedule does.
        const filled = located && filledAfter(body, located.record);
        if (!located || filled === undefined) return located;
        const filling = await withProject(projects, located, filled);
        // Of a schedule whose project is gone nothing is left to be allowed; it ends with what the project held.
        return filling ?? (body.schedule ? undefined : located);
      },
      handle: async ({ resource, body, caller, requestId }) =>
        viewOf(await ehrs.update(resource, body, { caller, requestId }), parts),
      ...one,
    });
  return [
    route({
      method: 'GET',
      path: '/v1/ehrs',
      operation: 'ehrs.list',
      tag,
      summary: 'EHR configurations of the account, without keys and secrets',
      accountHeader: true,
      query: Type.Object(pageQuery),
      answers: { 200: { schema: pageOf(Type.Object(listedFields)), description: 'Oldest first' } },
      handle: async ({ account, query, caller }) => {
        const list = { path: '/v1/ehrs', query, scope: `ehrs:${account}:${caller.userId}` };
        const page = pages.read(query, list.scope);
        return pages.answer(await ehrs.list(account, page), page, list, (row) => [row.id], listed);
      },
    }),
    route({
      method: 'POST',
      path: '/v1/ehrs',
      operation: 'ehrs.create',
      tag,
      summary: 'Make an EHR configuration',
      description: 'Nothing is fetched yet: POST /v1/ehrs/{ehrId}/sync does, or a schedule.',
      accountHeader: true,
      body: Type.Object({ name: nameShape('For people'), apiBaseUrl: addressShape, ...optionalFields }),
      answers: { 201: { schema: ehrShape, description: 'The configuration, with key and secret' } },
      locate: async ({ body }, account) => {
        const located = { attributes: { account, type: 'account' as const, id: account }, record: undefined };
        return body.schedule ? withProject(projects, located, body.schedule.datasetId) : located;
      },
      handle: async ({ account, body, caller, requestId }) =>
        new Answer(201, viewOf(await ehrs.create(account, body, { caller, requestId }), parts)),
    }),
    route({
      method: 'GET',
      operation: 'ehrs.read',
      summary: 'One EHR configuration, with key and secret',
      description: 'Each reading is in the audit log.',
      answers: { 200: { schema: ehrShape, description: 'The configuration' } },
      locate,
      handle: async ({ resource }) =>
        new Answer(200, viewOf(resource, parts), { 'cache-control': 'no-store' }),
      ...one,
    }),
    change('UPDATE'),
    change('PUT'),
    change('PATCH'),
    route({
      method: 'DELETE',
      operation: 'ehrs.delete',
      summary: 'Delete an EHR configuration; a sync that runs ends',
      answers: { 204: { description: 'Deleted. What was pulled stays in its projects' } },
      locate,
      handle: async ({ resource, caller, requestId }) => {
        await removeFreed(blobs, await ehrs.delete(resource, { caller, requestId }));
        return new Answer(204);
      },
      ...one,
    }),
  ];
}
