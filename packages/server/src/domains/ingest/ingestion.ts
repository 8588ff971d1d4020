import type { GenomeBuild } from '@ploidy/formats';
import type { Caller } from '../../access/caller.ts';
import type { ResourceAttributes } from '../../access/resource.ts';
import { timestamp } from '../../ids.ts';
import type { ConversionOptions, ConversionTask, Warning } from '../../platform/engine/conversion.ts';
import type { IngestionsTable } from '../../platform/records/schema.ts';

export type SourceType = Exclude<ConversionTask['type'], 'annotated'>;

/** Why an ingestion failed; `line` and `column` count from 1 in the uncompressed text. */
export interface IngestionFailure {
  code: string;
  message: string;
  line?: number;
  column?: number;
}

/** An ingestion as the API shows it. */
export interface IngestionView extends ConversionOptions {
  id: string;
  datasetId: string;
  fileId: string;
  fileName: string;
  type?: string;
  state: IngestionsTable['state'];
  progress: { bytes: number; bytesTotal: number; rows: number };
  warningCount: number;
  warnings: Warning[];
  error?: IngestionFailure;
  userId: string;
  created: string;
  started?: string;
  ended?: string;
}

/** An ingestion with what its file says of who may read it. */
export interface FoundIngestion extends IngestionsTable {
  /** Of the file; null when it is gone. */
  file_owner_id: string | null;
}

/**
 * The name of a file is for who may read the file and for who uploaded it; whose samples were said to be in it also for whoever said so. Whoever may
 * only create data, and cancel what others began, sees how that gets on.
 */
export function viewOfIngestion(row: FoundIngestion, caller: Caller): IngestionView {
  const { account_id: account, project_id: dataset, file_id: id, file_owner_id: owner } = row;
  const file = { account, dataset, type: 'file' as const, id, ...(owner !== null && { ownerId: owner }) };
  const isKnown = owner === caller.userId || caller.may('files.read', file);
  const isTold = isKnown || row.user_id === caller.userId;
  return {
    ...(isTold && (JSON.parse(row.options) as ConversionOptions)),
    id: row.id,
    datasetId: row.project_id,
    fileId: row.file_id,
    fileName: isKnown ? row.file_name : '',
    ...(row.type !== null && { type: row.type }),
    ...(row.genome_build !== null && { genomeBuild: row.genome_build as GenomeBuild }),
    state: row.state,
    progress: { bytes: row.bytes_done, bytesTotal: row.bytes_total, rows: row.rows },
    warningCount: row.warning_count,
    warnings: JSON.parse(row.warnings) as Warning[],
    ...(row.error !== null && { error: JSON.parse(row.error) as IngestionFailure }),
    userId: row.user_id,
    created: timestamp(row.created_at),
    ...(row.started_at !== null && { started: timestamp(row.started_at) }),
    ...(row.ended_at !== null && { ended: timestamp(row.ended_at) }),
  };
}

/** What policies may ask of an ingestion. */
export function attributesOfIngestion(row: IngestionsTable): ResourceAttributes {
  return {
    account: row.account_id,
    dataset: row.project_id,
    type: 'ingestion',
    id: row.id,
    ownerId: row.user_id,
  };
}
