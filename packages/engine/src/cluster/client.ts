import { appendFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { EngineError, type QueryProgress } from '../engine.ts';

/** Address of a Trino cluster and the catalogue of the lake in it. */
export interface TrinoAddress {
  url: URL;
  catalog: string;
  user: string;
  password: string;
}

/** Statement in Trino's dialect. */
export interface RemoteStatement {
  sql: string;
  /** Unique name of the run: sessions and table metadata are cached by user. */
  name: string;
  /** Token that opens the tables of the statement. */
  token: string;
  runTimeMaxMs: number;
  /** Rows of the tables that it reads, for the progress. */
  rowCount: number;
  /** Maximum size of the rows, as JSON. */
  bytesMax: number;
}

/** Result of a statement as a file of pages. */
export interface RemotePages {
  /** Bytes of the largest page. */
  pageBytesMax: number;
}

/** A statement that Trino refused, or that failed by a value. The local engine decides about it. */
export class TrinoRefused extends Error {
  constructor(name: string) {
    super(`The cluster refuses the statement: ${name}.`);
    this.name = 'TrinoRefused';
  }
}

/** A cluster that does not answer, or lost the statement. The run may be repeated. */
class ClusterLost extends EngineError {
  constructor(cause?: unknown) {
    super('WORKER_LOST', 'The distributed engine lost the query.', {}, cause);
    this.name = 'ClusterLost';
  }
}

interface Page {
  nextUri?: string;
  /** JSON of the rows. It is not parsed: numbers beyond 2^53 keep their digits, and the loop stays free. */
  rows?: string;
  stats?: { progressPercentage?: number; processedRows?: number };
  error?: { message: string; errorName: string; errorType: string };
}

const retryMs = 100;
/** Time after which a cluster that refuses connections or answers 502–504 counts as lost. */
const lostAfterMs = 10_000;
/** A redirect would carry the token to another host. */
const ownOnly = { redirect: 'error' } as const;

/**
 * Runs a statement over Trino's client protocol and appends each page of rows to a file, one JSON line each. An abort cancels
 * the statement in the cluster.
 */
export async function runRemotely(
  address: TrinoAddress,
  statement: RemoteStatement,
  pagesPath: string,
  signal: AbortSignal,
  onProgress?: (progress: QueryProgress) => void,
): Promise<RemotePages> {
  const run = new Run(address, statement);
  let bytes = 0;
  let pageBytesMax = 0;
  try {
    for (;;) {
      const page = await run.next(signal);
      if (!page) return { pageBytesMax };
      if (page.rows !== undefined) {
        bytes += page.rows.length;
        if (bytes > statement.bytesMax)
          throw new EngineError('RESULT_SIZE', 'The result is larger than the limit. Narrow it down.');
        const line = `{"data":${page.rows}}\n`;
        pageBytesMax = Math.max(pageBytesMax, Buffer.byteLength(line));
        await appendFile(pagesPath, line);
      }
      onProgress?.({ fraction: fractionOf(page, statement.rowCount) });
    }
  } finally {
    await run.cancel();
  }
}

/** Statement in the cluster, page by page. */
class Run {
  readonly #headers: Record<string, string>;
  readonly #sql: string;
  readonly #origin: URL;
  #next: string | undefined;
  #isSent = false;

  constructor({ url, catalog, user, password }: TrinoAddress, statement: RemoteStatement) {
    this.#origin = url;
    this.#sql = statement.sql;
    const credentials = Buffer.from(`${user}:${password}`).toString('base64');
    this.#headers = {
      'X-Trino-User': statement.name,
      'X-Trino-Source': 'ploidy',
      'X-Trino-Catalog': catalog,
      'X-Trino-Time-Zone': 'UTC',
      // Without it timestamps are rounded to milliseconds.
      'X-Trino-Client-Capabilities': 'PARAMETRIC_DATETIME',
      'X-Trino-Extra-Credential': `token=${statement.token}`,
      'X-Trino-Session': `query_max_run_time=${Math.ceil(statement.runTimeMaxMs / 1000)}s`,
      'X-Trino-Client-Tags': statement.name,
      ...(password !== '' && { Authorization: `Basic ${credentials}` }),
    };
  }

  /** Returns the next page; nothing after the last one. */
  async next(signal: AbortSignal): Promise<Page | undefined> {
    if (this.#isSent && this.#next === undefined) return undefined;
    const page = await this.#fetch(signal);
    this.#isSent = true;
    // An address of another host would receive the token.
    this.#next = page.nextUri === undefined ? undefined : this.#own(page.nextUri);
    if (page.error) throw failureOf(page.error);
    return page;
  }

  /** Cancels what is left of the statement. The cluster ends it by itself if this does not arrive. */
  async cancel(): Promise<void> {
    const address = this.#next;
    this.#next = undefined;
    if (address === undefined) return;
    const signal = AbortSignal.timeout(lostAfterMs);
    await fetch(address, { ...ownOnly, method: 'DELETE', headers: this.#headers, signal }).catch(
      () => undefined,
    );
  }

  async #fetch(signal: AbortSignal): Promise<Page> {
    const lostAt = Date.now() + lostAfterMs;
    for (;;) {
      const answer = await this.#request(signal).catch((error: unknown) => {
        signal.throwIfAborted();
        if (!this.#isSent || Date.now() > lostAt) throw new ClusterLost(error);
        return undefined;
      });
      if (answer?.ok) return pageOf(await answer.text());
      if (answer && ![502, 503, 504].includes(answer.status)) throw new ClusterLost();
      if (Date.now() > lostAt) throw new ClusterLost();
      await delay(retryMs, undefined, { signal });
    }
  }

  #request(signal: AbortSignal): Promise<Response> {
    const headers = this.#headers;
    if (this.#next !== undefined) return fetch(this.#next, { ...ownOnly, headers, signal });
    const address = new URL('/v1/statement', this.#origin);
    return fetch(address, { ...ownOnly, method: 'POST', headers, body: this.#sql, signal });
  }

  #own(address: string): string {
    const { pathname, search } = new URL(address);
    return new URL(pathname + search, this.#origin).href;
  }
}

const rowsBegin = '"data":[[';
/** Quotes inside texts are escaped, so this cannot be inside one. */
const rowsEnd = ']],"';

/** Separates the rows of a page from its other fields. */
function pageOf(text: string): Page {
  const at = text.indexOf(rowsBegin);
  if (at < 0) return JSON.parse(text) as Page;
  const [begin, end] = [at + '"data":'.length, text.lastIndexOf(rowsEnd) + ']]'.length];
  const page = JSON.parse(`${text.slice(0, begin)}[]${text.slice(end)}`) as Page;
  return { ...page, rows: text.slice(begin, end) };
}

/** Splits are few and large: the rows read so far may say more. */
function fractionOf({ stats }: Page, rowCount: number): number | undefined {
  const splits = (stats?.progressPercentage ?? 0) / 100;
  const rows = rowCount > 0 ? (stats?.processedRows ?? 0) / rowCount : 0;
  return Math.min(1, Math.max(splits, rows));
}

function failureOf({ errorName, errorType }: NonNullable<Page['error']>): Error {
  if (errorName.startsWith('EXCEEDED_TIME_LIMIT')) return new EngineError('TIME', 'The query ran too long.');
  if (/MEMORY/.test(errorName))
    return new EngineError('MEMORY', 'The query needs more memory than the distributed engine allows one.');
  // Errors by a value are included: the engines fail for other values, and forms of the translation fail on purpose.
  if (errorType === 'USER_ERROR' || errorName === 'GENERIC_INTERNAL_ERROR')
    return new TrinoRefused(errorName);
  return new ClusterLost(new Error(errorName));
}
