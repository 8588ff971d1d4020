import { readReferences } from '@ploidy/converters/reference-list';
import type { ConversionOutcome, ConvertedReads, ConvertedReferences, Engine } from '@ploidy/engine';
import { annotation, annotationSource, geneModel } from '@ploidy/formats/tables';
import type { BlobInfo, Blobs } from '../../platform/blobs/blobs.ts';
import { removeFreed } from '../../platform/blobs/remove-freed.ts';
import type { JobRun } from '../../platform/jobs/jobs.ts';
import type { Records, Transaction } from '../../platform/records/records.ts';
import type { FilesTable, IngestionsTable } from '../../platform/records/schema.ts';
import {
  discardStaged,
  dropReads,
  dropReferences,
  findSetOf,
  HeaderChecksums,
  hasBases,
  publishReads,
  publishReferences,
  stageReferences,
} from '../genomics/datasets/index.ts';
import {
  ArrivingResources,
  buildRemarks,
  Contradictions,
  hasFreeNames,
  type NewSegment,
  publishSegments,
  requireFreeNames,
  retireSource,
  type ServiceAnnotations,
} from '../lake/index.ts';

/**
 * Result of a conversion, durable and invisible. A file has one kind of result, which replaces the earlier
 * one.
 */
export interface Publication {
  /** Number of rows in the lake, reads, or sequences. */
  rows: number;
  /** Rows of each table. */
  tables: Record<string, number>;
  /** Genome build of the positions, if known. */
  genomeBuild: string | null;
  /** Compares ids with those of other sources. Rejects with `EngineError` INPUT. */
  compare(): Promise<void>;
  /** Reports whether the compared data are unchanged. Called in the publishing transaction. */
  isCurrent(tx: Transaction): Promise<boolean>;
  /** Warnings for the ingestion, computed in the publishing transaction. */
  remarks(tx: Transaction): Promise<string[]>;
  /** Publishes the result in place of the file's earlier one. */
  publish(tx: Transaction): Promise<void>;
  /** Discards the result. */
  discard(): Promise<void>;
}

/** Result without ids to compare. */
const always = { tables: {}, compare: async () => undefined, isCurrent: async () => true };

interface PublicationDeps {
  records: Records;
  blobs: Blobs;
  engine: Engine;
  serviceAnnotations: ServiceAnnotations;
}

/** Ingestion of a conversion, with its file and run. */
interface Work {
  ingestion: IngestionsTable;
  file: FilesTable;
  run: JobRun;
}

/** Internal tables whose rows are those of the file. */
const counted: ReadonlySet<string> = new Set([annotation.name, geneModel.name]);

const contradicted =
  'The requested reference set has other bases than the checksums (M5) of the header. It is used all the same.';

const withoutBases =
  'Bases of this CRAM are differences from its reference, of which the project has no bases: readers need a copy of their own. Ingest its FASTA to read them here.';

/** References written in one transaction. */
const batchRows = 500;

/** Adopts the files that a conversion wrote. */
export async function preparePublication(
  deps: PublicationDeps,
  work: Work,
  outcome: ConversionOutcome,
): Promise<Publication> {
  const { genomics } = outcome;
  if (!genomics) return ofTables(deps, work, outcome);
  const blob = await deps.blobs.adopt(genomics.path, genomics);
  return genomics.kind === 'reads'
    ? ofReads(deps, work, genomics, blob)
    : ofReferences(deps, work, genomics, blob);
}

