import type { ReferencesSummary } from '@ploidy/formats';
import type { BlobInfo } from '../../../../platform/blobs/blobs.ts';
import type { Reader, Transaction } from '../../../../platform/records/records.ts';
import type { IngestionsTable } from '../../../../platform/records/schema.ts';

/**
 * Finds the reference set for reads with these sequences: the requested one, or one of the project with the same checksums.
 * Otherwise the only one with the same names and lengths, or the only one of the assembly. If the header has checksums, the
 * last two must be in `agreeing`: their bases must be those of the alignment.
 */
export async function findSetOf(
  db: Reader | Transaction,
  place: Pick<IngestionsTable, 'account_id' | 'project_id'>,
  sequences: ReferencesSummary,
  requested: string | undefined,
  agreeing: ReadonlySet<string> | undefined,
): Promise<string | undefined> {
  const active = db.selectFrom('reference_sets').select('id').where('status', '=', 'ACTIVE');
  if (requested !== undefined) {
    const named = await active
      .where('account_id', '=', place.account_id)
      .where('id', '=', requested)
      .executeTakeFirst();
    if (named) return named.id;
  }
  const here = active.where('project_id', '=', place.project_id).orderBy('id');
  if (sequences.md5checksum !== '') {
    const same = await here.where('md5checksum', '=', sequences.md5checksum).executeTakeFirst();
    if (same) return same.id;
  }
  const mayBe = ({ id }: { id: string }): boolean => agreeing === undefined || agreeing.has(id);
  const alike = (await here.where('sequences_shape', '=', sequences.shape).execute()).filter(mayBe);
  if (alike.length === 1) return alike[0]?.id;
  if (sequences.assemblyId === undefined) return undefined;
  const named = (await here.where('assembly_id', '=', sequences.assemblyId).execute()).filter(mayBe);
  return named.length === 1 ? named[0]?.id : undefined;
}

/** Reports whether the bases of a reference set are stored. */
export async function hasBases(db: Reader | Transaction, id: string | undefined): Promise<boolean> {
  if (id === undefined) return false;
  const set = await db
    .selectFrom('reference_sets')
    .select('bases_blob')
    .where('id', '=', id)
    .executeTakeFirst();
  return typeof set?.bases_blob === 'string';
}

/** Bases of a reference set, and the sequences in them. */
export interface StoredReference {
  assemblyId: string | null;
  bases: BlobInfo;
  sequences: { name: string; length: number; offset: number }[];
}

/** Sequences of a set that are read for consequences; chromosomes precede the others. */
const sequencesMax = 10_000;

/** Lists the sets of a project whose bases are stored, the newest first. */
export async function storedReferences(read: Reader, project: string): Promise<StoredReference[]> {
  const sets = await read
    .selectFrom('reference_sets')
    .select(['id', 'assembly_id', 'bases_blob', 'bases_size', 'bases_sha256'])
    .where('project_id', '=', project)
    .where('status', '=', 'ACTIVE')
    .where('bases_blob', 'is not', null)
    .orderBy('id', 'desc')
    .execute();
  const found: StoredReference[] = [];
  for (const { id, assembly_id, bases_blob, bases_size, bases_sha256 } of sets) {
    const sequences = await read
      .selectFrom('genome_references')
      .select(['name', 'length', 'bases_offset as offset'])
      .where('set_id', '=', id)
      .orderBy('position')
      .limit(sequencesMax)
      .execute();
    const bases = { key: bases_blob ?? '', size: Number(bases_size), sha256: bases_sha256 ?? '' };
    found.push({ assemblyId: assembly_id, bases, sequences });
  }
  return found;
}

/** Makes a staged set visible. */
export async function activateSet(tx: Transaction, id: string): Promise<void> {
  await tx
    .updateTable('reference_sets')
    .set({ status: 'ACTIVE', updated_at: Date.now() })
    .where('id', '=', id)
    .where('status', '=', 'STAGED')
    .execute();
}

