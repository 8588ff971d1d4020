import { createHash } from 'node:crypto';
import type { ResourceAttributes } from '../../../access/resource.ts';
import { timestamp } from '../../../base/ids.ts';
import type { SavedQueriesTable } from '../../../platform/records/schema-lake.ts';

/** Fields of a saved query that its owner writes. */
export interface SavedQueryInput {
  name: string;
  description?: string | undefined;
  statement: string;
  /** False by default. */
  shared?: boolean | undefined;
}

/** Saved query without its statement, as a list has it. */
export type SavedQueryRow = Omit<SavedQueriesTable, 'statement'>;

/** Saved query as lists show it (docs/api/queries.md). */
export interface SavedQueryItem {
  id: string;
  name: string;
  description: string;
  shared: boolean;
  ownerId: string;
  creationTime: string;
  modificationTime: string;
  schedule?: Schedule;
}

/** Schedule of a saved query, as its owner sees it. */
interface Schedule {
  cron?: string;
  format?: string;
  next?: string;
  lastQueryId?: string;
  error?: string;
}

/** Shows a saved query in a list. */
export function itemOf(row: SavedQueryRow): SavedQueryItem {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    shared: row.shared === 1,
    ownerId: row.owner_id,
    creationTime: timestamp(row.created_at),
    modificationTime: timestamp(row.modified_at),
    ...((row.schedule_cron !== null || row.schedule_error !== null) && { schedule: scheduleOf(row) }),
  };
}

function scheduleOf(row: SavedQueryRow): Schedule {
  return {
    ...(row.schedule_cron !== null && { cron: row.schedule_cron }),
    ...(row.schedule_format !== null && { format: row.schedule_format }),
    ...(row.schedule_at !== null && { next: timestamp(row.schedule_at) }),
    ...(row.schedule_query_id !== null && { lastQueryId: row.schedule_query_id }),
    ...(row.schedule_error !== null && { error: row.schedule_error }),
  };
}

/** Shows one saved query. */
export function viewOf(row: SavedQueriesTable): SavedQueryItem & { statement: string } {
  return { ...itemOf(row), statement: row.statement };
}

/** Returns the tag of the state of a saved query or report. */
export function etagOf(row: SavedQueriesTable): string {
  const state = JSON.stringify([row.name, row.description, row.shared, row.statement]);
  return `"${createHash('sha256').update(state).digest('base64url').slice(0, 22)}"`;
}

/** Attributes of a saved query for policies: those of a query. */
export function attributesOfSaved(row: SavedQueryRow): ResourceAttributes {
  return {
    account: row.account_id,
    dataset: row.project_id,
    type: 'query',
    id: row.id,
    ownerId: row.owner_id,
  };
}
