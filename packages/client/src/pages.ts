import { foreign } from './client-error.ts';
import { bodyOf } from './connection.ts';

interface Page<T> {
  items: T[];
  links: { next?: string };
}

/** Yields all items of a list, page by page. */
export async function* pages<T>(
  get: (nextPageToken: string) => Promise<{ data?: Page<T> | undefined }>,
): AsyncGenerator<T> {
  for (let token: string | undefined = ''; token !== undefined; ) {
    const page: Page<T> = bodyOf(await get(token));
    if (!Array.isArray(page.items)) throw foreign(200);
    yield* page.items;
    token = nextToken(page.links);
  }
}

/** Reads the token of the next page from the links of a page; `undefined` on the last one. */
export function nextToken({ next }: { next?: string }): string | undefined {
  if (next === undefined) return undefined;
  const token = new URL(next, 'http://list').searchParams.get('nextPageToken');
  // A link without one would end the list too early.
  if (!token) throw foreign(200);
  return token;
}
