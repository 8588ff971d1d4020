import type { ConversionOptions, ConvertedReads } from '@ploidy/engine';
import type { GroupSummary, ReadsSummary } from '@ploidy/formats';
import { newId } from '../../../../base/ids.ts';
import type { BlobInfo } from '../../../../platform/blobs/blobs.ts';
import type { Transaction } from '../../../../platform/records/records.ts';
import type { FilesTable, IngestionsTable } from '../../../../platform/records/schema.ts';
import { activateSet, dropUnusedSet, findSetOf } from '../references/reference-state.ts';
import { newSet, requestedFields } from './reads-state.ts';

/** Result of the ingestion of reads, ready to publish. */
interface NewReads {
  ingestion: IngestionsTable;
  file: FilesTable;
  made: ConvertedReads;
  index: BlobInfo;
  /** Reference set to register from the header, if no present one matches. */
  stagedSet: string | undefined;
  /** Sets that the header's checksums do not contradict; absent without checksums. */
  agreeing: ReadonlySet<string> | undefined;
}

/** Programs over all groups of a file above which none are shown. */
const programsMax = 50_000;
/**
 * JSON characters of the programs above which none are shown: some command lines name thousands of files, in
 * every group.
 */
const programCharactersMax = 16 * 1024 * 1024;
/** Rows of one INSERT. */
const batchRows = 500;

/** Publishes the result as the set of the file, in place of the earlier content. */
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
    // Without all checksums, a later FASTA cannot be compared: equal names and lengths are not enough.
    sequences_shape: made.checksumCount > 0 && sequences.md5checksum === '' ? null : sequences.shape,
    assembly_id: summary.assemblyId ?? null,
    format: made.format,
    reads_blob: file.blob_key,
    reads_size: file.size,
    reads_sha256: file.sha256,
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

/** Returns the programs as JSON; an empty list if they are too many or too long. */
function programsOf({ groups, programs }: ReadsSummary): string {
  const json = groups.length * programs.length <= programsMax ? JSON.stringify(programs) : '[]';
  return groups.length * json.length <= programCharactersMax ? json : '[]';
}

/**
 * Chooses the reference set: the requested one, else one of the project with these sequences, else the
 * registered one.
 */
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
