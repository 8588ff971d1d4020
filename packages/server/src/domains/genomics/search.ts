import type { PageRequest, Pages, Position } from '../../paging.ts';
import { Type } from '../../schema.ts';

/** Items of a page: what clients get that do not say, and the most (docs/clarifications.md, "Genomics"). */
const pageSizeDefault = 100;
const pageSizeMax = 1000;

/** A filter: `null` and the empty text are none, as senders of protocol buffers write it. */
export const filterShape = (description: string) =>
  Type.Optional(Type.Union([Type.String({ maxLength: 1024 }), Type.Null()], { description }));

/** What every search takes. */
export const searchFields = {
  pageSize: Type.Optional(
    Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
      description: `At most ${pageSizeMax}, which larger values mean too; 0 or absent: ${pageSizeDefault}`,
    }),
  ),
  pageToken: Type.Optional(
    Type.Union([Type.String({ maxLength: 8192 }), Type.Null()], {
      description: '`nextPageToken` of the page before; absent or empty for the first',
    }),
  ),
};

export interface SearchFields {
  pageSize?: number | null;
  pageToken?: string | null;
}

export const nextPageTokenShape = Type.Optional(
  Type.String({ description: 'For the following page; absent on the last' }),
);

/** What is asked for, or nothing. */
export function wanted(filter: string | null | undefined): string | undefined {
  return filter === null || filter === '' ? undefined : filter;
}

/** A search: its filters, and which of its pages. */
export interface Search {
  page: PageRequest;
  scope: string;
}

/** Reads the page of a search. `filters` and the caller are part of its token. */
export function readSearch(
  pages: Pages,
  { pageSize, pageToken }: SearchFields,
  filters: readonly unknown[],
): Search {
  const scope = JSON.stringify(filters);
  const size = Math.min(pageSize || pageSizeDefault, pageSizeMax);
  return { page: { size, after: pages.position(pageToken ?? undefined, scope, 'body/pageToken') }, scope };
}

/** The rows of a page, and the token of the next. `rows` are one more than the page holds, when there are so many. */
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
