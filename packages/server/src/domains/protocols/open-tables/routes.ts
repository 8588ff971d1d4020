import { Type } from 'typebox';
import { Answer, type Route, type RouteContext, route } from '../../../api/route.ts';
import { notFound, Problem } from '../../../base/problem.ts';
import { attributesOfTables } from '../../lake/index.ts';
import type { Schema } from '../trino-protocol/schemas.ts';
import { type Audiences, isShownRows } from './audiences.ts';
import type { OpenCatalogue } from './open-catalogue.ts';
import type { ReadingGrants } from './reading-grants.ts';

interface OpenRouteDeps {
  catalogue: OpenCatalogue;
  audiences: Audiences;
  grants: ReadingGrants;
  /** Address of the service. */
  publicUrl: () => string;
  /** Milliseconds for which the credentials of a loaded table open its objects. */
  grantLifeMs: number;
}

const tag = 'Iceberg';
const root = '/iceberg/v1';

const error = {
  schema: Type.Object({
    error: Type.Object(
      {
        message: Type.String({ description: 'Reason in words' }),
        type: Type.String({ description: 'Kind of the error, as the standard names it' }),
        code: Type.Integer({ description: 'Status' }),
      },
      { description: 'Error in the form of the standard' },
    ),
    requestId: Type.String({ description: 'Id of the request, for operators' }),
  }),
  description: 'Refused, with the reason',
};
const answers = {
  200: {
    schema: Type.Object({}, { additionalProperties: true }),
    description: 'As the Iceberg REST catalogue defines it',
  },
  ...{ 400: error, 401: error, 403: error, 404: error },
};
const name = (description: string) => Type.String({ minLength: 1, maxLength: 255, description });
const namespace = name('Name of the schema of a project, or the id of the project');
const namespaceParams = Type.Object({ namespace });
const tableParams = Type.Object({ namespace, table: name('Name of a table') });
const text = (description: string) => Type.Optional(Type.String({ maxLength: 1000, description }));

/** Requests that readers may make; without this list they try others, too. */
const endpoints = [
  'GET /v1/{prefix}/namespaces',
  'GET /v1/{prefix}/namespaces/{namespace}',
  'HEAD /v1/{prefix}/namespaces/{namespace}',
  'GET /v1/{prefix}/namespaces/{namespace}/tables',
  'GET /v1/{prefix}/namespaces/{namespace}/tables/{table}',
  'HEAD /v1/{prefix}/namespaces/{namespace}/tables/{table}',
];

/** Routes of the Iceberg REST catalogue, read-only. Callers who see some rows, or masked ones, read copies of what they see. */
export function openRoutes({ catalogue, audiences, grants, publicUrl, grantLifeMs }: OpenRouteDeps): Route[] {
  const shared = { method: 'GET', tag, answers, problemPage: icebergProblem } as const;
  const one = {
    ...shared,
    operation: 'lake.openTables',
    params: namespaceParams,
    locate: (
      { params }: { params: { namespace: string } },
      _account: string,
      caller: RouteContext<never, never, never, never>['caller'],
    ) => locate(catalogue, params.namespace, caller),
  } as const;
  return [
    route({
      ...shared,
      operation: 'lake.openSettings',
      path: `${root}/config`,
      summary: 'Get the settings of the Iceberg catalogue',
      query: Type.Object({ warehouse: text('Ignored: all projects are one warehouse') }),
      handle: async () => ({ defaults: {}, overrides: {}, endpoints }),
    }),
    route({
      ...shared,
      operation: 'lake.openSchemas',
      path: `${root}/namespaces`,
      summary: 'List projects as namespaces of the Iceberg catalogue',
      description: 'Lists the projects of which you see rows.',
      query: Type.Object({
        parent: text('A namespace; namespaces have no children'),
        pageToken: text('Ignored: there is one page'),
        pageSize: text('Ignored: there is one page'),
      }),
      handle: async ({ caller, query }) => ({
        namespaces: query.parent ? [] : (await catalogue.schemas(caller)).map(({ name }) => [name]),
      }),
    }),
    route({
      ...one,
      path: `${root}/namespaces/:namespace`,
      summary: 'Get a project as a namespace of the Iceberg catalogue',
      handle: async ({ resource }) => {
        const { project } = shown(resource);
        const properties = { id: project.id, project: project.name, comment: project.description ?? '' };
        return { namespace: [resource.name], properties };
      },
    }),
    route({
      ...one,
      path: `${root}/namespaces/:namespace/tables`,
      summary: 'List the tables of a project in the Iceberg catalogue',
      handle: async ({ resource }) => {
        const names = await catalogue.tables(shown(resource));
        return { identifiers: names.map((name) => ({ namespace: [resource.name], name })) };
      },
    }),
    route({
      ...one,
      operation: 'lake.openTable',
      path: `${root}/namespaces/:namespace/tables/:table`,
      summary: 'Open a table of a project as an Iceberg table',
      description:
        'Answers its metadata, and credentials with which any client of S3 reads its files from this service. They last for `PLOIDY_SIGNED_URL_LIFE`, while you may read the table and your own credential lasts.',
      params: tableParams,
      query: Type.Object({ snapshots: text('Ignored: a table has its present snapshot') }),
      locate: ({ params }, _account, caller) => locate(catalogue, params.namespace, caller),
      handle: async ({ resource, params: { table }, method, caller, requestId, signal, wait }) => {
        const schema = shown(resource);
        if (method === 'HEAD') {
          if (!(await catalogue.tables(schema)).includes(table)) throw notFound();
          return {};
        }
        const audience = await audiences.of(schema.access, schema.project.id, table);
        const loaded = await catalogue.load(schema, table, audience, { caller, requestId, signal, wait });
        const { account, id: project } = schema.project;
        const expiresAt = Date.now() + grantLifeMs;
        const credentials = grants.make({ by: caller.via, account, project, table, audience, expiresAt });
        const config = {
          's3.endpoint': publicUrl(),
          's3.access-key-id': credentials.accessKey,
          's3.secret-access-key': credentials.secret,
          's3.session-token': credentials.token,
          's3.session-token-expires-at-ms': String(expiresAt),
          's3.path-style-access': 'true',
          's3.region': 'us-east-1',
          'client.region': 'us-east-1',
        };
        return { ...loaded, config };
      },
    }),
  ];
}

async function locate(
  catalogue: OpenCatalogue,
  name: string,
  caller: RouteContext<never, never, never, never>['caller'],
) {
  const schema = await catalogue.find(name, caller);
  if (!schema) return undefined;
  const { account, id } = schema.project;
  return { attributes: attributesOfTables({ account_id: account, project_id: id }), record: schema };
}

/** Problem 403 unless the caller sees rows: tables show each. */
function shown(schema: Schema): Schema {
  if (isShownRows(schema.access)) return schema;
  const message =
    'Iceberg tables are rows, and you see none of this project, or only counts. Use a query or the Trino protocol.';
  throw new Problem(403, 'FORBIDDEN', message);
}

const types: Readonly<Record<number, string>> = {
  400: 'BadRequestException',
  401: 'NotAuthorizedException',
  403: 'ForbiddenException',
  404: 'NoSuchTableException',
  503: 'ServiceUnavailableException',
};

/** Renders a problem in the form of the Iceberg REST catalogue. */
function icebergProblem({ status, code, message }: Problem, requestId: string): Answer {
  const type = types[status] ?? 'RESTException';
  const body = JSON.stringify({
    error: { message: `${message} (${code})`, type, code: status },
    requestId,
  });
  return new Answer(status, body, {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
  });
}
