/**
 * A project or account whose removal has begun: its own row is gone, and with it everything that is reached through it. What
 * it owned goes step by step. The rows stay: the id of an account is never given again.
 */
export interface RemovalsTable {
  kind: 'project' | 'account';
  /** Id of the project or account. */
  id: string;
  account_id: string;
  state: 'running' | 'done';
  /** JSON: rows removed so far, by table. */
  counts: string;
  begun_at: number;
  ended_at: number | null;
}

/** The tables of deletion; the `Database` of the domains extends it. */
export interface DeletionTables {
  removals: RemovalsTable;
}
