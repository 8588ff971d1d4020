import type {
  Ingestion,
  Invitation,
  NamedPolicy,
  NewIngestion,
  Project,
  Query,
  QueryPreview,
  ResultFormat,
  RowsPage,
  StoredFile,
  StoredPolicy,
  TableSchema,
  TimestampForm,
} from './answers.ts';
import { blobContent } from './blob.ts';
import { bytesOfBlocks } from './blocks.ts';
import { ClientError } from './client-error.ts';
import { bodyOf, type Connection, headersOf, openApi, originOf } from './connection.ts';
import { bytesFrom, type DownloadOptions } from './download.ts';
import { Lists } from './lists.ts';
import type { ByteSink } from './no-files.ts';
import { type Operations, operationsOf } from './operations.ts';
import { retry } from './retry.ts';
import { answerOf, collected, joined, type Row, readRows, rowsIn } from './rows.ts';
import {
  type Content,
  type PartedUpload,
  type TransferOptions,
  type UploadOptions,
  uploadInParts,
  uploadWhole,
} from './upload-parts.ts';
import { type WaitOptions, waitUntil } from './wait.ts';

/** Data of an upload: the path of a local file or a stream (Node, Deno, Bun), or a `Blob` or `File` (everywhere). */
export type UploadSource = string | AsyncIterable<Uint8Array> | Blob;

const lake = '/api/v1/analytics/data-lake';

/** Service for programs: typed calls in `api`, and functions that need more than one call. */
export class PloidyClient extends Lists {
  /** Calls of `api` by name. */
  readonly operations: Operations;
  readonly origin: string;
  readonly #connection: Connection;

  constructor(connection: Connection) {
    super(openApi(connection));
    this.operations = operationsOf(this.api);
    this.origin = originOf(connection.address);
    this.#connection = connection;
  }

  async createProject(name: string, description?: string): Promise<Project> {
    const body = { name, ...(description !== undefined && { description }) };
    return bodyOf(await this.api.POST('/v1/projects', { body, ...idempotencyKey() }));
  }

  /** Renames a file, or moves it into another project. */
  async updateFile(id: string, change: { name?: string; datasetId?: string }): Promise<StoredFile> {
    return bodyOf(await this.api.PATCH('/v1/files/{id}', { params: { path: { id } }, body: change }));
  }

  /**
   * Uploads a file; returns its id. A large one goes in parts, a few at a time, and only what was cut off is sent again; parts of
   * `resume` are not sent at all, unless the service has removed them. Memory stays flat.
   */
  async upload(
    datasetId: string,
    name: string,
    source: UploadSource,
    options: UploadOptions = {},
  ): Promise<string> {
    const { onBytes, signal, resume, onPart, patience, ...fields } = options;
    const transfer = { onBytes, signal, onPart, patience };
    const content = await contentOf(source);
    const body = { datasetId, name, ...fields, ...(content && { size: content.size }) };
    const init = { body, ...idempotencyKey(), ...(signal && { signal }) };
    const begin = <T>(ask: () => Promise<T>): Promise<T> =>
      patience ? retry(ask, { ...patience, signal }) : ask();
    if (content?.isParted) {
      const send = async (from: PartedUpload | undefined): Promise<string> => {
        const begun = from ?? {
          ...bodyOf(await begin(() => this.api.POST('/v1/uploads', init))),
          parts: [],
        };
        await uploadInParts(this.api, begun, content, transfer);
        return begun.id;
      };
      return send(resume).catch((error: unknown) => {
        // The service removes uploads that no client completes.
        const isGone = error instanceof ClientError && error.status === 404;
        if (resume === undefined || !isGone) throw error;
        return send(undefined);
      });
    }
    const made = bodyOf(await begin(() => this.api.POST('/v1/files', init)));
    if (content) await uploadWhole(made.uploadUrl, content, transfer);
    else if (!(source instanceof Blob))
      await (await import('#upload')).putTo(made.uploadUrl, source, transfer);
    return made.id;
  }

