import { newId } from '../../ids.ts';
import type { ConversionOptions } from '../../platform/engine/conversion.ts';
import type { Transaction } from '../../platform/records/records.ts';
import type { FilesTable, IngestionsTable } from '../../platform/records/schema.ts';
import type { ReadGroupSetsTable } from '../../platform/records/schema-genomics.ts';
import { lockProjectIfThere } from '../projects/index.ts';
import { dropUnusedSet } from './reference-state.ts';
import { titleOf } from './title.ts';

/** What a set has when nothing of its BAM is known: before it was indexed, and after it cannot be read any more. */
const unknownReads = {
  reference_set_id: null,
  sequences_md5: null,
  sequences_shape: null,
  assembly_id: null,
  bam_blob: null,
  bam_size: null,
  bam_sha256: null,
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

/** The fields of a set that its ingestion's request decides. */
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

/** An ingestion will make, or make anew, the set of a file. A set that can be read stays as it is until then. */
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

/** The row of a set that nothing is known of but where it comes from. */
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

/** An ingestion has ended without reads: a set that waited for it says so. */
export async function failReads(tx: Transaction, ingestionId: string, message: string): Promise<void> {
  await tx
    .updateTable('readgroup_sets')
    .set({ status: 'FAILED', message, updated_at: Date.now() })
    .where('ingestion_id', '=', ingestionId)
    .where('status', '=', 'INDEXING')
    .execute();
}

/** A file has new bytes: its index is of the old ones, which are gone. */
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

/** The set of a file goes, if it has one. The blob of its index is swept, since it may be being read. */
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

/** Reads follow their file into another project. */
export async function moveReads(tx: Transaction, fileId: string, project: string): Promise<void> {
  await tx.updateTable('readgroup_sets').set({ project_id: project }).where('file_id', '=', fileId).execute();
}
