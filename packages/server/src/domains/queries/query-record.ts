import type { Caller } from '../../access/caller.ts';
import type { ResourceAttributes } from '../../access/resource.ts';
import type { Waiting } from '../../platform/jobs/jobs.ts';
import type { Reader, Transaction } from '../../platform/records/records.ts';
import type { QueriesTable } from '../../platform/records/schema-lake.ts';
import { attributesOfTables, type RowRights } from '../lake/index.ts';

/** Reports whether an id is that of a query, which its result will have too (docs/api/queries.md). */
export async function isQueryId(tx: Transaction, id: string): Promise<boolean> {
  const found = await tx.selectFrom('queries').select('id').where('id', '=', id).executeTakeFirst();
  return found !== undefined;
}

/** Reports whether the present rows of a caller cover those of the query whose result a file is. */
export async function coversResult(
  read: Reader,
  rights: RowRights,
  fileId: string,
  caller: Caller,
): Promise<boolean> {
  const query = await read
    .selectFrom('queries')
    .select(['account_id', 'project_id', 'tables', 'masked', 'made_with'])
    .where('id', '=', fileId)
    .executeTakeFirst();
  return query !== undefined && rights.covers(caller, query);
}

/** Returns ids of results in an account whose queries the caller ran with rights beyond the present ones. */
export async function uncoveredResults(
  read: Reader,
  rights: RowRights,
  account: string,
  caller: Caller,
): Promise<string[]> {
  // Rights to all rows of an account cover everything: most callers need no look-up.
  if (caller.may('lake.read', { account, type: 'table' })) return [];
  const results = await read
    .selectFrom('files')
    .innerJoin('queries', 'queries.id', 'files.id')
    .where('files.owner_id', '=', caller.userId)
    .where('files.origin', '=', 'query')
    .where('files.account_id', '=', account)
    .select(['files.id', 'queries.account_id', 'queries.project_id', 'queries.tables', 'queries.masked'])
    .select('queries.made_with')
    .execute();
  // Results of the same tables and rights are decided once.
  const alike = Map.groupBy(results, ({ id: _, ...kept }) => JSON.stringify(Object.values(kept)));
  const covered = await rights.covered(
    caller,
    [...alike.values()].flatMap((group) => group.slice(0, 1)),
  );
  return [...alike.values()].flatMap((group) =>
    group.some((one) => covered.has(one)) ? [] : group.map(({ id }) => id),
  );
}

/** Query as the API shows it (specification, "Data lake records"; docs/api/queries.md). */
interface QueryView {
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
 * Shows a query to a caller. The statement and result name of a query over real values may reveal them: a caller
 * of masked data sees neither, except for own queries. Row count and error are of the rows that its run saw: the
 * present rows of the caller must cover those: `isCovered`.
 */
export function viewOfQuery(
  row: QueriesTable,
  caller: Caller,
  isCovered: boolean,
  waiting?: Waiting,
): QueryView {
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
    ...(row.row_count !== null && isCovered && { rowCount: row.row_count }),
    ...(row.result_file_id !== null && { resultFileId: row.result_file_id }),
    ...(row.error !== null && { error: isCovered ? failureOf(row.error) : withoutMessage(row.error) }),
  };
}

type QueryFailure = { code: string; message: string };

function failureOf(error: string): QueryFailure {
  return JSON.parse(error) as QueryFailure;
}

function withoutMessage(error: string): QueryFailure {
  return {
    code: failureOf(error).code,
    message: 'The query failed; the reason may hold values that you may not see. Run it yourself.',
  };
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
