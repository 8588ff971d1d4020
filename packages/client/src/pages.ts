import { bodyOf } from './connection.ts';

interface Page<T> {
  items: T[];
  links: { next?: string };
}

/** Yields all items of a list, page by page. */
export async function* pages<T>(
  get: (nextPageToken: string) => Promise<{ data?: Page<T> | undefined }>,
): AsyncGenerator<T> {
  for (let token: string | null = ''; token !== null; ) {
    const page: Page<T> = bodyOf(await get(token));
    yield* page.items;
    token = page.links.next
      ? new URL(page.links.next, 'http://list').searchParams.get('nextPageToken')
      : null;
  }
}
