import type { Caller } from '../../access/caller.ts';
import type { ResourceAttributes } from '../../access/resource.ts';
import type { PageRequest } from '../../paging.ts';
import type { BlobInfo } from '../../platform/blobs/blobs.ts';
import { prepared } from '../../platform/records/prepared.ts';
import type { Records } from '../../platform/records/records.ts';
import type { ReadGroupSetsTable, ReadGroupsTable } from '../../platform/records/schema-genomics.ts';
import type { Located } from '../../route.ts';
import type { ReadGroupSetRow } from './read-views.ts';
import { readableSets } from './readable-sets.ts';

/** The bytes behind a set that can be read: its BAM, which belongs to its file, and the index that was built of it. */
export interface ReadsSource {
  bam: BlobInfo;
  index: BlobInfo;
}

/** What tickets and blocks have to know of a set. The rest of a row may be large: a program for each step that made the file. */
const readsColumns = [
  'id',
  'account_id',
  'project_id',
  'owner_id',
  'status',
  'bam_blob',
  'bam_size',
  'bam_sha256',
  'index_blob',
  'index_size',
  'index_sha256',
] as const;

export type ReadsRow = Pick<ReadGroupSetsTable, (typeof readsColumns)[number]>;

/** Exact, with regard to case; what is absent is not asked. */
export interface ReadsFilter {
  datasets: string[];
  name: string | undefined;
  /** Sets with such a read group, of which only these are shown. */
  biosampleId: string | undefined;
  patientId: string | undefined;
}

/** Characters of JSON after which a page of large sets ends early; the rest is on the next. */
const pageCharacters = 8_000_000;

/** Read group sets: each is the reads of one BAM file. */
export class ReadGroupSets {
  readonly #records: Records;
  readonly #readsById: (id: string) => Promise<ReadsRow[]>;

  constructor(records: Records) {
    this.#records = records;
    this.#readsById = prepared(records.read, (read, id: string) =>
      read.selectFrom('readgroup_sets').select(readsColumns).where('id', '=', id),
    );
  }

  /** A set of the account, whatever its status. */
  async find(account: string, id: string): Promise<ReadGroupSetsTable | undefined> {
    const byId = this.#records.read.selectFrom('readgroup_sets').selectAll().where('id', '=', id);
    return byId.where('account_id', '=', account).executeTakeFirst();
  }

  /** As much of it as its bytes are found by. */
  async findReads(account: string, id: string): Promise<ReadsRow | undefined> {
    const [row] = await this.#readsById(id);
    return row?.account_id === account ? row : undefined;
  }

  /** The set that is made of a file. */
  async findByFile(fileId: string): Promise<ReadGroupSetsTable | undefined> {
    const byFile = this.#records.read.selectFrom('readgroup_sets').selectAll();
    return byFile.where('file_id', '=', fileId).executeTakeFirst();
  }

  /** The same for routes. */
  async locate(account: string, id: string): Promise<Located<ReadGroupSetsTable> | undefined> {
    const record = await this.find(account, id);
    return record && { attributes: attributesOfReadGroupSet(record), record };
  }

  /** A row more than the page, unless the page had to end early, of those that the caller may read. */
  async list(
    caller: Caller,
    account: string,
    filter: ReadsFilter,
    { size, after }: PageRequest,
  ): Promise<{ rows: ReadGroupSetsTable[]; size: number }> {
    const { datasets, name, biosampleId, patientId } = filter;
    let query = this.#records.read
      .selectFrom('readgroup_sets')
      .selectAll('readgroup_sets')
      .innerJoin('projects', 'projects.id', 'readgroup_sets.project_id')
      .where('readgroup_sets.account_id', '=', account)
      .where(readableSets(caller, account, 'readgroup_sets'))
      .orderBy('readgroup_sets.id')
      .limit(size + 1);
    if (datasets.length > 0) query = query.where('readgroup_sets.project_id', 'in', datasets);
    if (name !== undefined) query = query.where('readgroup_sets.name', '=', name);
    if (patientId !== undefined) query = query.where('readgroup_sets.patient_id', '=', patientId);
    if (biosampleId !== undefined) {
      query = query.where((where) =>
        where.exists(
          where
            .selectFrom('read_groups')
            .select('read_groups.id')
            .whereRef('read_groups.set_id', '=', 'readgroup_sets.id')
            .where('biosample_id', '=', biosampleId),
        ),
      );
    }
    if (after) query = query.where('readgroup_sets.id', '>', String(after[0]));
    const rows = await query.execute();
    return { rows, size: sizeWithin(rows, size) };
  }

  /** Sets with their read groups, or those of one biosample, and the reference sets that are there. */
  async complete(sets: ReadGroupSetsTable[], biosampleId?: string): Promise<ReadGroupSetRow[]> {
    if (sets.length === 0) return [];
    const ids = sets.map(({ id }) => id);
    let query = this.#records.read.selectFrom('read_groups').selectAll().where('set_id', 'in', ids);
    if (biosampleId !== undefined) query = query.where('biosample_id', '=', biosampleId);
    const groups = new Map<string, ReadGroupsTable[]>(ids.map((id) => [id, []]));
    for (const group of await query.orderBy('set_id').orderBy('position').execute()) {
      groups.get(group.set_id)?.push(group);
    }
    const there = await this.#referenceSetsThere(sets);
    return sets.map((set) => ({
      ...set,
      reference_set_id: there.has(set.reference_set_id ?? '') ? set.reference_set_id : null,
      groups: groups.get(set.id) ?? [],
    }));
  }

  /** A reference set may have gone with its project. */
  async #referenceSetsThere(sets: ReadGroupSetsTable[]): Promise<Set<string>> {
    const named = [...new Set(sets.flatMap(({ reference_set_id: id }) => id ?? []))];
    if (named.length === 0) return new Set();
    const rows = await this.#records.read
      .selectFrom('reference_sets')
      .innerJoin('projects', 'projects.id', 'reference_sets.project_id')
      .select('reference_sets.id')
      .where('reference_sets.id', 'in', named)
      .where('status', '=', 'ACTIVE')
      .execute();
    return new Set(rows.map(({ id }) => id));
  }
}

/** How many of the rows make a page: one at the least. */
function sizeWithin(rows: ReadGroupSetsTable[], sizeMax: number): number {
  let characters = 0;
  const end = rows.findIndex((row, index) => {
    characters += row.json_size;
    return index > 0 && characters > pageCharacters;
  });
  return end < 0 ? sizeMax : Math.min(end, sizeMax);
}

/** The bytes of a set; `undefined` unless it is `ACTIVE`. */
export function readsOf(row: ReadsRow): ReadsSource | undefined {
  if (row.status !== 'ACTIVE' || row.bam_blob === null || row.index_blob === null) return undefined;
  return {
    bam: { key: row.bam_blob, size: row.bam_size ?? 0, sha256: row.bam_sha256 ?? '' },
    index: { key: row.index_blob, size: row.index_size ?? 0, sha256: row.index_sha256 ?? '' },
  };
}

/** What policies may ask of a read group set. */
export function attributesOfReadGroupSet(row: ReadsRow): ResourceAttributes {
  return {
    account: row.account_id,
    dataset: row.project_id,
    type: 'readGroupSet',
    id: row.id,
    ownerId: row.owner_id,
  };
}
