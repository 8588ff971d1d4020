import { randomUUID } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import { type Api, bodyOf, type Connection, headersOf, openApi, originOf } from './connection.ts';
import { bytesFrom, type DownloadOptions, save } from './download.ts';
import type { paths } from './generated/openapi.ts';
import { type BytesListener, putFile, putStream } from './upload.ts';
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
export type Ingestion = Answer<'/v1/ingestions/{id}', 'get'>;
export type Query = Answer<'/api/v1/analytics/data-lake/query/{queryId}', 'get'>;
export type Invitation = Answer<'/v1/invitations/{id}', 'get'>;
export type TableSchema = Answer<'/api/v1/analytics/data-lake/schema', 'get'>['schemas'][number];
type InvitationQuery = Omit<
  NonNullable<paths['/v1/invitations']['get']['parameters']['query']>,
  'pageSize' | 'nextPageToken'
>;
type NewIngestion = NonNullable<
  paths['/v1/ingestions']['post']['requestBody']
>['content']['application/json'];

export interface UploadOptions {
  overwrite?: boolean;
  contentType?: string;
  ingest?: boolean;
  onBytes?: BytesListener;
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

  async *files(datasetId: string, name?: string): AsyncGenerator<StoredFile> {
    yield* pages((nextPageToken) =>
      this.api.GET('/v1/files', {
        params: { query: { pageSize, nextPageToken, datasetId, ...(name && { name }) } },
      }),
    );
  }

  /** Uploads a local file (by its path) or a stream; answers the file's id. Memory stays flat. */
  async upload(
    datasetId: string,
    name: string,
    source: string | Readable,
    options: UploadOptions = {},
  ): Promise<string> {
    const { onBytes, ...fields } = options;
    const made = bodyOf(
      await this.api.POST('/v1/files', { body: { datasetId, name, ...fields }, ...once() }),
    );
    if (typeof source === 'string') await putFile(made.uploadUrl, source, onBytes);
    else await putStream(made.uploadUrl, source, onBytes);
    return made.id;
  }

  /** The bytes of a file, as they come. */
  bytes(fileId: string, options: DownloadOptions = {}): AsyncGenerator<Uint8Array> {
    const url = `${this.origin}/v1/files/${encodeURIComponent(fileId)}`;
    return bytesFrom(url, () => headersOf(this.#connection), options);
  }

  /** Downloads into a local file (by its path) or a stream. Memory stays flat. */
  async download(fileId: string, sink: string | Writable, options: DownloadOptions = {}): Promise<void> {
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
    return bodyOf(await this.api.POST(`${lake}/query`, { body, ...once() })).queryId;
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

  async *queries(datasetId: string): AsyncGenerator<Query> {
    yield* pages((nextPageToken) =>
      this.api.GET(`${lake}/query`, { params: { query: { datasetId, pageSize, nextPageToken } } }),
    );
  }
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
