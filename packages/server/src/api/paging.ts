import { type Static, Type } from 'typebox';
import { invalidInput } from '../base/problem.ts';
import type { Secrets } from '../platform/secrets/secrets.ts';
import { referenceOf } from './shapes.ts';

/** Maximum items of a page (docs/api/requests.md). */
const pageSizeMax = 1000;
const pageSizeDefault = 25;
/** Characters of texts after which a page ends early: a thousand statements of 64 KiB are 87 MB of JSON. */
const pageCharactersMax = 4_000_000;

/** Query parameters of every list. */
export const pageQuery = {
  pageSize: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: pageSizeMax,
      description: `Items of a page, default ${pageSizeDefault}`,
    }),
  ),
  nextPageToken: Type.Optional(
    Type.String({ maxLength: 8192, description: 'From `links.next`; absent or empty for the first page' }),
  ),
};

/** Builds the envelope schema of a list. */
export function pageOf<T extends Parameters<typeof Type.Array>[0]>(item: T) {
  return Type.Object({
    items: Type.Array(item, { description: 'Items of this page' }),
    links: pageLinks,
  });
}

const pageLinks = Type.Object(
  {
    self: referenceOf('Address of the page, relative to the server'),
    next: Type.Optional(referenceOf('The following page; absent on the last')),
  },
  { description: 'Addresses of pages' },
);

type PageLinks = Static<typeof pageLinks>;

/** Position in a list: the values of the sort columns of the previous page's last item. */
export type Position = (string | number)[];

export interface PageRequest {
  size: number;
  after: Position | undefined;
}

/**
 * Keyset paging. A token seals the position behind the last item together with its list. It reveals nothing,
 * cannot be forged, and fits no other list, filter, account or user.
 */
export class Pages {
  readonly #secrets: Secrets;

  constructor(secrets: Secrets) {
    this.#secrets = secrets;
  }

  /** Reads the page parameters of a list. `scope` names the list: path, account, filters, user. */
  read(query: { pageSize?: number; nextPageToken?: string }, scope: string): PageRequest {
    const size = query.pageSize ?? pageSizeDefault;
    return { size, after: this.position(query.nextPageToken, scope, 'query/nextPageToken') };
  }

  /** Reads a token of a list with another envelope. `path` names the parameter for the problem. */
  position(token: string | undefined, scope: string, path: string): Position | undefined {
    if (!token) return undefined;
    try {
      return JSON.parse(this.#secrets.open(token, `page:${scope}`)) as Position;
    } catch {
      throw invalidInput([{ path, message: 'is not a token of this list; start again without it' }]);
    }
  }

  /** Seals a position into a token. */
  token(position: Position, scope: string): string {
    return this.#secrets.seal(JSON.stringify(position), `page:${scope}`);
  }

  /**
   * Builds the response from `size + 1` rows, so that the last page is known. A page of long texts ends early.
   * `path` is that of the list, beginning with `/v1/`.
   */
  answer<Row, Item>(
    rows: Row[],
    request: PageRequest,
    list: { scope: string; path: string; query: Record<string, unknown> },
    position: (row: Row) => Position,
    item: (row: Row) => Item,
  ): { items: Item[]; links: PageLinks } {
    const items: Item[] = [];
    let characters = 0;
    for (const row of rows.slice(0, request.size)) {
      const shown = item(row);
      characters += charactersOf(shown);
      if (items.length > 0 && characters > pageCharactersMax) break;
      items.push(shown);
    }
    const last = rows[items.length - 1];
    const links: PageLinks = { self: address(list.path, list.query) };
    if (rows.length > items.length && last !== undefined) {
      const token = this.token(position(last), list.scope);
      links.next = address(list.path, { ...list.query, pageSize: request.size, nextPageToken: token });
    }
    return { items, links };
  }

  /** Builds the response of a page whose next position is known; absent on the last page. */
  following<Item>(
    items: Item[],
    list: { scope: string; path: string; query: Record<string, unknown> },
    next: Position | undefined,
  ): { items: Item[]; links: PageLinks } {
    const self = address(list.path, list.query);
    if (!next) return { items, links: { self } };
    const nextPageToken = this.token(next, list.scope);
    return { items, links: { self, next: address(list.path, { ...list.query, nextPageToken }) } };
  }
}

/** Counts the characters of all texts in a value of JSON. */
function charactersOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, part) => sum + charactersOf(part), 0);
}

function address(path: string, query: Record<string, unknown>): string {
  const entries = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const text = new URLSearchParams(entries.map(([name, value]) => [name, String(value)])).toString();
  return text === '' ? path : `${path}?${text}`;
}
