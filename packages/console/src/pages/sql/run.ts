import { api, take } from '../../api/client.ts';
import type { Query } from '../../api/work.ts';
import { CsvRows } from '../../table/csv.ts';

/** Formats of a result that is downloaded rather than shown, with the ending of its name. */
export const fileFormats = {
  parquet: { label: 'Parquet', ending: 'parquet' },
  arrow: { label: 'Arrow stream', ending: 'arrows' },
  ndjson: { label: 'JSON lines', ending: 'ndjson' },
} as const;

export type FileFormat = keyof typeof fileFormats;

/** Starts a statement. The result file has a name of its own, in a folder for results. */
export async function start(datasetId: string, query: string, format?: FileFormat): Promise<string> {
  const ending = format ? fileFormats[format].ending : 'csv';
  const outputFileName = `console/${new Date().toISOString().replace(/[:.]/g, '-')}.${ending}`;
  const body = { query, datasetId, outputFileName, format: format ?? ('csv' as const) };
  const answer = await take(api.POST('/api/v1/analytics/data-lake/query', { body }));
  if (!('queryId' in answer)) throw new Error('The service did not start the query. Try again.');
  return answer.queryId;
}

/** Returns the tables and columns of a statement without running it. */
export async function preview(datasetId: string, query: string) {
  const answer = await take(
    api.POST('/api/v1/analytics/data-lake/query', {
      params: { query: { dryRun: true } },
      body: { query, datasetId, outputFileName: 'preview.csv' },
    }),
  );
  if ('queryId' in answer) throw new Error('The service does not support estimates.');
  return answer;
}

/** Returns the state of a query. */
export function state(queryId: string): Promise<Query> {
  return take(api.GET('/api/v1/analytics/data-lake/query/{queryId}', { params: { path: { queryId } } }));
}

/** Cancels a query that runs. */
export function cancel(queryId: string): Promise<unknown> {
  return take(api.DELETE('/api/v1/analytics/data-lake/query/{queryId}', { params: { path: { queryId } } }));
}

/** Returns the rows of a query that has succeeded; `undefined` of a result that is no CSV. */
export async function result(query: Query): Promise<CsvRows | undefined> {
  const id = query.resultFileId ?? '';
  const answer = await take(
    api.GET('/v1/files/{id}', { params: { path: { id }, query: { include: 'downloadUrl' } } }),
  );
  const file = answer as { contentType: string; downloadUrl: string };
  if (!file.contentType.startsWith('text/csv')) return undefined;
  const response = await fetch(file.downloadUrl);
  if (!response.ok) throw new Error(`The result could not be loaded (status ${response.status}). Try again.`);
  return new CsvRows(new Uint8Array(await response.arrayBuffer()));
}