async function ofTables(
  { records, blobs, engine, serviceAnnotations }: PublicationDeps,
  work: Work,
  outcome: ConversionOutcome,
): Promise<Publication> {
  const segments: NewSegment[] = [];
  const discard = () =>
    removeFreed(
      blobs,
      segments.map(({ blob }) => blob.key),
    );
  const adoptions = await Promise.allSettled(outcome.tables.map((table) => blobs.adopt(table.path, table)));
  for (const [
    index,
    { table, rows, genomeBuild = null, source = '', ownColumns, bounds },
  ] of outcome.tables.entries()) {
    const adoption = adoptions[index];
    if (adoption?.status === 'fulfilled')
      segments.push({
        ...{ table, rowCount: rows, blob: adoption.value, genomeBuild, source, bounds },
        ownColumns: ownColumns ? JSON.stringify(ownColumns) : null,
      });
  }
  const failed = adoptions.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') {
    await discard();
    throw failed.reason;
  }
  const visible = segments.filter(
    ({ table }) => counted.has(table) || (!table.startsWith('_') && table !== annotationSource.name),
  );
  const { project_id: project, id: ingestionId } = work.ingestion;
  const fileId = work.file.id;
  const build = segments.find(({ genomeBuild }) => genomeBuild !== null)?.genomeBuild ?? null;
  const arriving = { project, fileId, segments };
  const resources = new ArrivingResources({ records, blobs, engine }, arriving);
  const contradictions = new Contradictions({ records, blobs, engine }, arriving);
  return {
    compare: async () => {
      await requireFreeNames(records.read, arriving);
      await resources.compare();
      await contradictions.compare();
    },
    isCurrent: async (tx) =>
      (await hasFreeNames(tx, arriving)) &&
      (await resources.isCurrent(tx)) &&
      (await contradictions.isCurrent(tx)),
    rows: visible.reduce((sum, one) => sum + one.rowCount, 0),
    tables: rowsByTable(visible),
    genomeBuild: build,
    remarks: async (tx) => [
      ...(await buildRemarks(tx, { project, fileId, segments, build }, serviceAnnotations)),
      ...contradictions.remarks,
    ],
    publish: async (tx) => {
      await dropReads(tx, fileId);
      await dropReferences(tx, fileId);
      await contradictions.warnEarlier(tx);
      const all = [...segments, ...resources.revisions];
      await publishSegments(tx, { project, fileId, ingestionId, segments: all });
    },
    discard: async () => {
      await discard();
      await resources.discard();
    },
  };
}

/** Counts the rows by table. Users name tables: one may be `constructor`. */
function rowsByTable(segments: readonly NewSegment[]): Record<string, number> {
  const rows = new Map<string, number>();
  for (const { table, rowCount } of segments)
    if (rowCount > 0) rows.set(table, (rows.get(table) ?? 0) + rowCount);
  return Object.fromEntries(rows);
}

async function ofReads(
  { records, blobs }: PublicationDeps,
  work: Work,
  made: ConvertedReads,
  index: BlobInfo,
): Promise<Publication> {
  const { ingestion, file } = work;
  const options = JSON.parse(ingestion.options) as { referenceSetId?: string };
  const { referenceSetId: requested } = options;
  const checksums = made.listPath && (await HeaderChecksums.read(readReferences(made.listPath, batchRows)));
  const agreeing = checksums
    ? await checksums.agreeing(records.read, ingestion, made.sequences)
    : // Too many to be compared: no set is matched by names and lengths.
      made.checksumCount > 0
      ? new Set<string>()
      : undefined;
  const known = await findSetOf(records.read, ingestion, made.sequences, requested, agreeing);
  const isContradicted =
    checksums &&
    known !== undefined &&
    known === requested &&
    (await checksums.contradict(records.read, known));
  const stagedSet =
    known === undefined && made.listPath !== undefined && made.sequences.md5checksum !== ''
      ? await stage(records, work, made.sequences, made.listPath)
      : undefined;
  return {
    ...always,
    rows: made.summary.records,
    genomeBuild: null,
    remarks: async (tx) => [
      ...(isContradicted ? [contradicted] : []),
      ...(made.needsReference && !(await hasBases(tx, known)) ? [withoutBases] : []),
    ],
    publish: async (tx) => {
      await retireSource(tx, file.id);
      await dropReferences(tx, file.id);
      await publishReads(tx, { ingestion, file, made, index, stagedSet, agreeing });
    },
    discard: async () => {
      if (stagedSet !== undefined) await discardStaged(records, stagedSet);
      await removeFreed(blobs, [index.key]);
    },
  };
}

async function ofReferences(
  { records, blobs }: PublicationDeps,
  work: Work,
  made: ConvertedReferences,
  bases: BlobInfo,
): Promise<Publication> {
  const set = await stage(records, work, made.sequences, made.listPath, bases);
  const { ingestion, file } = work;
  return {
    ...always,
    rows: made.sequences.count,
    genomeBuild: null,
    remarks: async () => [],
    publish: async (tx) => {
      if (set === undefined) throw new Error('The run lost its lease and published all the same.');
      const { project_id: project } = ingestion;
      await retireSource(tx, file.id);
      await dropReads(tx, file.id);
      await publishReferences(tx, { set, fileId: file.id, project, sequences: made.sequences });
    },
    discard: async () => {
      // The bases of a staged set are removed with it.
      if (set !== undefined) await discardStaged(records, set);
      else await removeFreed(blobs, [bases.key]);
    },
  };
}

async function stage(
  records: Records,
  { ingestion, file, run }: Work,
  sequences: ConvertedReads['sequences'],
  listPath: string,
  bases?: BlobInfo,
): Promise<string | undefined> {
  return stageReferences(records, {
    ingestion,
    file,
    sequences,
    ...(bases && { bases }),
    batches: readReferences(listPath, batchRows),
    mayWrite: (tx) => run.holdsLease(tx),
  });
}
