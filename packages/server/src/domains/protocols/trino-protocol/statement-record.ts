import type { Caller } from '../../../access/caller.ts';
import { newId } from '../../../base/ids.ts';
import { Problem } from '../../../base/problem.ts';
import type { TrinoStatementsTable } from '../../../platform/records/schema-lake.ts';
import { attributesOfTables, type RowRights } from '../../lake/index.ts';
import type { Failure } from './failure.ts';

/** Reason for which a statement is cancelled. */
export type CancelReason = 'client' | 'kill_query' | 'abandoned' | 'time';

/** Returns whether a caller may read a statement: the right to the real values of its projects may have ended. */
function mayRead({ account_id, project_id, masked }: TrinoStatementsTable, caller: Caller): boolean {
  if (account_id === null || project_id === null) return true;
  if (!caller.isMember(account_id)) return false;
  const about = attributesOfTables({ account_id, project_id });
  return caller.rows(masked === 0 ? 'lake.read' : 'lake.readMasked', about) !== false;
}

/**
 * Returns a statement as its client may see it now: as failed, without its answer, if the present rows do not cover
 * those of its run. An answer about the catalogue needs the rights of then: it names tables.
 */
export async function seenNow(
  row: TrinoStatementsTable,
  caller: Caller,
  rights: RowRights,
): Promise<TrinoStatementsTable> {
  const { account_id, project_id } = row;
  const isCovered = () =>
    account_id === null || project_id === null
      ? row.made_with === caller.rightsDigest
      : rights.covers(caller, { ...row, account_id, project_id });
  if (mayRead(row, caller) && (row.state === 'running' || (await isCovered()))) return row;
  const nothing = { answer: null, row_count: null, blob_key: null, size: null, sha256: null };
  return { ...row, ...nothing, state: 'failed', error: JSON.stringify(rightsChanged) };
}

/** Returns a statement whose rows its client may see. Problem 403 once the rights to them have changed. */
export function requireSeen(row: TrinoStatementsTable): TrinoStatementsTable {
  if (row.error === null) return row;
  throw new Problem(403, 'FORBIDDEN', `${rightsChanged.message}.`);
}

const rightsChanged: Failure = {
  name: 'PERMISSION_DENIED',
  message: 'Your rights to rows changed since this statement ran: run it again',
};

export const cancelFailures: Readonly<Record<CancelReason, Failure>> = {
  client: { name: 'USER_CANCELED', message: 'Query was canceled' },
  kill_query: { name: 'USER_CANCELED', message: 'Query was canceled by kill_query' },
  abandoned: { name: 'ABANDONED_QUERY', message: 'Query was abandoned by its client' },
  time: { name: 'EXCEEDED_TIME_LIMIT', message: 'Query exceeded the maximum run time of its session' },
};

export function newRow({ userId, rightsDigest }: Caller): TrinoStatementsTable {
  const now = Date.now();
  return {
    ...{ id: newId(), user_id: userId, account_id: null, project_id: null },
    ...{ query_text: '', statement: '', tables: '[]', conditions: null, lake_version: 0 },
    ...{ masked: 0, made_with: rightsDigest },
    ...{ state: 'running', progress: 0, answer: null, error: null, row_count: null },
    ...{ blob_key: null, size: null, sha256: null, job_id: null },
    ...{ created_at: now, started_at: null, ended_at: null, asked_at: now, deadline_at: null },
  };
}
