import type { Parameter } from '@ploidy/formats/statement-text';
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
export async function start(
  datasetId: string,
  query: string,
  parameters: Parameter[],
  format: FileFormat = 'parquet',
): Promise<string> {
  const { ending } = fileFormats[format];
  const outputFileName = `console/${new Date().toISOString().replace(/[:.]/g, '-')}.${ending}`;
  const body = { query, parameters, datasetId, outputFileName, format };
  const answer = await take(api.POST('/api/v1/analytics/data-lake/query', { body }));
  if (!('queryId' in answer)) throw new Error('The service did not start the query. Try again.');
  return answer.queryId;
}

/** Returns the tables, columns and plan of a statement without running it. */
export async function preview(datasetId: string, query: string, parameters: Parameter[]) {
  const answer = await take(
    api.POST('/api/v1/analytics/data-lake/query', {
      params: { query: { dryRun: true } },
      body: { query, parameters, datasetId, outputFileName: 'preview.csv' },
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

/** Result that a query has left: pages of the service, rows in the tab, or a file to download. */
export type Found = { pages: string } | { rows: CsvRows } | { file: string };

/** Bytes of comma-separated values that the tab reads whole. */
const wholeBytesMax = 5_000_000;

/** Returns how the rows of a query that has succeeded are shown. */
export async function result({ resultFileId: id = '' }: Query): Promise<Found> {
  const answer = await take(
    api.GET('/v1/files/{id}', { params: { path: { id }, query: { include: 'downloadUrl' } } }),
  );
  const file = answer as { contentType: string; size: number; downloadUrl: string };
  if (file.contentType === 'application/vnd.apache.parquet') return { pages: id };
  if (!file.contentType.startsWith('text/csv') || file.size > wholeBytesMax) return { file: id };
  const response = await fetch(file.downloadUrl);
  if (!response.ok) throw new Error(`The result could not be loaded (status ${response.status}). Try again.`);
  return { rows: new CsvRows(new Uint8Array(await response.arrayBuffer())) };
}
