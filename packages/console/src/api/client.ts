import { ClientError, type Connection, openApi } from '@ploidy/client';
import { keptAs, serviceAddress } from './place.ts';
import { signIn } from './session.ts';
import { viewHeaders } from './view.ts';

/** Connection to this service by the cookie of the browser's session. The service accepts changes only from its own pages. */
export const connection: Connection = {
  address: serviceAddress,
  account,
  headers: viewHeaders,
  onSignedOut: signIn,
};

/** Typed calls of the service. Everything but 2xx is thrown as `ClientError`. */
export const api = openApi(connection);

/** Resolves to the body of an answer; a removal has none. */
export async function take<T>(answer: Promise<{ data?: T }>): Promise<T> {
  return (await answer).data as T;
}

/** Resolves to an empty list where the service refuses the caller. */
export async function orNone<T>(list: Promise<T[]>): Promise<T[]> {
  try {
    return await list;
  } catch (error) {
    if (error instanceof ClientError && error.status === 403) return [];
    throw error;
  }
}

/** Reads a list, up to a number of items. */
export async function all<T>(list: AsyncIterable<T>, itemsMax = Number.POSITIVE_INFINITY): Promise<T[]> {
  const items: T[] = [];
  for await (const item of list) {
    items.push(item);
    if (items.length >= itemsMax) break;
  }
  return items;
}

const accountKey = keptAs('account');

/** Returns the chosen account. */
export function account(): string {
  return localStorage.getItem(accountKey) ?? '';
}

/** Keeps the choice of an account. */
export function chooseAccount(id: string): void {
  localStorage.setItem(accountKey, id);
}
