import { Type } from 'typebox';
import { type Route, route } from '../../../api/route.ts';
import { notFound, Problem } from '../../../base/problem.ts';
import type { Records } from '../../../platform/records/records.ts';
import { type IcebergTables, type Lake, storedSchema } from '../../lake/index.ts';
import type { ReadingTokens, RemoteTables } from './reading-token.ts';

interface RemoteRouteDeps {
  records: Records;
  lake: Lake;
  icebergTables: IcebergTables;
  tokens: ReadingTokens;
}

const tag = 'Distributed engine';
const root = '/iceberg/engine/v1';
const anything = Type.Record(Type.String(), Type.Unknown());
const answers = { 200: { schema: anything, description: 'As the Iceberg REST catalogue defines it' } };
const namespaceParams = Type.Object({ namespace: Type.String({ minLength: 1, maxLength: 255 }) });
const tableParams = Type.Object({
  namespace: Type.String({ minLength: 1, maxLength: 255 }),
  table: Type.String({ minLength: 1, maxLength: 255 }),
});

/**
 * Routes of the catalogue that the distributed engine reads (Iceberg REST, read-only). The bearer token of a
 * running query opens the tables of its statement and nothing else.
 */
export function remoteRoutes(deps: RemoteRouteDeps): Route[] {
  const shared = { method: 'GET', operation: 'lake.readRemotely', tag, answers } as const;
  return [
    route({
      ...shared,
      operation: 'lake.remoteSettings',
      path: `${root}/config`,
      summary: 'Get the settings of the catalogue',
      handle: async () => ({ defaults: {}, overrides: {} }),
    }),
    route({
      ...shared,
      path: `${root}/namespaces`,
      summary: 'Get the namespace of a query',
      handle: async ({ headers }) => {
        const tables = await tablesOf(deps, headers);
        return { namespaces: [[deps.tokens.namespaceOf(tables)]] };
      },
    }),
    route({
      ...shared,
      path: `${root}/namespaces/:namespace`,
      summary: 'Get the properties of the namespace of a query',
      params: namespaceParams,
      handle: async ({ headers, params }) => {
        await tablesIn(deps, headers, params.namespace);
        return { namespace: [params.namespace], properties: {} };
      },
    }),
    route({
      ...shared,
      path: `${root}/namespaces/:namespace/tables`,
      summary: 'List the tables of a query',
      params: namespaceParams,
      handle: async ({ headers, params }) => {
        const { tables } = await tablesIn(deps, headers, params.namespace);
        return { identifiers: tables.map((name) => ({ namespace: [params.namespace], name })) };
      },
    }),
    route({
      ...shared,
      path: `${root}/namespaces/:namespace/views`,
      summary: 'List the views of a query: none',
      params: namespaceParams,
      handle: async ({ headers, params }) => {
        await tablesIn(deps, headers, params.namespace);
        return { identifiers: [] };
      },
    }),
    route({
      ...shared,
      path: `${root}/namespaces/:namespace/tables/:table`,
      summary: 'Get the metadata of a table of a query',
      params: tableParams,
      query: Type.Object({ snapshots: Type.Optional(Type.String({ maxLength: 16 })) }),
      handle: async ({ headers, params: { namespace, table } }) => {
        const { project, version, tables } = await tablesIn(deps, headers, namespace);
        if (!tables.includes(table)) throw notFound();
        const files = await deps.lake.tableFiles({ id: project, version }, table);
        if (!files) throw notFound();
        const of = { project, version, table, schema: storedSchema(table), audience: '' };
        return deps.icebergTables.load(of, files);
      },
    }),
  ];
}

/** Returns the tables of the request's token while its query runs. */
async function tablesOf(
  { records, tokens }: RemoteRouteDeps,
  headers: Record<string, string | string[] | undefined>,
): Promise<RemoteTables> {
  const [, token = ''] = /^Bearer (\S+)$/.exec(String(headers['authorization'] ?? '')) ?? [];
  const tables = tokens.read(token);
  if (!tables) throw ended();
  for (const table of ['queries', 'trino_statements'] as const) {
    const running = await records.read
      .selectFrom(table)
      .select('id')
      .where('id', '=', tables.query)
      .where('state', '=', 'running')
      .executeTakeFirst();
    if (running) return tables;
  }
  throw ended();
}

const ended = (): Problem =>
  new Problem(403, 'READING_ENDED', 'Only the token of a running query opens its tables.');

async function tablesIn(
  deps: RemoteRouteDeps,
  headers: Record<string, string | string[] | undefined>,
  namespace: string,
): Promise<RemoteTables> {
  const tables = await tablesOf(deps, headers);
  if (deps.tokens.namespaceOf(tables) !== namespace) throw notFound();
  return tables;
}
