import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, take } from '../api/client.ts';

/** Condition on a column of a result, with the words of the service. */
export interface ResultFilter {
  column: string;
  comparison: 'equals' | 'notEquals' | 'contains' | 'notLess' | 'notGreater' | 'missing' | 'present';
  value?: string;
}

/** Rows of a result that are shown, and their order. */
export interface Choice {
  filters: ResultFilter[];
  search: string;
  orderBy: { column: string; descending: boolean }[];
}

export type ResultRow = readonly unknown[];

interface Page {
  columns: { name: string; type: string }[];
  rows: ResultRow[];
}

/** Rows of a page: a window shows less than a quarter. */
export const pageRows = 200;

const id = (file: string) => ({ params: { path: { id: file } } });

/** Returns rows of a result. */
export async function rowsOf(
  file: string,
  choice: Choice,
  offset: number,
  pageSize: number,
  signal?: AbortSignal,
): Promise<Page> {
  const answer = api.POST('/v1/files/{id}/rows', {
    ...id(file),
    body: { ...choice, offset, pageSize },
    // Read as text: the digits of a number count.
    parseAs: 'stream',
    ...(signal && { signal }),
  });
  return exactly(await (await answer).response.text());
}

/** The page of a result by its number, from 0. */
export const resultPage = (file: string, choice: Choice, number: number) =>
  queryOptions({
    queryKey: ['result rows', file, choice, number],
    queryFn: ({ signal }) => rowsOf(file, choice, number * pageRows, pageRows, signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  });

/** The number of chosen rows and, with a column, its measures among them. */
export const resultSummary = (file: string, { filters, search }: Choice, column?: string) =>
  queryOptions({
    queryKey: ['result summary', file, filters, search, column],
    queryFn: ({ signal }) =>
      take(
        api.POST('/v1/files/{id}/summary', {
          ...id(file),
          body: { filters, search, ...(column !== undefined && { column }) },
          signal,
        }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
    ...(column === undefined && { placeholderData: keepPreviousData }),
  });

/** Returns the chosen rows as a file of comma-separated values, which the browser keeps outside of the page. */
export async function csvOf(file: string, choice: Choice): Promise<Blob> {
  const body = { ...choice, format: 'csv' as const };
  const { response } = await api.POST('/v1/files/{id}/rows', { ...id(file), body, parseAs: 'stream' });
  return response.blob();
}

/** Parses a page; numbers with more digits than a script keeps stay texts. */
function exactly(text: string): Page {
  if (!/\d{16}/.test(text) && !/\d\.\d{15}/.test(text)) return JSON.parse(text);
  const revive = (_: string, value: unknown, { source = '' }: { source?: string } = {}): unknown =>
    typeof value === 'number' && String(value) !== source && source.length > 15 ? source : value;
  return JSON.parse(text, revive as Parameters<typeof JSON.parse>[1]);
}
