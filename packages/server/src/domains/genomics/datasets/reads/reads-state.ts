import type { ConversionOptions } from '@ploidy/engine';
import { newId } from '../../../../base/ids.ts';
import type { Transaction } from '../../../../platform/records/records.ts';
import type { FilesTable, IngestionsTable } from '../../../../platform/records/schema.ts';
import type { ReadGroupSetsTable } from '../../../../platform/records/schema-genomics.ts';
import { lockProjectIfThere } from '../../../files/projects/index.ts';
import { dropUnusedSet } from '../references/reference-state.ts';
import { titleOf } from '../references/title.ts';

/** Columns of a set whose BAM is not indexed yet or not readable any more. */
const unknownReads = {
  reference_set_id: null,
  sequences_md5: null,
  sequences_shape: null,
  assembly_id: null,
  format: 'BAM',
  reads_blob: null,
  reads_size: null,
  reads_sha256: null,
  index_blob: null,
  index_size: null,
  index_sha256: null,
  aligned_count: 0,
  unaligned_count: 0,
  base_count: 0,
  programs: '[]',
  attributes: '{}',
  json_size: 0,
} as const satisfies Partial<ReadGroupSetsTable>;

/** Returns the fields that an ingestion's request sets. */
export function requestedFields(ingestion: IngestionsTable, file: FilesTable) {
  const options = JSON.parse(ingestion.options) as ConversionOptions;
  const patients = new Set((options.samples ?? []).map(({ patientId }) => patientId));
  const [onlyPatient] = patients.size === 1 ? patients : [];
  return {
    name: options.name ?? titleOf(file.name),
    patient_id: options.patientId ?? onlyPatient ?? null,
    test_type: options.testType ?? null,
    sequence_type: options.sequenceType ?? null,
    ingestion_id: ingestion.id,
    updated_at: Date.now(),
  };
}

/** Registers that an ingestion will make the set of a file. A readable set stays unchanged until then. */
export async function expectReads(tx: Transaction, ingestion: IngestionsTable): Promise<void> {
  if (!(await lockProjectIfThere(tx, ingestion.project_id))) return;
  const file = await tx
    .selectFrom('files')
    .selectAll()
    .where('id', '=', ingestion.file_id)
    .where('project_id', '=', ingestion.project_id)
    .executeTakeFirst();
  if (!file) return;
  const fields = { ...requestedFields(ingestion, file), status: 'INDEXING', message: null } as const;
  await tx
    .insertInto('readgroup_sets')
    .values({ ...newSet(ingestion), ...fields })
    .onConflict((conflict) =>
      conflict.column('file_id').doUpdateSet(fields).where('readgroup_sets.status', '<>', 'ACTIVE'),
    )
    .execute();
}

/** Makes the row of a set that is known only by its source. */
export function newSet(ingestion: IngestionsTable) {
  return {
    id: newId(),
    account_id: ingestion.account_id,
    project_id: ingestion.project_id,
    file_id: ingestion.file_id,
    owner_id: ingestion.user_id,
    created_at: Date.now(),
    ...unknownReads,
  };
}

/** Marks a set as failed after its ingestion ended without reads. */
export async function failReads(tx: Transaction, ingestionId: string, message: string): Promise<void> {
  await tx
    .updateTable('readgroup_sets')
    .set({ status: 'FAILED', message, updated_at: Date.now() })
    .where('ingestion_id', '=', ingestionId)
    .where('status', '=', 'INDEXING')
    .execute();
}

/** Marks a set as failed after its file was overwritten: the index belongs to the old bytes. */
export async function outdateReads(tx: Transaction, fileId: string): Promise<void> {
  const message = 'The file was overwritten. Ingest it again.';
  const outdated = await tx
    .updateTable('readgroup_sets')
    .set({ status: 'FAILED', message, ...unknownReads, updated_at: Date.now() })
    .where('file_id', '=', fileId)
    .where('status', '=', 'ACTIVE')
    .returning('id')
    .executeTakeFirst();
  if (outdated) await tx.deleteFrom('read_groups').where('set_id', '=', outdated.id).execute();
}

/** Removes the set of a file. The sweep removes the blob of the index, which may be in use. */
export async function dropReads(tx: Transaction, fileId: string): Promise<void> {
  const gone = await tx
    .deleteFrom('readgroup_sets')
    .where('file_id', '=', fileId)
    .returning(['id', 'reference_set_id'])
    .executeTakeFirst();
  if (!gone) return;
  await tx.deleteFrom('read_groups').where('set_id', '=', gone.id).execute();
  if (gone.reference_set_id !== null) await dropUnusedSet(tx, gone.reference_set_id);
}

/** Moves the reads of a file to another project. */
export async function moveReads(tx: Transaction, fileId: string, project: string): Promise<void> {
  await tx.updateTable('readgroup_sets').set({ project_id: project }).where('file_id', '=', fileId).execute();
}
