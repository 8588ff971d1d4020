import type { paths } from '@ploidy/client/api';
import createClient from 'openapi-fetch';
import { signIn } from './session.ts';

/** A refusal or failure of the service: its sentence, code and request id. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly requestId: string;
  readonly details: { path: string; message: string }[];

  constructor(status: number, body: unknown) {
    const problem = Object(body) as Partial<{
      error: string;
      code: string;
      requestId: string;
      details: ApiError['details'];
    }>;
    super(typeof problem.error === 'string' ? problem.error : `The service answered with status ${status}.`);
    this.status = status;
    this.code = problem.code ?? 'UNKNOWN';
    this.requestId = problem.requestId ?? '';
    this.details = problem.details ?? [];
  }
}

/** The API, called with the session cookie of the browser. The service takes changes only from pages of its own origin. */
export const api = createClient<paths>({ baseUrl: location.origin });

api.use({
  onRequest({ request }) {
    if (account() !== '') request.headers.set('service-account', account());
  },
});

/** Resolves to the data of an answer; throws its problem. Without a session the browser goes to the sign-in page. */
export async function take<T>(
  answer: Promise<{ data?: T; error?: unknown; response: Response }>,
): Promise<T> {
  const { data, error, response } = await answer;
  if (response.ok) return data as T;
  if (response.status === 401) return signIn();
  throw new ApiError(response.status, error);
}

/** Resolves to an empty list where the service refuses the caller. */
export async function orNone<T>(list: Promise<T[]>): Promise<T[]> {
  try {
    return await list;
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return [];
    throw error;
  }
}

interface Page<T> {
  items: T[];
  links: { next?: string };
}

/** Reads all pages of a list, up to a number of items. */
export async function all<T>(first: Promise<Page<T>>, itemsMax = Number.POSITIVE_INFINITY): Promise<T[]> {
  const items: T[] = [];
  for (let page = await first; ; ) {
    items.push(...page.items);
    const { next } = page.links;
    if (next === undefined || items.length >= itemsMax) return items;
    page = await get<Page<T>>(next);
  }
}

/** Gets an address that the service gave, such as a following page. */
export async function get<T>(address: string): Promise<T> {
  const response = await fetch(address, { headers: { 'service-account': account() } });
  const data = await response.json();
  return take(Promise.resolve({ response, ...(response.ok ? { data } : { error: data }) }));
}

const accountKey = 'ploidy-account';

/** Returns the chosen account. */
export function account(): string {
  return localStorage.getItem(accountKey) ?? '';
}

/** Keeps the choice of an account. */
export function chooseAccount(id: string): void {
  localStorage.setItem(accountKey, id);
}
