import { Type } from 'typebox';
import type { Caller } from '../../access/caller.ts';
import { attributesOfNew, type ResourceAttributes } from '../../access/resource.ts';
import { type Pages, pageOf, pageQuery } from '../../api/paging.ts';
import { type AlsoNeeded, Answer, type Located, type Route, route } from '../../api/route.ts';
import { idOf, idPrefixShape, nameShape, optionalText, textOf, timestampShape } from '../../api/shapes.ts';
import type { Blobs } from '../../platform/blobs/blobs.ts';
import { removeFreed } from '../../platform/blobs/remove-freed.ts';
import type { EhrsTable } from '../../platform/records/schema-ehrs.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import type { Projects } from '../files/projects/index.ts';
import { authTypes, ingestionModels, listed, viewOf } from './ehr.ts';
import { type Ehrs, filledAfter } from './ehrs.ts';
import { jwksShape } from './jwks-routes.ts';

const tag = 'EHR systems' as const;

const oneOf = <T extends string>(values: readonly T[], description: string) =>
  Type.Union(
    values.map((value) => Type.Literal(value)),
    { description },
  );
const secretText = (description: string, pattern: string) =>
  Type.String({ minLength: 1, maxLength: 8192, pattern, description });
const orNull = <T extends ReturnType<typeof Type.String> | typeof scheduleShape>(
  shape: T,
  description: string,
) => Type.Optional(Type.Union([shape, Type.Null()], { description: `${description}; \`null\` removes it` }));

const scheduleShape = Type.Object({
  cron: Type.String({
    minLength: 1,
    maxLength: 255,
    description: 'Minute, hour, day of the month, month, day of the week; UTC (`15 3 * * *`)',
  }),
  datasetId: Type.String({ minLength: 1, maxLength: 255, description: 'Project to fill' }),
});

const addressShape = Type.String({
  minLength: 1,
  maxLength: 2000,
  description: 'Address of the FHIR API, such as https://ehr.example/fhir',
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
    'Key or name by which the service authenticates',
  ),
  apiSecret: orNull(
    secretText(
      '`basic`: password; `oauth2`: secret of the client, in one line; `private_key_jwt`: private key of the client, PEM (PKCS#8, PKCS#1, SEC1) or JWK, RSA of 2048 bits or more, or P-384. It is not shown again',
      '^[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f]+$',
    ),
    'Secret by which the service authenticates',
  ),
  apiAuthType: Type.Optional(oneOf(authTypes, 'Authentication of requests; default `header`')),
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
      description: 'Average milliseconds between two fetched records; default 0',
    }),
  ),
  idPrefix: Type.Optional(
    idPrefixShape(
      'Prefix of the ids of all resources of this system, if another source of the project has the same ids; default empty',
    ),
  ),
  schedule: orNull(scheduleShape, 'Schedule of automatic syncs'),
};

const names = (values: readonly string[]): string => values.map((value) => `\`${value}\``).join(', ');

const listedFields = {
  id: textOf('Id of the EHR system'),
  name: textOf('Name for people'),
  ehrType: textOf('Kind of EHR system, in the words of its creator; may be empty'),
  apiBaseUrl: textOf('Address of the FHIR API'),
  apiAuthType: textOf(`Authentication of requests: ${names(authTypes)}`),
  ingestionModel: textOf(`Answer to the start of a sync: ${names(ingestionModels)}`),
  delayBetweenRecords: Type.Number({ description: 'Average milliseconds between two fetched records' }),
  idPrefix: optionalText('Prefix of the ids of all resources; absent without one'),
  schedule: Type.Optional(
    Type.Object(
      {
        cron: textOf('Five fields of cron, in UTC'),
        datasetId: textOf('Id of the project to fill'),
        next: timestampShape,
      },
      { description: 'Schedule of automatic syncs; absent without one' },
    ),
  ),
  creator: Type.String({ description: 'Id of the user who created it' }),
  created: timestampShape,
  updated: timestampShape,
};

const listedShape = Type.Object(listedFields, { title: 'ListedEhr' });

const ehrShape = Type.Object(
  {
    ...listedFields,
    apiKey: optionalText('Key or name by which the service authenticates; absent without one'),
    apiSecret: Type.Optional(Type.String({ description: 'Not that of `private_key_jwt`' })),
    jwks: Type.Optional(jwksShape),
    jwksUrl: Type.Optional(
      Type.String({ description: 'Address from which the EHR system can fetch `jwks`' }),
    ),
  },
  { title: 'Ehr' },
);

export const ehrParam = Type.Object({ ehrId: idOf('Id of the EHR system') });

interface EhrRouteDeps {
  ehrs: Ehrs;
  projects: Projects;
  blobs: Blobs;
  secrets: Secrets;
  pages: Pages;
  publicUrl: () => string;
}

/** Attributes of a configuration for policies. */
export function attributesOfEhr(row: EhrsTable): ResourceAttributes {
  return { account: row.account_id, type: 'ehr', id: row.id, ownerId: row.creator_id };
}

