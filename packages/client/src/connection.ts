import { setTimeout as delay } from 'node:timers/promises';
import createFetchClient, { type Client, type Middleware } from 'openapi-fetch';
import { errorFrom, unreachable } from './client-error.ts';
import type { paths } from './generated/openapi.ts';

/** Where the service is and who calls. */
export interface Connection {
  /** `http://host:port`, with or without `/v1` behind it. */
  address: string;
  apiKey: string;
  /** Account for everything that needs one. */
  account: string;
}

export type Api = Client<paths>;

/** `http://host:port` without a path. */
export function originOf(address: string): string {
  return address.replace(/\/+$/, '').replace(/\/(api\/)?v1$/, '');
}

/** What the service wants to see with every request. */
export function headersOf({ apiKey, account }: Connection): Record<string, string> {
  return { authorization: `Bearer ${apiKey}`, 'service-account': account };
}

/** The typed calls, one for each path and method of the API document. Anything but 2xx is thrown as `ClientError`. */
export function openApi(connection: Connection): Api {
  const origin = originOf(connection.address);
  const api = createFetchClient<paths>({ baseUrl: origin, headers: headersOf(connection), fetch: patiently });
  const errors: Middleware = {
    onResponse: async ({ response }) => {
      if (!response.ok) throw await errorFrom(response);
    },
    onError: ({ error }) => unreachable(origin, error),
  };
  api.use(errors);
  return api;
}

const triesMax = 3;
const waitMs = 200;

/** Tries again when the connection breaks, where a repetition is safe: everything but a POST without a key of its own. */
async function patiently(request: Request): Promise<Response> {
  const safe = request.method !== 'POST' || request.headers.has('idempotency-key');
  for (let attempt = 1; ; attempt++) {
    try {
      return await fetch(request.clone());
    } catch (error) {
      if (!safe || attempt === triesMax) throw error;
      await delay(waitMs * attempt);
    }
  }
}

/** The body of an answer that was 2xx. */
export function bodyOf<T>(answer: { data?: T | undefined }): T {
  if (answer.data === undefined) throw new TypeError('the service answered without a body');
  return answer.data;
}
