import type { Caller } from '../../../access/caller.ts';
import type { ResourceAttributes } from '../../../access/resource.ts';
import type { Waiting } from '../../../platform/jobs/jobs.ts';
import type { Transaction } from '../../../platform/records/records.ts';
import type { QueriesTable } from '../../../platform/records/schema-lake.ts';

/** Reports whether an id is that of a query, which its result will have too (docs/api/queries.md). */
export async function isQueryId(tx: Transaction, id: string): Promise<boolean> {
  const found = await tx.selectFrom('queries').select('id').where('id', '=', id).executeTakeFirst();
  return found !== undefined;
}

/** Query as the API shows it (specification, "Data lake records"; docs/api/queries.md). */
export interface QueryView {
  id: string;
  accountId: string;
  datasetId: string;
  userId: string;
  /** Base64 of the submitted statement; empty for a reader of masked data if it may name people. */
  queryString: string;
  state: QueriesTable['state'];
  outputFileName: string;
  /** Epoch milliseconds. */
  startTime: number;
  endTime?: number;
  /** 0..1 while running. */
  progress?: number;
  waiting?: Waiting;
  rowCount?: number;
  resultFileId?: string;
  error?: { code: string; message: string };
}

/**
 * Shows a query to a caller. The statement, result name, row count and error of a query over real values may
 * reveal them: a caller of masked data sees none of these, except for own queries.
 */
export function viewOfQuery(row: QueriesTable, caller: Caller, waiting?: Waiting): QueryView {
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
    ...(row.state === 'running' && waiting && { waiting }),
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
  return { code: failureOf(error).code, message: 'The query failed; its author can see the reason.' };
}

/**
 * Attributes of a project's tables for policies. Tables have no owner, so rules on owners never permit
 * access.
 */
export function attributesOfTables(of: { account_id: string; project_id: string }): ResourceAttributes {
  return { account: of.account_id, dataset: of.project_id, type: 'table' };
}

/** Attributes of a query for policies. */
export function attributesOfQuery(row: QueriesTable): ResourceAttributes {
  return {
    account: row.account_id,
    dataset: row.project_id,
    type: 'query',
    id: row.id,
    ownerId: row.user_id,
  };
}
