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
