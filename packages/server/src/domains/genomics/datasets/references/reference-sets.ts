import { Readable } from 'node:stream';
import { type SqlBool, sql } from 'kysely';
import type { Caller } from '../../../../access/caller.ts';
import type { ResourceAttributes } from '../../../../access/resource.ts';
import type { PageRequest } from '../../../../api/paging.ts';
import type { Located } from '../../../../api/route.ts';
import { Problem } from '../../../../base/problem.ts';
import type { Blobs } from '../../../../platform/blobs/blobs.ts';
import type { Records } from '../../../../platform/records/records.ts';
import type { ReferenceSetsTable, ReferencesTable } from '../../../../platform/records/schema-genomics.ts';
import { projectExists } from '../../../files/projects/index.ts';
import { readableSets } from '../reads/readable-sets.ts';

/** Reference with its set. */
export interface FoundReference {
  reference: ReferencesTable;
  set: ReferenceSetsTable;
}

/** Exact, case-sensitive filters; absent ones match all. */
interface ReferenceSetsFilter {
  md5checksum: string | undefined;
  accession: string | undefined;
  assemblyId: string | undefined;
}

interface ReferencesFilter {
  referenceSetId: string | undefined;
  md5checksum: string | undefined;
  accession: string | undefined;
}

/** Digest of a sequence: either. */
export type SequenceDigests = { md5checksum: string } | { sha512t24u: string };

/** Reference sets, their references, and the bases of these. */
export class ReferenceSets {
  readonly #records: Records;
  readonly #blobs: Blobs;

  constructor(records: Records, blobs: Blobs) {
    this.#records = records;
    this.#blobs = blobs;
  }

  /** Locates a set of the account. */
  async locate(account: string, id: string): Promise<Located<ReferenceSetsTable> | undefined> {
    const record = await this.#records.read
      .selectFrom('reference_sets')
      .selectAll()
      .where('id', '=', id)
      .where('account_id', '=', account)
      .where('status', '=', 'ACTIVE')
      .executeTakeFirst();
    return record && { attributes: attributesOfReferenceSet(record), record };
  }

  /** Locates a set by its id, else the only one of an assembly. */
  async locateNamed(account: string, name: string): Promise<Located<ReferenceSetsTable> | undefined> {
    const byId = await this.locate(account, name);
    if (byId) return byId;
    const [record, another] = await this.#records.read
      .selectFrom('reference_sets')
      .selectAll()
      .where('assembly_id', '=', name)
      .where('account_id', '=', account)
      .where('status', '=', 'ACTIVE')
      .limit(2)
      .execute();
    return record && !another ? { attributes: attributesOfReferenceSet(record), record } : undefined;
  }