  /** Yields the bytes of a file, as they arrive. */
  bytes(fileId: string, options: DownloadOptions = {}): AsyncGenerator<Uint8Array> {
    const url = `${this.origin}/v1/files/${encodeURIComponent(fileId)}`;
    return bytesFrom(url, () => headersOf(this.#connection), options);
  }

  /**
   * Downloads into a local file (by its path) or a stream, which appears when it is complete. Memory stays flat. The next
   * download into the same folder resumes one of a killed process, or of 64 MiB or more.
   */
  async download(fileId: string, sink: string | ByteSink, options: TransferOptions = {}): Promise<void> {
    const { save, saveFile } = await import('#save');
    const { signal } = options;
    if (typeof sink !== 'string') return save(this.bytes(fileId, options), sink, signal);
    const bytes = (from: DownloadOptions['from'], onVersion: DownloadOptions['onVersion']) =>
      this.bytes(fileId, { ...options, from, onVersion });
    return saveFile({ fileId, path: sink, bytes, signal });
  }

  /** Reports whether a file has bytes of this SHA-256 (hex); none of them are sent. */
  async hasBytes(fileId: string, sha256: string): Promise<boolean> {
    const params = { path: { id: fileId } };
    const headers = { 'if-none-match': `"${sha256}"`, range: 'bytes=0-0' };
    try {
      const { response } = await this.api.GET('/v1/files/{id}', { params, headers, parseAs: 'stream' });
      await response.body?.cancel();
      return false;
    } catch (error) {
      if (error instanceof ClientError && error.status === 304) return true;
      // An empty file has no first byte.
      if (error instanceof ClientError && error.status === 416) return false;
      throw error;
    }
  }

  /** Saves the reads of a region, or all, as a BAM in a local file or a stream (htsget). */
  async downloadReads(
    set: string,
    region: { referenceName?: string; start?: number; end?: number },
    sink: string | ByteSink,
    signal?: AbortSignal,
  ): Promise<void> {
    const path = { account: accountOf(this.#connection), id: set };
    const { htsget } = await this.operations.getReads({ path, query: region });
    const { save } = await import('#save');
    await save(bytesOfBlocks(htsget.urls, signal), sink, signal);
  }

  async ingest(input: NewIngestion): Promise<Ingestion> {
    return bodyOf(await this.api.POST('/v1/ingestions', { body: input, ...idempotencyKey() }));
  }

  /** Waits for the end of an ingestion, whichever it is. */
  async waitForIngestion(id: string, options: WaitOptions<Ingestion> = {}): Promise<Ingestion> {
    const params = { path: { id } };
    return waitUntil(
      async (init) => bodyOf(await this.api.GET('/v1/ingestions/{id}', { params, ...init })),
      ({ state }) => state !== 'queued' && state !== 'running',
      options,
    );
  }

  async cancelIngestion(id: string): Promise<void> {
    await this.api.DELETE('/v1/ingestions/{id}', { params: { path: { id } } });
  }

  async schemas(datasetId: string): Promise<TableSchema[]> {
    return bodyOf(await this.api.GET(`${lake}/schema`, { params: { query: { datasetId } } })).schemas;
  }

  /** Starts a query; answers its id. */
  async query(
    datasetId: string,
    query: string,
    outputFileName: string,
    format: ResultFormat = 'csv',
    timestamps: TimestampForm = 'utc',
  ): Promise<string> {
    const body = { datasetId, query, outputFileName, format, timestamps };
    const answer = bodyOf(await this.api.POST(`${lake}/query`, { body, ...idempotencyKey() }));
    if (!('queryId' in answer)) throw new Error('The service did not return the id of the query.');
    return answer.queryId;
  }

  /**
   * Returns the first rows of a statement; nothing is stored. Problems `QUERY_TIME` and `QUERY_RESULT_SIZE` of what needs a file.
   * Numbers are raw JSON, which keeps all digits.
   */
  async firstRows(
    datasetId: string,
    query: string,
    pageSize: number,
    signal?: AbortSignal,
    timestamps: TimestampForm = 'utc',
  ): Promise<RowsPage> {
    const body = { datasetId, query, pageSize, timestamps };
    const options = { body, parseAs: 'text' as const, ...(signal && { signal }) };
    return readRows(bodyOf(await this.api.POST(`${lake}/rows`, options)));
  }

  /** Runs a statement and yields its rows with typed values. Leaves no file. */
  rows<R = Row>(datasetId: string, query: string, options: TransferOptions = {}): AsyncGenerator<R> {
    return rowsIn<R>(answerOf(this, datasetId, query, 'ndjson', options));
  }

  /** Runs a statement and returns its result as an Arrow IPC stream, for `tableFromIPC` of Apache Arrow. Leaves no file. */
  async toArrow(datasetId: string, query: string, options: TransferOptions = {}): Promise<Uint8Array> {
    return joined(await collected(answerOf(this, datasetId, query, 'arrow', options)));
  }

  /** Describes tables and columns of a query; nothing runs. */
  async previewQuery(datasetId: string, query: string): Promise<QueryPreview> {
    const body = { datasetId, query, outputFileName: 'preview.csv' };
    const params = { query: { dryRun: true } };
    const answer = bodyOf(await this.api.POST(`${lake}/query`, { body, params, ...idempotencyKey() }));
    if ('queryId' in answer) throw new Error('The service does not support dry runs; the query was started.');
    return answer;
  }

  async queryState(queryId: string, options: { signal?: AbortSignal } = {}): Promise<Query> {
    const params = { path: { queryId } };
    return bodyOf(await this.api.GET(`${lake}/query/{queryId}`, { params, ...options }));
  }

  /** Waits for the end of a query, whichever it is. */
  async waitForQuery(queryId: string, options: WaitOptions<Query> = {}): Promise<Query> {
    return waitUntil(
      (init) => this.queryState(queryId, init),
      ({ state }) => state !== 'running',
      options,
    );
  }

  async cancelQuery(queryId: string): Promise<Query> {
    return bodyOf(await this.api.DELETE(`${lake}/query/{queryId}`, { params: { path: { queryId } } }));
  }

  async invite(group: string, email: string): Promise<Invitation> {
    return bodyOf(await this.api.POST('/v1/invitations', { body: { group, email }, ...idempotencyKey() }));
  }

  async createPolicy(name: string, policy: NamedPolicy['policy']): Promise<StoredPolicy> {
    return bodyOf(await this.api.POST('/v1/policies', { body: { name, policy }, ...idempotencyKey() }));
  }
}

function accountOf({ account }: Connection): string {
  return typeof account === 'function' ? account() : account;
}

/** Returns the bytes of an upload that can be read again; `undefined` of a stream or a pipe. */
async function contentOf(source: UploadSource): Promise<Content | undefined> {
  if (source instanceof Blob) return blobContent(source);
  // Modules with parts of Node are loaded by their users only; for browsers, `imports` of the package replaces them.
  return typeof source === 'string' ? (await import('#upload')).localFile(source) : undefined;
}

/** Header by which the service recognises a repeated creation. */
function idempotencyKey(): { headers: Record<string, string> } {
  return { headers: { 'idempotency-key': crypto.randomUUID() } };
}
