import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import { type Api, bodyOf, type Connection, headersOf, openApi, originOf } from './connection.ts';
import { bytesFrom, save } from './download.ts';
import type { paths } from './generated/openapi.ts';
import { putTo, type TransferOptions } from './upload.ts';
import { inPartsFromBytes, uploadInParts } from './upload-parts.ts';
import { type WaitOptions, waitUntil } from './wait.ts';

type Answer<P extends keyof paths, M extends 'get' | 'post'> = paths[P] extends {
  [K in M]: { responses: infer R };
}
  ? R extends { 200: { content: { 'application/json': infer B } } }
    ? B
    : R extends { 202: { content: { 'application/json': infer B } } }
      ? B
      : never
  : never;

export type Project = Answer<'/v1/projects/{id}', 'get'>;
export type StoredFile = Answer<'/v1/files', 'get'>['items'][number];
/** A file, or a folder by the beginning that names in it share. */
export type FolderEntry = Answer<'/v1/projects/{id}/files', 'get'>['items'][number];
export type EhrSync = Answer<'/v1/ehrs/{ehrId}/syncs/{syncId}', 'get'>;
export type Ingestion = Answer<'/v1/ingestions/{id}', 'get'>;
export type QueryPreview = Exclude<Answer<'/api/v1/analytics/data-lake/query', 'post'>, { queryId: string }>;
export type Query = Answer<'/api/v1/analytics/data-lake/query/{queryId}', 'get'>;
export type Invitation = Answer<'/v1/invitations/{id}', 'get'>;
export type TableSchema = Answer<'/api/v1/analytics/data-lake/schema', 'get'>['schemas'][number];
export type Group = Answer<'/v1/account/groups/{id}', 'get'>;
export type User = Answer<'/v1/user', 'get'>;
export type AccountUser = Answer<'/v1/account/users', 'get'>['items'][number];
type InvitationQuery = Omit<
  NonNullable<paths['/v1/invitations']['get']['parameters']['query']>,
  'pageSize' | 'nextPageToken'
>;
export type NamedPolicy = Answer<'/v1/policies/{policyId}', 'get'>;
export type PolicyPreview = Answer<'/v1/policies/preview', 'post'>;
export type ProposedChange = NonNullable<
  paths['/v1/policies/preview']['post']['requestBody']
>['content']['application/json']['changes'][number];
export type AuditEvent = Answer<'/v1/audit-events', 'get'>['items'][number];
export type AuditFilter = Omit<
  NonNullable<paths['/v1/audit-events']['get']['parameters']['query']>,
  'pageSize' | 'nextPageToken'
>;
type NewIngestion = NonNullable<
  paths['/v1/ingestions']['post']['requestBody']
>['content']['application/json'];

export interface UploadOptions extends TransferOptions {
  overwrite?: boolean;
  contentType?: string;
  ingest?: boolean;
}

const lake = '/api/v1/analytics/data-lake';
const pageSize = 200;