  /** Reports whether the account has this set, in an existing project. */
  async isThere(account: string, id: string): Promise<boolean> {
    const set = await this.locate(account, id);
    return set !== undefined && (await projectExists(this.#records.read, set.record.project_id));
  }

  /** Locates a reference in a set of the account. */
  async locateReference(account: string, id: string): Promise<Located<FoundReference> | undefined> {
    const reference = await this.#records.read
      .selectFrom('genome_references')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    const located = reference && (await this.locate(account, reference.set_id));
    return located && { attributes: located.attributes, record: { reference, set: located.record } };
  }

  /** Lists the sets that the caller may read, one row more than the page. */
  async list(
    caller: Caller,
    account: string,
    filter: ReferenceSetsFilter,
    { size, after }: PageRequest,
  ): Promise<ReferenceSetsTable[]> {
    let query = this.#visible(caller, account)
      .selectAll('reference_sets')
      .orderBy('reference_sets.id')
      .limit(size + 1);
    const { md5checksum, accession, assemblyId } = filter;
    if (md5checksum !== undefined) query = query.where('md5checksum', '=', md5checksum);
    if (assemblyId !== undefined) query = query.where('assembly_id', '=', assemblyId);
    if (accession !== undefined) query = query.where(holdsEntry('source_accessions', accession));
    if (after) query = query.where('reference_sets.id', '>', String(after[0]));
    return query.execute();
  }

  /** Lists the references of sets that the caller may read, plus one row, by set and source order. */
  async listReferences(
    caller: Caller,
    account: string,
    filter: ReferencesFilter,
    { size, after }: PageRequest,
  ): Promise<ReferencesTable[]> {
    const [setBefore = '', position = -1] = after ?? [];
    const { referenceSetId, md5checksum, accession } = filter;
    const rows: ReferencesTable[] = [];
    if (md5checksum !== undefined || accession !== undefined) {
      // Filter by reference before set: sets cannot be distinguished by these filters.
      const visible = this.#visible(caller, account)
        .select('reference_sets.id')
        .where(sql<SqlBool>`reference_sets.id = r.set_id`);
      let query = this.#records.read
        .selectFrom('genome_references as r')
        .selectAll()
        .where(({ exists }) => exists(visible))
        .where(({ eb, refTuple, tuple }) =>
          eb(refTuple('r.set_id', 'r.position'), '>', tuple(String(setBefore), Number(position))),
        )
        .orderBy('r.set_id')
        .orderBy('r.position')
        .limit(size + 1);
      if (referenceSetId !== undefined) query = query.where('r.set_id', '=', referenceSetId);
      if (md5checksum !== undefined) query = query.where('r.md5checksum', '=', md5checksum);
      if (accession !== undefined) query = query.where('r.accession', '=', accession);
      return query.execute();
    }
    // Set by set, so that only the page's rows are read of a million references.
    for (const set of await this.#setsFrom(caller, account, referenceSetId, String(setBefore), size + 1)) {
      if (rows.length > size) break;
      const some = this.#records.read.selectFrom('genome_references').selectAll().where('set_id', '=', set);
      rows.push(
        ...(await some
          .where('position', '>', set === setBefore ? Number(position) : -1)
          .orderBy('position')
          .limit(size + 1 - rows.length)
          .execute()),
      );
    }
    return rows;
  }

  /** Locates a sequence of known bases by a digest: in a set that the caller may read, else in any of the account. */
  async locateDigest(
    caller: Caller,
    account: string,
    digests: SequenceDigests,
  ): Promise<Located<FoundReference> | undefined> {
    const [column = 'md5checksum', digest = ''] = Object.entries(digests)[0] ?? [];
    const ofAccount = this.#records.read
      .selectFrom('reference_sets')
      .where('account_id', '=', account)
      .where('status', '=', 'ACTIVE');
    for (const sets of [this.#visible(caller, account), ofAccount]) {
      const known = sets.select('reference_sets.id').where('reference_sets.bases_blob', 'is not', null);
      const reference = await this.#records.read
        .selectFrom('genome_references as r')
        .selectAll()
        .where(`r.${column as 'md5checksum' | 'sha512t24u'}`, '=', digest)
        .where('r.set_id', 'in', known)
        .orderBy('r.set_id', 'desc')
        .executeTakeFirst();
      const located = reference && (await this.locate(account, reference.set_id));
      if (located) return { ...located, record: { reference, set: located.record } };
    }
    return undefined;
  }

  /** Opens the bases `[start, end)` of a reference as a stream. */
  async openBases({ reference, set }: FoundReference, start: number, end: number): Promise<Readable> {
    if (set.bases_blob === null || start === end) return Readable.from([]);
    const offset = reference.bases_offset;
    return this.#blobs.open(set.bases_blob, { start: offset + start, end: offset + end });
  }

  /** Reads the bases `[start, end)` of a reference. Problem 422 if only its checksum is known. */
  async bases({ reference, set }: FoundReference, start: number, end: number): Promise<string> {
    if (set.bases_blob === null) {
      const message =
        'This reference is known only from the header of a BAM, without its bases. Ingest its FASTA.';
      throw new Problem(422, 'NO_BASES', message);
    }
    if (start === end) return '';
    const offset = reference.bases_offset;
    const range = { start: offset + start, end: offset + end };
    const chunks: Buffer[] = [];
    for await (const chunk of await this.#blobs.open(set.bases_blob, range)) chunks.push(chunk);
    return Buffer.concat(chunks).toString('latin1');
  }

  async #setsFrom(
    caller: Caller,
    account: string,
    only: string | undefined,
    from: string,
    limit: number,
  ): Promise<string[]> {
    let query = this.#visible(caller, account)
      .select('reference_sets.id')
      .where('reference_sets.id', '>=', from)
      .orderBy('reference_sets.id')
      .limit(limit);
    if (only !== undefined) query = query.where('reference_sets.id', '=', only);
    return (await query.execute()).map(({ id }) => id);
  }

  #visible(caller: Caller, account: string) {
    return this.#records.read
      .selectFrom('reference_sets')
      .innerJoin('projects', 'projects.id', 'reference_sets.project_id')
      .where('reference_sets.account_id', '=', account)
      .where('reference_sets.status', '=', 'ACTIVE')
      .where(readableSets(caller, account, 'reference_sets'));
  }
}

/** Tests whether a list column contains an entry: removing the entry changes the text. Works in SQLite and PostgreSQL. */
function holdsEntry(column: string, entry: string) {
  const list = sql.ref(column);
  const text = sql`cast(${entry.includes('\n') ? '' : `\n${entry}\n`} as text)`;
  return sql<SqlBool>`replace(${list}, ${text}, '') <> ${list}`;
}

/** Attributes of a reference set and its content for policies. */
function attributesOfReferenceSet(row: ReferenceSetsTable): ResourceAttributes {
  return {
    account: row.account_id,
    dataset: row.project_id,
    type: 'referenceSet',
    id: row.id,
    ownerId: row.owner_id,
  };
}
