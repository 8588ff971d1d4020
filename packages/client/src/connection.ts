import createFetchClient, { type Client, type Middleware } from 'openapi-fetch';
import { ClientError, foreign, otherShape, unreachable } from './client-error.ts';
import { fetchWithRetries } from './fetch-with-retries.ts';
import type { paths } from './generated/openapi.ts';

/** Address and credentials of the service. */
export interface Connection {
  /** `http://host:port`, with or without `/v1` behind it. */
  address: string;
  /**
   * An API key or an access token. A function where it is replaced from time to time; it is asked before each request. Absent in a
   * page of the service itself, whose browser has the cookie of a session.
   */
  apiKey?: string | (() => Promise<string>);
  /** Account for everything that needs one. A function where users choose another. */
  account: string | (() => string);
  /** Further headers of each request. */
  headers?: () => Record<string, string>;
  /** Called in place of an error when the service answers 401. Resolves when the user is signed in again: the request is repeated. */
  onSignedOut?: () => Promise<void>;
  /** Compares answers with the API document: `answerFault`. Absent in pages, for which its shapes are too large. */
  faultOf?: (method: string, path: string, status: number, answer: unknown) => string | undefined;
}

export type Api = Client<paths>;

/** `http://host:port` without a path. `ClientError` `INVALID_ADDRESS` for what is no web address. */
export function originOf(address: string): string {
  const origin = address
    .trim()
    .replace(/(?<!\/)\/+$/, '')
    .replace(/\/(api\/)?v1$/, '');
  if (/^https?:\/\/[^/]/i.test(origin) && URL.canParse(origin)) return origin;
  const message = `"${address}" is not the address of a service. It should be like http://127.0.0.1:8080.`;
  throw new ClientError(message, { status: 0, code: 'INVALID_ADDRESS' });
}

/** Headers of every request. */
export async function headersOf({ apiKey, account, headers }: Connection): Promise<Record<string, string>> {
  const token = typeof apiKey === 'function' ? await apiKey() : apiKey;
  const chosen = typeof account === 'function' ? account() : account;
  return {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(chosen !== '' && { 'service-account': chosen }),
    ...headers?.(),
  };
}

/** Returns the typed calls, one for each path and method of the API document. Anything but 2xx is thrown as `ClientError`. */
export function openApi(connection: Connection): Api {
  const origin = originOf(connection.address);
  const api = createFetchClient<paths>({
    baseUrl: origin,
    fetch: (request) => {
      if (!connection.onSignedOut) return fetchWithRetries(request, origin);
      // A request that was refused did nothing, so that each kind may be repeated.
      const again = request.clone();
      return fetchWithRetries(request, origin).catch(async (error: unknown) => {
        if (!(error instanceof ClientError) || error.status !== 401) throw error;
        await connection.onSignedOut?.();
        return fetchWithRetries(again, origin);
      });
    },
  });
  const middleware: Middleware = {
    onRequest: async ({ request }) => {
      for (const [name, value] of Object.entries(await headersOf(connection)))
        request.headers.set(name, value);
    },
    onResponse: async ({ request: { method }, response, options, schemaPath }) => {
      refusePage(response);
      const isEmpty = method === 'HEAD' || response.status === 204;
      if (isEmpty || !['json', 'text'].includes(options.parseAs)) return undefined;
      const [read, answer] = await documentIn(response, origin);
      const fault = answer && connection.faultOf?.(method, schemaPath, response.status, answer.value);
      if (fault) throw otherShape(`${method} ${origin}${schemaPath}`, fault, response.status);
      return read;
    },
  };
  api.use(middleware);
  return api;
}

/** Throws for a page of HTML, which this API never answers. */
function refusePage({ headers, status }: Response): void {
  if (headers.get('content-type')?.startsWith('text/html')) throw foreign(status);
}

/** Reads an answer of 2xx; returns it with the same body, and its value. A body that is no document of this API is of another program. */
async function documentIn(response: Response, origin: string): Promise<[Response, { value: unknown }?]> {
  const { status, statusText, headers } = response;
  const text = await response.text().catch((error: unknown) => {
    throw unreachable(origin, error);
  });
  const read = new Response(text, { status, statusText, headers });
  // Accepted work may have no body.
  if (status === 202 && text === '') return [read];
  return [read, { value: documentOf(text, status) }];
}

/** Parses an object or, as the state of the service is, a word of JSON. */
function documentOf(text: string, status: number): unknown {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'string' || (value instanceof Object && !Array.isArray(value))) return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  // Text of another program, or the first part of an answer.
  throw foreign(status);
}

/** Returns the body of an answer that was 2xx. */
export function bodyOf<T>(answer: { data?: T | undefined }): T {
  if (answer.data === undefined) throw foreign(200);
  return answer.data;
}