/** The service as a program uses it: typed calls in `api`, and what takes more than one call. */
export class PloidyClient {
  readonly api: Api;
  readonly origin: string;
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.api = openApi(connection);
    this.origin = originOf(connection.address);
    this.#connection = connection;
  }

  async *projects(name?: string): AsyncGenerator<Project> {
    yield* pages((nextPageToken) =>
      this.api.GET('/v1/projects', { params: { query: { pageSize, nextPageToken, ...(name && { name }) } } }),
    );
  }

  async createProject(name: string, description?: string): Promise<Project> {
    const body = { name, ...(description !== undefined && { description }) };
    return bodyOf(await this.api.POST('/v1/projects', { body, ...once() }));
  }

  async *groups(name?: string): AsyncGenerator<Group> {
    yield* pages((nextPageToken) =>
      this.api.GET('/v1/account/groups', {
        params: { query: { pageSize, nextPageToken, ...(name && { name }) } },
      }),
    );
  }

  /** Who is in a group. */
  async *members(id: string): AsyncGenerator<User> {
    yield* pages((nextPageToken) =>
      this.api.GET('/v1/account/groups/{id}/members', {
        params: { path: { id }, query: { pageSize, nextPageToken } },
      }),
    );
  }

  /** The people of the account; `name` is how a name of theirs, or for administrators their e-mail address, begins. */
  async *users(name?: string): AsyncGenerator<AccountUser> {
    yield* pages((nextPageToken) =>
      this.api.GET('/v1/account/users', {
        params: { query: { pageSize, nextPageToken, ...(name && { name }) } },
      }),
    );
  }

  async *files(datasetId: string, name?: string): AsyncGenerator<StoredFile> {
    yield* pages((nextPageToken) =>
      this.api.GET('/v1/files', {
        params: { query: { pageSize, nextPageToken, datasetId, ...(name && { name }) } },
      }),
    );
  }

  /** One folder level: names that begin with `prefix`, up to the next slash behind it. */
  async *folder(datasetId: string, prefix = ''): AsyncGenerator<FolderEntry> {
    yield* pages((nextPageToken) =>
      this.api.GET('/v1/projects/{id}/files', {
        params: { path: { id: datasetId }, query: { pageSize, nextPageToken, prefix } },
      }),
    );
  }

  /** Renames a file, or moves it into another project. */
  async updateFile(id: string, change: { name?: string; datasetId?: string }): Promise<StoredFile> {
    return bodyOf(await this.api.PATCH('/v1/files/{id}', { params: { path: { id } }, body: change }));
  }

  /**
   * Uploads a local file (by its path) or a stream; answers the file's id. A big file goes in parts, a few at a time, and only what
   * was cut off is sent again. Memory stays flat.
   */
  async upload(
    datasetId: string,
    name: string,
    source: string | Readable,
    options: UploadOptions = {},
  ): Promise<string> {
    const { onBytes, signal, ...fields } = options;
    const transfer = { onBytes, signal };
    const size = typeof source === 'string' ? await sizeOf(source) : undefined;
    const body = { datasetId, name, ...fields, ...(size !== undefined && { size }) };
    if (typeof source === 'string' && size !== undefined && size >= inPartsFromBytes) {
      const begun = bodyOf(await this.api.POST('/v1/uploads', { body, ...once() }));
      await uploadInParts(this.api, begun.uploadId, source, transfer);
      return begun.id;
    }
    const made = bodyOf(await this.api.POST('/v1/files', { body, ...once() }));
    await putTo(made.uploadUrl, source, transfer);
    return made.id;
  }

  /** The bytes of a file, as they come. */
  bytes(fileId: string, options: TransferOptions = {}): AsyncGenerator<Uint8Array> {
    const url = `${this.origin}/v1/files/${encodeURIComponent(fileId)}`;
    return bytesFrom(url, () => headersOf(this.#connection), options);
  }

  /** Downloads into a local file (by its path) or a stream. Memory stays flat. */
  async download(fileId: string, sink: string | Writable, options: TransferOptions = {}): Promise<void> {
    await save(this.bytes(fileId, options), sink, options.signal);
  }

  async ingest(input: NewIngestion): Promise<Ingestion> {
    return bodyOf(await this.api.POST('/v1/ingestions', { body: input, ...once() }));
  }

  /** Waits for the end of an ingestion, whichever it is. */
  async waitForIngestion(id: string, options: WaitOptions<Ingestion> = {}): Promise<Ingestion> {
    const params = { path: { id } };
    const ask = async () => bodyOf(await this.api.GET('/v1/ingestions/{id}', { params }));
    return waitUntil(ask, ({ state }) => state !== 'queued' && state !== 'running', options);
  }

  async cancelIngestion(id: string): Promise<void> {
    await this.api.DELETE('/v1/ingestions/{id}', { params: { path: { id } } });
  }

  async *ingestions(datasetId: string): AsyncGenerator<Ingestion> {
    yield* pages((nextPageToken) =>
      this.api.GET('/v1/ingestions', { params: { query: { datasetId, pageSize, nextPageToken } } }),
    );
  }

  async schemas(datasetId: string): Promise<TableSchema[]> {
    return bodyOf(await this.api.GET(`${lake}/schema`, { params: { query: { datasetId } } })).schemas;
  }

  /** Starts a query; answers its id. */
  async query(datasetId: string, query: string, outputFileName: string): Promise<string> {
    const body = { datasetId, query, outputFileName };
    const answer = bodyOf(await this.api.POST(`${lake}/query`, { body, ...once() }));
    if (!('queryId' in answer)) throw new Error('The service did not tell the id of the query.');
    return answer.queryId;
  }

  /** What a query would read and give; nothing runs. */
  async previewQuery(datasetId: string, query: string): Promise<QueryPreview> {
    const body = { datasetId, query, outputFileName: 'preview.csv' };
    const params = { query: { dryRun: true } };
    const answer = bodyOf(await this.api.POST(`${lake}/query`, { body, params, ...once() }));
    if ('queryId' in answer) throw new Error('The service knows no dry runs: the query runs.');
    return answer;
  }

  async queryState(queryId: string): Promise<Query> {
    return bodyOf(await this.api.GET(`${lake}/query/{queryId}`, { params: { path: { queryId } } }));
  }

  /** Waits for the end of a query, whichever it is. */
  async waitForQuery(queryId: string, options: WaitOptions<Query> = {}): Promise<Query> {
    return waitUntil(
      () => this.queryState(queryId),
      ({ state }) => state !== 'running',
      options,
    );
  }

  async cancelQuery(queryId: string): Promise<Query> {
    return bodyOf(await this.api.DELETE(`${lake}/query/{queryId}`, { params: { path: { queryId } } }));
  }

  /** Invitations received, or those sent for the groups of an account. */
  async *invitations(query: InvitationQuery = {}): AsyncGenerator<Invitation> {
    yield* pages((nextPageToken) =>
      this.api.GET('/v1/invitations', { params: { query: { ...query, pageSize, nextPageToken } } }),
    );
  }

  async invite(group: string, email: string): Promise<Invitation> {
    return bodyOf(await this.api.POST('/v1/invitations', { body: { group, email }, ...once() }));
  }

  async *policies(name?: string): AsyncGenerator<NamedPolicy> {
    yield* pages((nextPageToken) =>
      this.api.GET('/v1/policies', { params: { query: { pageSize, nextPageToken, ...(name && { name }) } } }),
    );
  }

  async createPolicy(name: string, policy: NamedPolicy['policy']): Promise<NamedPolicy> {
    return bodyOf(await this.api.POST('/v1/policies', { body: { name, policy }, ...once() }));
  }

  /** The newest events of the audit log that pass the filter, at most `count`. */
  async *auditEvents(filter: AuditFilter, count: number): AsyncGenerator<AuditEvent> {
    const size = Math.min(count, pageSize);
    const events = pages((nextPageToken) =>
      this.api.GET('/v1/audit-events', { params: { query: { ...filter, pageSize: size, nextPageToken } } }),
    );
    let left = count;
    for await (const event of events) {
      yield event;
      left--;
      if (left === 0) return;
    }
  }

  async *queries(datasetId: string): AsyncGenerator<Query> {
    yield* pages((nextPageToken) =>
      this.api.GET(`${lake}/query`, { params: { query: { datasetId, pageSize, nextPageToken } } }),
    );
  }
}

/** Of a regular file; a pipe or a device has none that could be announced. */
async function sizeOf(path: string): Promise<number | undefined> {
  const found = await stat(path);
  return found.isFile() ? found.size : undefined;
}

/** A create that the network may repeat without making the thing twice. */
function once(): { headers: Record<string, string> } {
  return { headers: { 'idempotency-key': randomUUID() } };
}

interface Page<T> {
  items: T[];
  links: { next?: string };
}

/** All items of a list, page by page. */
async function* pages<T>(get: (nextPageToken: string) => Promise<{ data?: Page<T> }>): AsyncGenerator<T> {
  for (let token: string | null = ''; token !== null; ) {
    const page: Page<T> = bodyOf(await get(token));
    yield* page.items;
    token = page.links.next
      ? new URL(page.links.next, 'http://list').searchParams.get('nextPageToken')
      : null;
  }
}
