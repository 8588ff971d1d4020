import type { ResourceAttributes } from '../../../access/resource.ts';
import { timestamp } from '../../../base/ids.ts';
import type { Waiting } from '../../../platform/jobs/jobs.ts';
import type { Transaction } from '../../../platform/records/records.ts';
import type { EhrSyncsTable } from '../../../platform/records/schema-ehrs.ts';
import { type Audit, onBehalf } from '../../audit/index.ts';

/** Reason why a sync failed. */
export interface SyncFailure {
  code: string;
  message: string;
}

/** Sync with the state of its ingestion, if any. */
export interface SyncRecord extends EhrSyncsTable {
  ingestion_state: string | null;
  ingestion_job_id: string | null;
  ingestion_rows: number | null;
  ingestion_error: string | null;
  ingestion_warning_count: number | null;
  ingestion_warnings: string | null;
  ingestion_ended_at: number | null;
}

/** Sync as the API shows it. */
export interface SyncView {
  id: string;
  ehrId: string;
  datasetId: string;
  state: EhrSyncsTable['state'];
  waiting?: { position: number; since: string };
  startedBy: EhrSyncsTable['started_by'];
  method?: NonNullable<EhrSyncsTable['method']>;
  since?: string;
  progress: { requests: number; pages: number; bytes: number; resources: number; rows?: number };
  counts: Record<string, number>;
  warningCount: number;
  warnings: { message: string }[];
  error?: SyncFailure;
  fileId?: string;
  ingestionId?: string;
  userId: string;
  created: string;
  started?: string;
  ended?: string;
}

/** States in which a sync can be awaited and cancelled. */
export const openStates = ['queued', 'running', 'ingesting'] as const;

/** `waiting`: of its own job, or of that of its ingestion. */
export function viewOfSync(row: SyncRecord, waiting?: Waiting): SyncView {
  const counts = JSON.parse(row.counts) as Record<string, number>;
  const resources = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const error = row.error ?? (row.state === 'ingesting' ? row.ingestion_error : null);
  const ended = row.ended_at ?? (row.state === 'ingesting' ? row.ingestion_ended_at : null);
  const time = <K extends string>(name: K, at: number | null) =>
    at === null ? {} : ({ [name]: timestamp(at) } as Record<K, string>);
  return {
    id: row.id,
    ehrId: row.ehr_id,
    datasetId: row.project_id,
    state: waiting && row.state === 'running' ? 'queued' : stateOf(row),
    ...(waiting && { waiting: { position: waiting.position, since: timestamp(waiting.since) } }),
    startedBy: row.started_by,
    ...(row.method !== null && { method: row.method }),
    ...time('since', row.since),
    progress: {
      requests: row.requests,
      pages: row.pages,
      bytes: row.bytes,
      resources,
      ...(row.ingestion_rows !== null && { rows: row.ingestion_rows }),
    },
    counts,
    ...warningsOf(row),
    ...(error !== null && { error: JSON.parse(error) as SyncFailure }),
    ...(row.file_id !== null && { fileId: row.file_id }),
    ...(row.ingestion_id !== null && { ingestionId: row.ingestion_id }),
    userId: row.user_id,
    created: timestamp(row.created_at),
    ...time('started', row.started_at),
    ...time('ended', ended),
  };
}

const warningsMax = 100;

/**
 * Lists the sync's warnings, then those of its file's ingestion: what that skipped is missing in the tables,
 * and the next sync requests only newer data.
 */
function warningsOf(row: SyncRecord): Pick<SyncView, 'warningCount' | 'warnings'> {
  const own = JSON.parse(row.warnings) as { message: string }[];
  const ingested = JSON.parse(row.ingestion_warnings ?? '[]') as { line?: number; message: string }[];
  const skipped = ingested.map(({ line, message }) => ({
    message: `${line === undefined ? 'Its file' : `Line ${line} of its file`}: ${message}`,
  }));
  return {
    warningCount: row.warning_count + (row.ingestion_warning_count ?? 0),
    warnings: [...own, ...skipped].slice(0, warningsMax),
  };
}

/** Returns the state of the sync; once all is fetched, that of its ingestion. */
export function stateOf(row: Pick<SyncRecord, 'state' | 'ingestion_state'>): EhrSyncsTable['state'] {
  if (row.state !== 'ingesting') return row.state;
  const state = row.ingestion_state;
  return state === 'succeeded' || state === 'failed' || state === 'cancelled' ? state : 'ingesting';
}

/** Attributes of a sync for policies and the audit log. */
export function attributesOfSync(row: EhrSyncsTable): ResourceAttributes {
  return {
    account: row.account_id,
    dataset: row.project_id,
    type: 'sync',
    id: row.id,
    ownerId: row.user_id,
  };
}

/** Warnings about missing data. Counts all, and keeps the first hundred distinct ones. */
export class Warnings {
  #count: number;
  readonly #kept: { message: string }[];

  constructor(row: Pick<EhrSyncsTable, 'warning_count' | 'warnings'>) {
    this.#count = row.warning_count;
    this.#kept = JSON.parse(row.warnings) as { message: string }[];
  }

  add(message: string): void {
    this.#count += 1;
    if (this.#kept.some((kept) => kept.message === message)) return;
    if (this.#kept.length < warningsMax) this.#kept.push({ message });
  }

  get columns(): Pick<EhrSyncsTable, 'warning_count' | 'warnings'> {
    return { warning_count: this.#count, warnings: JSON.stringify(this.#kept) };
  }
}

/** Records the end of a run in the audit log. */
export async function auditRun(
  tx: Transaction,
  audit: Audit,
  row: EhrSyncsTable,
  details: Record<string, string | number>,
): Promise<void> {
  await audit.append(tx, {
    ...onBehalf(row),
    action: 'ehrs.runSync',
    resource: attributesOfSync(row),
    details: { ehrId: row.ehr_id, ...details },
  });
}
