import type { Caller } from '../../access/caller.ts';
import type { ResourceAttributes } from '../../access/resource.ts';
import type { Transaction } from '../../platform/records/records.ts';
import type { QueriesTable } from '../../platform/records/schema-lake.ts';

/** Whether it is the id of a query: its result will have it, too (docs/clarifications.md). */
export async function isQueryId(tx: Transaction, id: string): Promise<boolean> {
  const found = await tx.selectFrom('queries').select('id').where('id', '=', id).executeTakeFirst();
  return found !== undefined;
}

/** A query as the API shows it (specification, "Data lake records"; docs/clarifications.md). */
export interface QueryView {
  id: string;
  accountId: string;
  datasetId: string;
  userId: string;
  /** Base64 of the text sent; empty for a reader of masked data where the text may name people. */
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

/**
 * A statement over real values, the name of its result, its number of rows and what the engine says of its failure may tell these values: who
 * may only read masked ones sees none of it, unless he wrote it himself.
 */
export function viewOfQuery(row: QueriesTable, caller: Caller): QueryView {
  const quotes =
    row.masked === 1 || row.user_id === caller.userId || caller.may('lake.read', attributesOfTables(row));
  return {
    id: row.id,
    accountId: row.account_id,
    datasetId: row.project_id,
    userId: row.user_id,
    queryString: quotes ? Buffer.from(row.query_text).toString('base64') : '',
    state: row.state,
    outputFileName: quotes ? row.output_file_name : '',
    startTime: row.started_at,
    ...(row.ended_at !== null && { endTime: row.ended_at }),
    ...(row.state === 'running' && { progress: row.progress }),
    ...(row.row_count !== null && quotes && { rowCount: row.row_count }),
    ...(row.result_file_id !== null && { resultFileId: row.result_file_id }),
    ...(row.error !== null && { error: quotes ? failureOf(row.error) : withoutMessage(row.error) }),
  };
}

type QueryFailure = { code: string; message: string };

function failureOf(error: string): QueryFailure {
  return JSON.parse(error) as QueryFailure;
}

function withoutMessage(error: string): QueryFailure {
  return { code: failureOf(error).code, message: 'It failed; its author can see why.' };
}

/** What policies may ask of the tables of a project. They belong to nobody, so that rules on owners never open them. */
export function attributesOfTables(of: { account_id: string; project_id: string }): ResourceAttributes {
  return { account: of.account_id, dataset: of.project_id, type: 'table' };
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
