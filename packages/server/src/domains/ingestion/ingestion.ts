import type { ConversionOptions, Found, Warning } from '@ploidy/engine';
import type { GenomeBuild } from '@ploidy/formats';
import { Type } from 'typebox';
import type { Caller } from '../../access/caller.ts';
import type { ResourceAttributes } from '../../access/resource.ts';
import { countOf, optionalText } from '../../api/shapes.ts';
import { timestamp } from '../../base/ids.ts';
import type { Waiting } from '../../platform/jobs/jobs.ts';
import type { FilesTable, IngestionsTable } from '../../platform/records/schema.ts';
import type { Files } from '../files/index.ts';

/** Reason why an ingestion failed; `line` and `column` count from 1 in the uncompressed text. */
export interface IngestionFailure {
  code: string;
  message: string;
  line?: number;
  column?: number;
}

/** Ingestion as the API shows it. */
interface IngestionView extends ConversionOptions {
  id: string;
  datasetId: string;
  fileId: string;
  fileName: string;
  type?: string;
  state: IngestionsTable['state'];
  waiting?: { position: number; since: string };
  progress: { bytes: number; bytesTotal: number; rows: number };
  warningCount: number;
  warnings: Warning[];
  found?: { tables: Record<string, number> } & Partial<Found>;
  geneModels?: string;
  error?: IngestionFailure;
  userId: string;
  created: string;
  started?: string;
  ended?: string;
}

/** Ingestion with the attributes of its file that decide who may read it. */
export interface FoundIngestion extends IngestionsTable {
  /** Owner of the file; null if it is deleted. */
  file_owner_id: string | null;
  file_origin: FilesTable['origin'] | null;
}

/**
 * Reports whether a caller may know a file and what is in it: as its owner, who sent it, or as one who may read it. The
 * owner of a result did not send it.
 */
export async function knowsFile(
  row: FoundIngestion,
  caller: Caller,
  files: Pick<Files, 'mayRead'>,
): Promise<boolean> {
  const { account_id, project_id, file_id: id, file_owner_id: owner_id, file_origin: origin } = row;
  if (owner_id === null || origin === null)
    return caller.may('files.read', { account: account_id, dataset: project_id, type: 'file', id });
  if (origin !== 'query' && owner_id === caller.userId) return true;
  return files.mayRead({ id, account_id, project_id, owner_id, origin }, caller);
}

/**
 * Shows an ingestion to a caller. The file name is hidden unless the file `isKnown`;
 * samples and patients also unless the caller started the ingestion. Callers with createData only still see
 * its progress.
 */
export function viewOfIngestion(
  row: FoundIngestion,
  caller: Caller,
  isKnown: boolean,
  waiting?: Waiting,
): IngestionView {
  const isReported = isKnown || row.user_id === caller.userId;
  return {
    ...(isReported && (JSON.parse(row.options) as ConversionOptions)),
    id: row.id,
    datasetId: row.project_id,
    fileId: row.file_id,
    fileName: isKnown ? row.file_name : '',
    ...(row.type !== null && { type: row.type }),
    ...(row.genome_build !== null && { genomeBuild: row.genome_build as GenomeBuild }),
    // One that was interrupted waits like a new one.
    state: waiting ? 'queued' : row.state,
    ...(waiting && { waiting: { position: waiting.position, since: timestamp(waiting.since) } }),
    progress: { bytes: row.bytes_done, bytesTotal: row.bytes_total, rows: row.rows },
    warningCount: row.warning_count,
    warnings: JSON.parse(row.warnings) as Warning[],
    ...(row.found !== null && { found: foundOf(row.found, isKnown) }),
    ...(row.gene_models !== null && { geneModels: (JSON.parse(row.gene_models) as string[])[0] ?? '' }),
    ...(row.error !== null && { error: JSON.parse(row.error) as IngestionFailure }),
    userId: row.user_id,
    created: timestamp(row.created_at),
    ...(row.started_at !== null && { started: timestamp(row.started_at) }),
    ...(row.ended_at !== null && { ended: timestamp(row.ended_at) }),
  };
}

/** Shows the names of samples and patients only to those who may read the file. */
function foundOf(found: string, isKnown: boolean): NonNullable<IngestionView['found']> {
  const all = JSON.parse(found) as NonNullable<IngestionView['found']>;
  return isKnown ? all : { tables: all.tables };
}

/** Attributes of an ingestion for policies. */
export function attributesOfIngestion(row: IngestionsTable): ResourceAttributes {
  return {
    account: row.account_id,
    dataset: row.project_id,
    type: 'ingestion',
    id: row.id,
    ownerId: row.user_id,
  };
}

const namesShape = (description: string) =>
  Type.Optional(
    Type.Object(
      {
        count: countOf('Number of all'),
        names: Type.Array(Type.String(), { description: 'The first twenty' }),
      },
      { description },
    ),
  );

const countedShape = (description: string) =>
  Type.Optional(
    Type.Array(
      Type.Object({
        name: Type.String({ description: 'Column, key, element or reason' }),
        count: countOf('Number of records'),
        line: Type.Optional(countOf('Line of the first of them, from 1')),
      }),
      { description: `${description}, the most frequent first; only for those who may read the file` },
    ),
  );

/** Content of an ingested file, as the API shows it. */
const foundShape = Type.Object(
  {
    tables: Type.Record(Type.String(), Type.Integer(), { description: 'Rows of each table' }),
    samples: namesShape('Number of samples, and the first twenty; only for those who may read the file'),
    patients: namesShape('Number of patients, and the first twenty; only for those who may read the file'),
    records: Type.Optional(
      countOf('Records of the file, with those left out; only for those who may read the file'),
    ),
    read: countedShape('Columns, keys and elements that fill columns of tables'),
    kept: countedShape('Columns, keys and elements kept as JSON in `attributes`'),
    unread: countedShape('Columns, keys and elements that are in no table'),
    leftOut: countedShape('Reasons for records without rows'),
  },
  { description: 'Content of the file, once the ingestion has succeeded' },
);

/** Outcome of an ingestion, as the API shows it. */
export const madeShapes = {
  found: Type.Optional(foundShape),
  geneModels: optionalText('Name of the gene models by which consequences were computed'),
};
