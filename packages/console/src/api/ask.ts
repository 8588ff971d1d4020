import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, take } from './client.ts';
import type { Where } from './where.ts';

/** A question over the tables of a project. */
export interface Question {
  target: string;
  domain?: 'filter' | 'count' | 'aggregate';
  where?: Where | undefined;
  /** Only patients of this cohort. */
  cohortId?: string | undefined;
  options?: {
    fields?: string[];
    limit?: number;
    groupBy?: string[];
    metrics?: { op: string; field: string; interval?: number }[];
    pageToken?: string;
  };
}

/** One bar of an aggregation. */
export interface Bucket {
  key: Record<string, string | number | boolean | null>;
  count: number;
  metrics?: { op: string; field: string; value: unknown }[];
}

/** A row of an answer. */
export type Row = Record<string, unknown>;

async function ask(
  datasetId: string,
  { options, cohortId, ...query }: Question,
): Promise<Record<string, unknown>> {
  const scope = { datasetId, ...(cohortId && { cohortId }) };
  const body = { ...scope, query: { ...query, ...(options && { options }) } };
  return (await take(api.POST('/v1/analytics/dsl', { body }))).data;
}

const base = (datasetId: string, question: Question) => ({
  queryKey: ['ask', datasetId, question],
  staleTime: 60_000,
  placeholderData: keepPreviousData,
});

/** The number of patients or rows that satisfy conditions. */
export const count = (datasetId: string, target: string, where?: Where, cohortId?: string) => {
  const question: Question = { target, domain: 'count', where, cohortId };
  return queryOptions({
    ...base(datasetId, question),
    queryFn: async () => (await ask(datasetId, question))['count'] as number,
  });
};

/** Counts by the values of fields, the largest first. */
export const buckets = (datasetId: string, given: Omit<Question, 'domain'>) => {
  const question: Question = { ...given, domain: 'aggregate' };
  return queryOptions({
    ...base(datasetId, question),
    queryFn: async () => (await ask(datasetId, question))['buckets'] as Bucket[],
  });
};

/** Rows that a page shows at most. */
export const rowsMax = 50_000;

/** All rows that satisfy conditions, up to a number that a page can show. */
export const rows = (datasetId: string, question: Omit<Question, 'domain'>) =>
  queryOptions({
    ...base(datasetId, question),
    queryFn: async () => {
      const found: Row[] = [];
      let pageToken: string | undefined;
      do {
        const options = { ...question.options, ...(pageToken !== undefined && { pageToken }) };
        const data = await ask(datasetId, { ...question, options });
        found.push(...(Object.values(data).find(Array.isArray) ?? []));
        pageToken = data['nextPageToken'] as string | undefined;
      } while (pageToken !== undefined && question.options?.limit === undefined && found.length < rowsMax);
      return found;
    },
  });
