import { annotation } from '@ploidy/formats/tables';
import type { BlobInfo, Blobs } from '../../platform/blobs/blobs.ts';
import { removeFreed } from '../../platform/blobs/remove-freed.ts';
import type { ConvertedReads, ConvertedReferences } from '../../platform/engine/conversion.ts';
import type { ConversionOutcome } from '../../platform/engine/engine.ts';
import type { JobRun } from '../../platform/jobs/jobs.ts';
import type { Records, Transaction } from '../../platform/records/records.ts';
import type { FilesTable, IngestionsTable } from '../../platform/records/schema.ts';
import {
  discardStaged,
  dropReads,
  dropReferences,
  findSetOf,
  HeaderChecksums,
  publishReads,
  publishReferences,
  stageReferences,
} from '../genomics/index.ts';
import {
  buildRemarks,
  type NewSegment,
  publishSegments,
  retireSource,
  type ServiceAnnotations,
} from '../lake/index.ts';
import { readReferences } from './reference-list.ts';

/** What a conversion made, durable and not seen by anybody yet. A file gives one kind of thing: what it gave before goes. */
export interface Publication {
  /** What the ingestion counts: rows of the lake, reads, or sequences. */
  rows: number;
  /** The build of the genome that its positions are on, where that is known. */
  genomeBuild: string | null;
  /** What somebody should know of how it is published, in the transaction that does it. */
  remarks(tx: Transaction): Promise<string[]>;
  /** Makes it visible in place of what the file gave before. */
  publish(tx: Transaction): Promise<void>;
  /** Takes it back. */
  discard(): Promise<void>;
}

interface Parts {
  records: Records;
  blobs: Blobs;
  serviceAnnotations: ServiceAnnotations;
}

/** Whose work it is. */
interface Work {
  ingestion: IngestionsTable;
  file: FilesTable;
  run: JobRun;
}

const contradicted =
  'The reference set of the request has other bases than the checksums (M5) of the header: it is named all the same.';

/** References written in one transaction. */
const batchRows = 500;

/** Takes over the files that a conversion has written. */
export async function preparePublication(
  parts: Parts,
  work: Work,
  outcome: ConversionOutcome,
): Promise<Publication> {
  const { genomics } = outcome;
  if (!genomics) return ofTables(parts, work, outcome);
  const blob = await parts.blobs.adopt(genomics.path, genomics);
  return genomics.kind === 'reads'
    ? ofReads(parts, work, genomics, blob)
    : ofReferences(parts, work, genomics, blob);
}

async function ofTables(
  { blobs, serviceAnnotations }: Parts,
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
  for (const [index, { table, rows, genomeBuild = null }] of outcome.tables.entries()) {
    const adoption = adoptions[index];
    if (adoption?.status === 'fulfilled')
      segments.push({ table, rowCount: rows, blob: adoption.value, genomeBuild });
  }
  const failed = adoptions.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') {
    await discard();
    throw failed.reason;
  }
  const visible = segments.filter(({ table }) => table === annotation.name || !table.startsWith('_'));
  const { project_id: project, id: ingestionId } = work.ingestion;
  const fileId = work.file.id;
  const build = segments.find(({ genomeBuild }) => genomeBuild !== null)?.genomeBuild ?? null;
  return {
    rows: visible.reduce((sum, one) => sum + one.rowCount, 0),
    genomeBuild: build,
    remarks: (tx) => buildRemarks(tx, { project, fileId, segments, build }, serviceAnnotations),
    publish: async (tx) => {
      await dropReads(tx, fileId);
      await dropReferences(tx, fileId);
      await publishSegments(tx, { project, fileId, ingestionId, segments });
    },
    discard,
  };
}

async function ofReads(
  { records, blobs }: Parts,
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
    : // Too many to be compared: none is taken by its looks.
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
    rows: made.summary.records,
    genomeBuild: null,
    remarks: async () => (isContradicted ? [contradicted] : []),
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
  { records, blobs }: Parts,
  work: Work,
  made: ConvertedReferences,
  bases: BlobInfo,
): Promise<Publication> {
  const set = await stage(records, work, made.sequences, made.listPath, bases);
  const { ingestion, file } = work;
  return {
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
      // The bases of a staged set go with it.
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
