import type { GroupSummary, ReadsSummary } from '@ploidy/formats';
import { newId } from '../../ids.ts';
import type { BlobInfo } from '../../platform/blobs/blobs.ts';
import type { ConversionOptions, ConvertedReads } from '../../platform/engine/conversion.ts';
import type { Transaction } from '../../platform/records/records.ts';
import type { FilesTable, IngestionsTable } from '../../platform/records/schema.ts';
import { newSet, requestedFields } from './reads-state.ts';
import { activateSet, dropUnusedSet, findSetOf } from './reference-state.ts';

/** What an ingestion made of a BAM, ready to be seen. */
export interface NewReads {
  ingestion: IngestionsTable;
  file: FilesTable;
  made: ConvertedReads;
  index: BlobInfo;
  /** The reference set that its header registers, should there be none of these sequences. */
  stagedSet: string | undefined;
  /** The sets that its checksums do not contradict; absent when it has none. */
  agreeing: ReadonlySet<string> | undefined;
}

/** More programs than this, over all groups of a file, are told of none of them. */
const programsMax = 50_000;
/** The same of their JSON: some command lines name thousands of files, and stand in every group. */
const programCharactersMax = 16 * 1024 * 1024;
/** Rows of one INSERT. */
const batchRows = 500;

/** The set of the file shows what the ingestion made, in place of what it showed before. */
export async function publishReads(tx: Transaction, reads: NewReads): Promise<void> {
  const { ingestion, file, made, index } = reads;
  const referenceSet = await referenceSetOf(tx, reads);
  const { summary, sequences } = made;
  const programs = programsOf(summary);
  const groups = summary.groups.map((group, position) => ({ position, ...groupRow(group, ingestion) }));
  const groupSize = JSON.stringify(groups).length;
  const fields = {
    ...requestedFields(ingestion, file),
    project_id: file.project_id,
    status: 'ACTIVE',
    message: null,
    reference_set_id: referenceSet ?? null,
    sequences_md5: sequences.md5checksum || null,
    // A FASTA that comes later is not compared with some checksums: names and lengths alone may be wrong then.
    sequences_shape: made.checksumCount > 0 && sequences.md5checksum === '' ? null : sequences.shape,
    assembly_id: summary.assemblyId ?? null,
    bam_blob: file.blob_key,
    bam_size: file.size,
    bam_sha256: file.sha256,
    index_blob: index.key,
    index_size: index.size,
    index_sha256: index.sha256,
    aligned_count: summary.counts.aligned,
    unaligned_count: summary.counts.unaligned,
    base_count: summary.counts.bases,
    programs,
    attributes: JSON.stringify(summary.attributes),
    json_size: groupSize + groups.length * programs.length,
  } as const;
  const before = await tx
    .selectFrom('readgroup_sets')
    .select('reference_set_id')
    .where('file_id', '=', file.id)
    .executeTakeFirst();
  const { id } = await tx
    .insertInto('readgroup_sets')
    .values({ ...newSet(ingestion), ...fields })
    .onConflict((conflict) => conflict.column('file_id').doUpdateSet(fields))
    .returning('id')
    .executeTakeFirstOrThrow();
  const left = before?.reference_set_id ?? null;
  if (left !== null && left !== referenceSet) await dropUnusedSet(tx, left);
  await tx.deleteFrom('read_groups').where('set_id', '=', id).execute();
  for (let at = 0; at < groups.length; at += batchRows) {
    const rows = groups.slice(at, at + batchRows).map((group) => ({ ...group, id: newId(), set_id: id }));
    await tx.insertInto('read_groups').values(rows).execute();
  }
}

/** As JSON; none when they are too many or too long. */
function programsOf({ groups, programs }: ReadsSummary): string {
  const told = groups.length * programs.length <= programsMax ? JSON.stringify(programs) : '[]';
  return groups.length * told.length <= programCharactersMax ? told : '[]';
}

/** The set of the request, else one of the project with these sequences, else the one that the header registers. */
async function referenceSetOf(tx: Transaction, reads: NewReads): Promise<string | undefined> {
  const { ingestion, made, stagedSet, agreeing } = reads;
  const options = JSON.parse(ingestion.options) as ConversionOptions;
  const found = await findSetOf(tx, ingestion, made.sequences, options.referenceSetId, agreeing);
  if (found !== undefined || stagedSet === undefined) return found;
  await activateSet(tx, stagedSet);
  return stagedSet;
}

function groupRow(group: GroupSummary, ingestion: IngestionsTable) {
  const options = JSON.parse(ingestion.options) as ConversionOptions;
  const link = options.samples?.find(({ sampleId }) => sampleId === group.sampleName);
  return {
    name: group.name,
    description: group.description ?? null,
    sample_name: group.sampleName ?? null,
    biosample_id: options.specimenId ?? link?.specimenId ?? group.sampleName ?? null,
    predicted_insert_size: group.predictedInsertSize ?? null,
    experiment: JSON.stringify(group.experiment),
    aligned_count: group.counts.aligned,
    unaligned_count: group.counts.unaligned,
    base_count: group.counts.bases,
    attributes: JSON.stringify(group.attributes),
  };
}