/** Removes a set registered from a header once no reads refer to it. */
export async function dropUnusedSet(tx: Transaction, id: string): Promise<void> {
  await tx
    .updateTable('reference_sets')
    .set({ status: 'REMOVED' })
    .where('id', '=', id)
    .where('file_id', 'is', null)
    .where((where) =>
      where.not(
        where.exists(
          where
            .selectFrom('readgroup_sets')
            .select('readgroup_sets.id')
            .whereRef('readgroup_sets.reference_set_id', '=', 'reference_sets.id'),
        ),
      ),
    )
    .execute();
}

/** Removes the set of a FASTA; its reads then refer to no set. */
export async function dropReferences(tx: Transaction, fileId: string): Promise<void> {
  for (const { id } of await hideSets(tx, fileId)) {
    await tx
      .updateTable('readgroup_sets')
      .set({ reference_set_id: null })
      .where('reference_set_id', '=', id)
      .execute();
  }
}

/** Hides the sets of a file for the sweep, and returns them. */
async function hideSets(tx: Transaction, fileId: string): Promise<{ id: string; md5checksum: string }[]> {
  return tx
    .updateTable('reference_sets')
    .set({ status: 'REMOVED' })
    .where('file_id', '=', fileId)
    .where('status', '=', 'ACTIVE')
    .returning(['id', 'md5checksum'])
    .execute();
}

/** Moves the sets of a file to another project. */
export async function moveReferences(tx: Transaction, fileId: string, project: string): Promise<void> {
  await tx.updateTable('reference_sets').set({ project_id: project }).where('file_id', '=', fileId).execute();
}

/**
 * Publishes the set of a FASTA in place of the file's earlier one. It is assigned to reads of the earlier one or of a
 * registered set, and to matching reads without one. If the bases changed, reads with checksums lose their set.
 */
export async function publishReferences(
  tx: Transaction,
  made: { set: string; fileId: string; project: string; sequences: ReferencesSummary },
): Promise<void> {
  const { set, fileId, project, sequences } = made;
  const replaced = await hideSets(tx, fileId);
  await activateSet(tx, set);
  const registered = await tx
    .updateTable('reference_sets')
    .set({ status: 'REMOVED' })
    .where('project_id', '=', project)
    .where('file_id', 'is', null)
    .where('status', '=', 'ACTIVE')
    .where('md5checksum', '=', sequences.md5checksum)
    .returning('id')
    .execute();
  for (const { id, md5checksum } of replaced)
    if (md5checksum !== sequences.md5checksum) await leaveSet(tx, id, sequences.md5checksum);
  for (const { id } of [...replaced, ...registered]) {
    await tx
      .updateTable('readgroup_sets')
      .set({ reference_set_id: set })
      .where('reference_set_id', '=', id)
      .execute();
  }
  await tx
    .updateTable('readgroup_sets')
    .set({ reference_set_id: set })
    .where('project_id', '=', project)
    .where('reference_set_id', 'is', null)
    .where((where) =>
      where.or([
        where('sequences_md5', '=', sequences.md5checksum),
        // Reads with checksums were compared already, and differ.
        where.and([where('sequences_md5', 'is', null), where('sequences_shape', '=', sequences.shape)]),
      ]),
    )
    .execute();
}

/** Unassigns the set from reads whose checksums differ from the file's present ones, unless a request named the set. */
async function leaveSet(tx: Transaction, set: string, md5checksum: string): Promise<void> {
  await tx
    .updateTable('readgroup_sets')
    .set({ reference_set_id: null })
    .where('reference_set_id', '=', set)
    .where((where) =>
      where.or([
        where('sequences_md5', '!=', md5checksum),
        // Only some sequences have a checksum (`publishReads`).
        where.and([where('sequences_md5', 'is', null), where('sequences_shape', 'is', null)]),
      ]),
    )
    .where((where) =>
      where.not(
        where.exists(
          where
            .selectFrom('ingestions')
            .select('ingestions.id')
            .whereRef('ingestions.id', '=', 'readgroup_sets.ingestion_id')
            .where('ingestions.options', 'like', '%"referenceSetId":%'),
        ),
      ),
    )
    .execute();
}
