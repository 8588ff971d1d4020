import type { ResourceAttributes } from '../../access/resource.ts';
import type { QueriesTable } from '../../platform/records/schema.ts';

/** A query as the API shows it (specification, "Data lake records"; docs/clarifications.md). */
export interface QueryView {
  id: string;
  accountId: string;
  datasetId: string;
  userId: string;
  /** Base64 of the text sent. */
  queryString: string;
  state: QueriesTable['state'];
  outputFileName: string;
  /** Epoch milliseconds. */
  startTime: number;
  endTime?: number;
  /** 0..1 while it runs. */
  progress?: number;
  rowCount?: number;
  resultFileId?: string;
  error?: { code: string; message: string };
}

export function viewOfQuery(row: QueriesTable): QueryView {
  return {
    id: row.id,
    accountId: row.account_id,
    datasetId: row.project_id,
    userId: row.user_id,
    queryString: Buffer.from(row.query_text).toString('base64'),
    state: row.state,
    outputFileName: row.output_file_name,
    startTime: row.started_at,
    ...(row.ended_at !== null && { endTime: row.ended_at }),
    ...(row.state === 'running' && { progress: row.progress }),
    ...(row.row_count !== null && { rowCount: row.row_count }),
    ...(row.result_file_id !== null && { resultFileId: row.result_file_id }),
    ...(row.error !== null && { error: JSON.parse(row.error) as { code: string; message: string } }),
  };
}

/** What policies may ask of a query. */
export function attributesOfQuery(row: QueriesTable): ResourceAttributes {
  return {
    account: row.account_id,
    dataset: row.project_id,
    type: 'query',
    id: row.id,
    ownerId: row.user_id,
  };
}
