import { Type } from 'typebox';
import type { PageRequest, Pages, Position } from '../../../api/paging.ts';

/** Default and maximum items of a page (docs/api/genomics.md). */
const pageSizeDefault = 100;
const pageSizeMax = 1000;

/**
 * Builds the shape of a filter: `null` and the empty string mean no filter, as protocol buffer clients send
 * it.
 */
export const filterShape = (description: string) =>
  Type.Optional(Type.Union([Type.String({ maxLength: 1024 }), Type.Null()], { description }));

/** Fields of every search. */
export const searchFields = {
  pageSize: Type.Optional(
    Type.Union([Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }), Type.Null()], {
      description: `At most ${pageSizeMax}; larger values count as that; 0 or absent: ${pageSizeDefault}`,
    }),
  ),
  pageToken: Type.Optional(
    Type.Union([Type.String({ maxLength: 8192 }), Type.Null()], {
      description: '`nextPageToken` of the page before; absent or empty for the first',
    }),
  ),
};

interface SearchFields {
  pageSize?: number | null;
  pageToken?: string | null;
}

export const nextPageTokenShape = Type.Optional(
  Type.String({ description: 'Token of the next page; absent on the last page' }),
);

/** Returns the filter's value, or `undefined` if it is empty. */
export function wanted(filter: string | null | undefined): string | undefined {
  return filter === null || filter === '' ? undefined : filter;
}

/** Search with its page. */
export interface Search {
  page: PageRequest;
  scope: string;
}

/** Reads the page of a search. Its token is bound to `filters` and the caller. */
export function readSearch(
  pages: Pages,
  { pageSize, pageToken }: SearchFields,
  filters: readonly unknown[],
): Search {
  const scope = JSON.stringify(filters);
  const size = Math.min(pageSize || pageSizeDefault, pageSizeMax);
  return { page: { size, after: pages.position(pageToken ?? undefined, scope, 'body/pageToken') }, scope };
}

/** Builds a page and the token of the next one. `rows`: up to one more than the page holds. */
export function pageOfRows<Row>(
  pages: Pages,
  rows: readonly Row[],
  { page, scope }: Search,
  position: (row: Row) => Position,
): { rows: Row[]; nextPageToken?: string } {
  const shown = rows.slice(0, page.size);
  const last = shown.at(-1);
  const isLast = rows.length <= page.size || last === undefined;
  return { rows: shown, ...(!isLast && { nextPageToken: pages.token(position(last), scope) }) };
}