/** Locates a configuration by its id, for every route that names one. */
export async function locateEhr(ehrs: Ehrs, id: string): Promise<Located<EhrsTable> | undefined> {
  const record = await ehrs.find(id);
  return record && { attributes: attributesOfEhr(record), record };
}

/**
 * Adds the permissions that an EHR system needs to fill a project; `undefined` if the account has no such
 * project.
 */
export async function withProject<R>(
  projects: Projects,
  located: Located<R>,
  datasetId: string,
  caller: Caller,
): Promise<Located<R> | undefined> {
  const { account } = located.attributes;
  const project = await projects.find(datasetId);
  if (project?.account !== account) return undefined;
  return { ...located, also: neededToFill(project, caller) };
}

/** Lists what a sync makes in its project: a file and its ingestion. */
export function neededToFill(project: { account: string; id: string }, caller: Caller): AlsoNeeded[] {
  return [
    { operation: 'files.create', attributes: attributesOfNew('file', project, caller) },
    { operation: 'ingestions.create', attributes: attributesOfNew('ingestion', project, caller) },
  ];
}

/** Routes of /v1/ehrs. */
export function ehrRoutes(deps: EhrRouteDeps): Route[] {
  const { ehrs, projects, blobs, pages } = deps;
  const one = { tag, accountHeader: true, params: ehrParam, path: '/v1/ehrs/:ehrId' };
  const locate = ({ params }: { params: { ehrId: string } }) => locateEhr(ehrs, params.ehrId);
  const change = (method: 'UPDATE' | 'PUT' | 'PATCH'): Route =>
    route({
      method,
      operation: 'ehrs.update',
      conflicts: ['EHR_CHANGED'],
      summary: 'Change an EHR system',
      description: 'Fields that are not sent keep their value. UPDATE, PUT and PATCH do the same.',
      body: Type.Object({
        name: Type.Optional(nameShape('New name')),
        apiBaseUrl: Type.Optional(addressShape),
        ...optionalFields,
      }),
      answers: { 200: { schema: ehrShape, description: 'The changed configuration' } },
      locate: async ({ params, body }, _account, caller) => {
        const located = await locate({ params });
        // A new address needs the same permissions as a new schedule.
        const filled = located && filledAfter(body, located.record);
        if (!located || filled === undefined) return located;
        const filling = await withProject(projects, located, filled, caller);
        // A schedule whose project is gone needs no permission; it ends with the project.
        return filling ?? (body.schedule ? undefined : located);
      },
      handle: async ({ resource, body, caller, requestId }) =>
        viewOf(await ehrs.update(resource, body, { caller, requestId }), deps),
      ...one,
    });
  return [
    route({
      method: 'GET',
      path: '/v1/ehrs',
      operation: 'ehrs.list',
      tag,
      summary: 'List the EHR systems of the account, without keys and secrets',
      accountHeader: true,
      query: Type.Object(pageQuery),
      answers: { 200: { schema: pageOf(listedShape), description: 'Oldest first' } },
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
      conflicts: ['TOO_MANY_EHRS'],
      tag,
      summary: 'Create an EHR system',
      description: 'Fetches nothing by itself: use POST /v1/ehrs/{ehrId}/sync or a schedule.',
      accountHeader: true,
      body: Type.Object({ name: nameShape('For people'), apiBaseUrl: addressShape, ...optionalFields }),
      answers: { 201: { schema: ehrShape, description: 'The configuration, with key and secret' } },
      locate: async ({ body }, account, caller) => {
        const attributes = { account, type: 'ehr' as const, ownerId: caller.userId };
        const located = { attributes, record: undefined };
        return body.schedule ? withProject(projects, located, body.schedule.datasetId, caller) : located;
      },
      handle: async ({ account, body, caller, requestId }) =>
        new Answer(201, viewOf(await ehrs.create(account, body, { caller, requestId }), deps)),
    }),
    route({
      method: 'GET',
      operation: 'ehrs.read',
      summary: 'Get an EHR system, with key and secret',
      description: 'Each read is recorded in the audit log.',
      answers: { 200: { schema: ehrShape, description: 'The configuration' } },
      locate,
      handle: async ({ resource }) =>
        new Answer(200, viewOf(resource, deps), { 'cache-control': 'no-store' }),
      ...one,
    }),
    change('UPDATE'),
    change('PUT'),
    change('PATCH'),
    route({
      method: 'DELETE',
      operation: 'ehrs.delete',
      summary: 'Delete an EHR system and end its running sync',
      answers: { 204: { description: 'Deleted. Fetched data stay in their projects' } },
      locate,
      handle: async ({ resource, caller, requestId }) => {
        await removeFreed(blobs, await ehrs.delete(resource, { caller, requestId }));
        return new Answer(204);
      },
      ...one,
    }),
  ];
}
