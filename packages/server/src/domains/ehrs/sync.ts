import type { ResourceAttributes } from '../../access/resource.ts';
import { timestamp } from '../../ids.ts';
import type { Transaction } from '../../platform/records/records.ts';
import type { EhrSyncsTable } from '../../platform/records/schema-ehrs.ts';
import { type Audit, onBehalf } from '../audit/index.ts';

/** Why a sync failed. */
export interface SyncFailure {
  code: string;
  message: string;
}

/** A sync with what its ingestion says, once there is one. */
export interface SyncRecord extends EhrSyncsTable {
  ingestion_state: string | null;
  ingestion_rows: number | null;
  ingestion_error: string | null;
  ingestion_warning_count: number | null;
  ingestion_warnings: string | null;
  ingestion_ended_at: number | null;
}

/** A sync as the API shows it. */
export interface SyncView {
  id: string;
  ehrId: string;
  datasetId: string;
  state: EhrSyncsTable['state'];
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

/** The states in which there is something to wait for, and to cancel. */
export const openStates = ['queued', 'running', 'ingesting'] as const;

export function viewOfSync(row: SyncRecord): SyncView {
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
    state: stateOf(row),
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

/** Its own, then what was left out of its file: that is missing in the tables, and the next sync asks only for what is newer. */
function warningsOf(row: SyncRecord): Pick<SyncView, 'warningCount' | 'warnings'> {
  const own = JSON.parse(row.warnings) as { message: string }[];
  const ingested = JSON.parse(row.ingestion_warnings ?? '[]') as { line?: number; message: string }[];
  const told = ingested.map(({ line, message }) => ({
    message: `${line === undefined ? 'Its file' : `Line ${line} of its file`}: ${message}`,
  }));
  return {
    warningCount: row.warning_count + (row.ingestion_warning_count ?? 0),
    warnings: [...own, ...told].slice(0, warningsMax),
  };
}

/** From when everything is pulled a sync is what its ingestion is. */
export function stateOf(row: Pick<SyncRecord, 'state' | 'ingestion_state'>): EhrSyncsTable['state'] {
  if (row.state !== 'ingesting') return row.state;
  const state = row.ingestion_state;
  return state === 'succeeded' || state === 'failed' || state === 'cancelled' ? state : 'ingesting';
}

/** What policies may ask of a sync, and what the log says of it. */
export function attributesOfSync(row: EhrSyncsTable): ResourceAttributes {
  return {
    account: row.account_id,
    dataset: row.project_id,
    type: 'sync',
    id: row.id,
    ownerId: row.user_id,
  };
}

/** What a sync has to say about what it could not have. Counted all; kept the first hundred that differ. */
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

/** Tells the audit log how a run ended. */
export async function tellRun(
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
