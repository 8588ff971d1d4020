import type { ConversionOptions } from '@ploidy/engine';
import type { ReferenceSummary, ReferencesSummary } from '@ploidy/formats';
import { newId } from '../../../../base/ids.ts';
import type { BlobInfo, Blobs } from '../../../../platform/blobs/blobs.ts';
import { removeFreed } from '../../../../platform/blobs/remove-freed.ts';
import { eachAlone } from '../../../../platform/concurrency/each-alone.ts';
import type { Records, Transaction } from '../../../../platform/records/records.ts';
import type { FilesTable, IngestionsTable } from '../../../../platform/records/schema.ts';
import type { ReferenceSetsTable, ReferencesTable } from '../../../../platform/records/schema-genomics.ts';
import { lockProjectIfThere } from '../../../files/projects/index.ts';
import { titleOf } from './title.ts';

/** Reference set to be written. */
interface NewReferenceSet {
  ingestion: IngestionsTable;
  file: FilesTable;
  sequences: ReferencesSummary;
  /** Absent for a set registered from the header of a BAM. */
  bases?: BlobInfo;
  /** References in batches. */
  batches: AsyncIterable<ReferenceSummary[]>;
  /** Reports whether the run may still write. */
  mayWrite: (tx: Transaction) => Promise<boolean>;
}

/** Rows that the sweep removes in one transaction. */
const sweptRows = 1000;

/**
 * Writes a set and its references invisibly, in several transactions, since there may be a million rows.
 * Returns its id; `undefined` if the run may not write any more. Sets that are never activated are swept.
 */
export async function stageReferences(records: Records, set: NewReferenceSet): Promise<string | undefined> {
  const row = setRow(set);
  const begun = await records.transact(async (tx) => {
    if (!(await set.mayWrite(tx)) || !(await lockProjectIfThere(tx, row.project_id))) return false;
    // Remains of an earlier run that crashed.
    await tx
      .updateTable('reference_sets')
      .set({ status: 'REMOVED' })
      .where('ingestion_id', '=', row.ingestion_id)
      .where('status', '=', 'STAGED')
      .execute();
    await tx.insertInto('reference_sets').values(row).execute();
    return true;
  });
  if (!begun) return undefined;
  let position = 0;
  for await (const batch of set.batches) {
    const rows = batch.map((reference, index) => referenceRow(row.id, position + index, reference));
    position += rows.length;
    const written = await records.transact(async (tx) => {
      if (!(await set.mayWrite(tx))) return false;
      await tx.insertInto('genome_references').values(rows).execute();
      return true;
    });
    if (!written) return undefined;
  }
  return row.id;
}

function setRow({ ingestion, file, sequences, bases }: NewReferenceSet): ReferenceSetsTable {
  const options = JSON.parse(ingestion.options) as ConversionOptions;
  const isOfFile = bases !== undefined;
  const now = Date.now();
  return {
    id: newId(),
    account_id: ingestion.account_id,
    project_id: ingestion.project_id,
    file_id: isOfFile ? file.id : null,
    owner_id: ingestion.user_id,
    name: (isOfFile ? options.name : undefined) ?? sequences.assemblyId ?? titleOf(file.name),
    status: 'STAGED',
    ingestion_id: ingestion.id,
    md5checksum: sequences.md5checksum,
    sequences_shape: sequences.shape,
    species: sequences.species ? JSON.stringify(sequences.species) : null,
    description: isOfFile
      ? (options.description ?? null)
      : 'Registered from the header of a BAM; its bases are not known.',
    assembly_id: sequences.assemblyId ?? null,
    source_uri: sequences.sourceUri ?? null,
    source_accessions: isOfFile ? listText(options.sourceAccessions ?? []) : '',
    bases_blob: bases?.key ?? null,
    bases_size: bases?.size ?? null,
    bases_sha256: bases?.sha256 ?? null,
    created_at: now,
    updated_at: now,
  };
}

function referenceRow(set: string, position: number, reference: ReferenceSummary): ReferencesTable {
  return {
    id: newId(),
    set_id: set,
    position,
    name: reference.name,
    length: reference.length,
    md5checksum: reference.md5checksum,
    sha512t24u: reference.sha512t24u ?? null,
    source_uri: reference.sourceUri ?? null,
    accession: reference.accession ?? null,
    species: reference.species ? JSON.stringify(reference.species) : null,
    attributes: JSON.stringify(reference.attributes),
    bases_offset: reference.offset,
  };
}

/** Encodes a list in one column, each entry between line feeds. */
function listText(entries: readonly string[]): string {
  return entries.length === 0 ? '' : `\n${entries.join('\n')}\n`;
}

/** Removes a staged set. */
export async function discardStaged(records: Records, id: string): Promise<void> {
  await records.transact((tx) =>
    tx
      .updateTable('reference_sets')
      .set({ status: 'REMOVED' })
      .where('id', '=', id)
      .where('status', '=', 'STAGED')
      .execute(),
  );
}

/** Removes hidden sets and abandoned staged ones, with their references in batches. */
export async function sweepReferences(records: Records, blobs: Blobs): Promise<void> {
  await records.transact((tx) =>
    tx
      .updateTable('reference_sets')
      .set({ status: 'REMOVED' })
      .where('status', '=', 'STAGED')
      .where((where) =>
        where.not(
          where.exists(
            where
              .selectFrom('ingestions')
              .select('ingestions.id')
              .whereRef('ingestions.id', '=', 'reference_sets.ingestion_id')
              .where('ingestions.state', 'in', ['queued', 'running']),
          ),
        ),
      )
      .execute(),
  );
  const removed = await records.read
    .selectFrom('reference_sets')
    .select(['id', 'bases_blob'])
    .where('status', '=', 'REMOVED')
    .execute();
  const removeSet = async ({ id, bases_blob: blob }: (typeof removed)[number]): Promise<void> => {
    while (await removeSome(records, id));
    await records.transact((tx) => tx.deleteFrom('reference_sets').where('id', '=', id).execute());
    if (blob !== null) await removeFreed(blobs, [blob]);
  };
  await eachAlone(removed, removeSet, {
    failed: 'a reference set could not be removed; it is tried again',
    about: ({ id }) => ({ referenceSetId: id }),
  });
}

async function removeSome(records: Records, set: string): Promise<boolean> {
  return records.transact(async (tx) => {
    const some = tx.selectFrom('genome_references').select('id').where('set_id', '=', set).limit(sweptRows);
    const gone = await tx.deleteFrom('genome_references').where('id', 'in', some).executeTakeFirst();
    return gone.numDeletedRows > 0n;
  });
}
