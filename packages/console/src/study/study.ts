import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, take } from '../api/client.ts';
import type { Shape } from '../api/lists.ts';
import { attributeName } from '../words/dictionary.ts';
import type { Node } from './conditions.ts';

export type Attribute = Shape<'StudyAttribute'>;

/** Subjects that are counted: patients, or their samples. */
export type Unit = 'patient' | 'sample';

/** Body of a request that answers all charts at once. */
export interface StudyBody {
  datasetId: string;
  unit: Unit;
  filter: Node;
  aggregates: Shape<'StudyAggregate'>[];
}

/** Attributes of the patients and samples of a project that have values. */
export const attributesOf = (datasetId: string) =>
  queryOptions({
    queryKey: ['study-attributes', datasetId],
    queryFn: async (): Promise<Attribute[]> => {
      const params = { query: { datasetId } };
      const { attributes } = await take(api.GET('/v1/analytics/study/attributes', { params }));
      return attributes.map((one) => ({ ...one, name: attributeName(one) }));
    },
  });

/**
 * Results of all charts of a page, asked anew by each page that opens: data and rights may have changed since. A request that a
 * newer state of the page replaces is ended.
 */
export const answerOf = (body: StudyBody) =>
  queryOptions({
    queryKey: ['study', body],
    staleTime: 0,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => take(api.POST('/v1/analytics/study/query', { body, signal })),
  });

/** Subjects that a page lists at most. */
export const listedMax = 5000;
const pageSize = 1000;

/** Ids of the patients that pass a filter, up to the number that a page lists. */
export const patientsOf = (datasetId: string, unit: Unit, filter: Node) =>
  queryOptions({
    queryKey: ['study-subjects', datasetId, unit, filter],
    staleTime: 0,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => readPatients({ datasetId, unit, filter }, listedMax, signal),
  });

/** Reads the ids of the patients that pass a filter, page by page, until there are `max`. */
export async function readPatients(
  asked: Omit<StudyBody, 'aggregates'>,
  max: number,
  signal?: AbortSignal,
): Promise<string[]> {
  const found = new Set<string>();
  let nextPageToken: string | undefined;
  do {
    const body = { ...asked, pageSize, ...(nextPageToken && { nextPageToken }) };
    const page = await take(api.POST('/v1/analytics/study/subjects', { body, ...(signal && { signal }) }));
    for (const { patientId } of page.items) if (patientId !== undefined) found.add(patientId);
    nextPageToken = page.nextPageToken;
  } while (nextPageToken !== undefined && found.size < max);
  return [...found];
}
