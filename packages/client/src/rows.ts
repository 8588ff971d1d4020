import type { Query, ResultFormat, RowsPage } from './answers.ts';
import { ClientError } from './client-error.ts';
import type { Api } from './connection.ts';
import type { TransferOptions } from './upload-parts.ts';
import type { WaitOptions } from './wait.ts';

/** Calls of the client by which a statement runs. */
interface Queries {
  readonly api: Api;
  query(datasetId: string, sql: string, outputFileName: string, format: ResultFormat): Promise<string>;
  waitForQuery(queryId: string, options: WaitOptions<Query>): Promise<Query>;
  cancelQuery(queryId: string): Promise<Query>;
  bytes(fileId: string, options: TransferOptions): AsyncGenerator<Uint8Array>;
}

/** Row of a result by the names of its columns. Integers beyond 2^53 and decimals lose digits; `CAST(x AS VARCHAR)` keeps them. */
export type Row = Record<string, unknown>;

/** Runs a statement and yields the bytes of its result; deletes the file of the result afterwards. An abort cancels the query. */
export async function* answerOf(
  client: Queries,
  datasetId: string,
  sql: string,
  format: ResultFormat,
  options: TransferOptions,
): AsyncGenerator<Uint8Array> {
  const queryId = await client.query(datasetId, sql, `queries/${crypto.randomUUID()}`, format);
  const query = await waitForEnd(client, queryId, options.signal);
  const fileId = query.resultFileId ?? queryId;
  try {
    yield* client.bytes(fileId, options);
  } finally {
    await client.api.DELETE('/v1/files/{id}', { params: { path: { id: fileId } } });
  }
}

async function waitForEnd(client: Queries, queryId: string, signal?: AbortSignal): Promise<Query> {
  try {
    const query = await client.waitForQuery(queryId, { signal });
    if (query.state === 'succeeded') return query;
    const { code = 'QUERY_CANCELLED', message = 'The query was cancelled.' } = query.error ?? {};
    throw new ClientError(message, { status: 0, code });
  } catch (error) {
    if (signal?.aborted) await client.cancelQuery(queryId);
    throw error;
  }
}

/** Parses NDJSON, one row a line. */
export async function* rowsIn<R>(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<R> {
  for await (const line of linesIn(bytes)) yield JSON.parse(line) as R;
}

/** Yields the lines of bytes in UTF-8, without their ends; a line may span chunks. */
export async function* linesIn(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of bytes) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

/**
 * Parses a page of rows. Numbers are raw JSON, which keeps all digits. Where the language has none (Node 20), numbers that
 * a double does not keep are strings.
 */
export function readRows(text: string): RowsPage {
  if (!JSON.rawJSON) return JSON.parse(withExactNumbers(text));
  return JSON.parse(text, (_key: string, value: unknown, context?: { source?: string }): unknown =>
    typeof value === 'number' && context?.source ? JSON.rawJSON(context.source) : value,
  );
}

/** Quotes the numbers of a JSON text whose digits would change. */
export function withExactNumbers(text: string): string {
  return text.replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, (token) =>
    token.startsWith('"') || String(Number(token)) === token ? token : `"${token}"`,
  );
}

/** Collects all items. Node 20 has no `Array.fromAsync`. */
export async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/** Joins chunks of bytes. */
export function joined(chunks: Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(chunks.reduce((total, { length }) => total + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
