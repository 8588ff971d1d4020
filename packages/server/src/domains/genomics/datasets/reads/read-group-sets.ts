import type { ExpressionBuilder } from 'kysely';
import type { Caller } from '../../../../access/caller.ts';
import type { ResourceAttributes } from '../../../../access/resource.ts';
import type { PageRequest } from '../../../../api/paging.ts';
import type { Located } from '../../../../api/route.ts';
import type { BlobInfo } from '../../../../platform/blobs/blobs.ts';
import { prepared } from '../../../../platform/records/prepared.ts';
import type { Records } from '../../../../platform/records/records.ts';
import type { Database } from '../../../../platform/records/schema.ts';
import type { ReadGroupSetsTable, ReadGroupsTable } from '../../../../platform/records/schema-genomics.ts';
import type { ReadGroupSetRow } from './read-views.ts';
import { readableSets } from './readable-sets.ts';

/** Bytes of a readable set: those of its file, and the index built from it. */
export interface ReadsSource {
  format: 'BAM' | 'CRAM';
  reads: BlobInfo;
  index: BlobInfo;
}

/** Columns needed for tickets and blocks; others may be large, such as the programs that made the file. */
const readsColumns = [
  'id',
  'account_id',
  'project_id',
  'owner_id',
  'status',
  'format',
  'reads_blob',
  'reads_size',
  'reads_sha256',
  'index_blob',
  'index_size',
  'index_sha256',
] as const;

export type ReadsRow = Pick<ReadGroupSetsTable, (typeof readsColumns)[number]>;

/** Exact, case-sensitive filters; absent ones match all. */
interface ReadsFilter {
  datasets: string[];
  name: string | undefined;
  /** Selects sets with such a read group, and shows only these groups. */
  biosampleId: string | undefined;
  patientId: string | undefined;
  /** Selects sets with reads of this sample. */
  sampleId: string | undefined;
  status: string | undefined;
}

/** Returns the name of a file of reads without its format. */
const stemOf = (name: string): string => name.replace(/\.(?:bam|cram)$/i, '');

/** JSON characters after which a page of large sets ends early. */
const pageCharacters = 8_000_000;

/** Read group sets: each holds the reads of one file. */
export class ReadGroupSets {
  readonly #records: Records;
  readonly #readsById: (id: string) => Promise<ReadsRow[]>;

  constructor(records: Records) {
    this.#records = records;
    this.#readsById = prepared(records.read, (read, id: string) =>
      read.selectFrom('readgroup_sets').select(readsColumns).where('id', '=', id),
    );
  }

  /** Finds a set of the account in any status. */
  async find(account: string, id: string): Promise<ReadGroupSetsTable | undefined> {
    const byId = this.#records.read.selectFrom('readgroup_sets').selectAll().where('id', '=', id);
    return byId.where('account_id', '=', account).executeTakeFirst();
  }

  /** Finds the columns that locate a set's bytes. */
  async findReads(account: string, id: string): Promise<ReadsRow | undefined> {
    const [row] = await this.#readsById(id);
    return row?.account_id === account ? row : undefined;
  }

  /** Finds the set of the same reads in another format: as many reads, from a file of the same name beside it. */
  async findTwin({ id }: Pick<ReadsRow, 'id'>, format: ReadsRow['format']): Promise<ReadsRow | undefined> {
    const rows = await this.#records.read
      .selectFrom('readgroup_sets as mine')
      .innerJoin('files as file', 'file.id', 'mine.file_id')
      .innerJoin('readgroup_sets as other', 'other.project_id', 'mine.project_id')
      .innerJoin('files as beside', 'beside.id', 'other.file_id')
      .select(['other.id', 'file.name', 'beside.name as beside'])
      .where('mine.id', '=', id)
      .where('other.format', '=', format)
      .where('other.status', '=', 'ACTIVE')
      .whereRef('other.aligned_count', '=', 'mine.aligned_count')
      .whereRef('other.unaligned_count', '=', 'mine.unaligned_count')
      .execute();
    const found = rows.find(({ name, beside }) => stemOf(name) === stemOf(beside));
    return found && (await this.#readsById(found.id))[0];
  }

  /** Finds the set of a file. */
  async findByFile(fileId: string): Promise<ReadGroupSetsTable | undefined> {
    const byFile = this.#records.read.selectFrom('readgroup_sets').selectAll();
    return byFile.where('file_id', '=', fileId).executeTakeFirst();
  }

  /** Locates a set for routes. */
  async locate(account: string, id: string): Promise<Located<ReadGroupSetsTable> | undefined> {
    const record = await this.find(account, id);
    return record && { attributes: attributesOfReadGroupSet(record), record };
  }

  /** Lists the sets that the caller may read, one row more than the page unless the page ends early. */
  async list(
    caller: Caller,
    account: string,
    filter: ReadsFilter,
    { size, after }: PageRequest,
  ): Promise<{ rows: ReadGroupSetsTable[]; size: number }> {
    const { datasets, name, biosampleId, patientId, sampleId, status } = filter;
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
    if (status !== undefined) query = query.where('readgroup_sets.status', '=', status as 'ACTIVE');
    if (biosampleId !== undefined) query = query.where(hasGroup('biosample_id', biosampleId));
    if (sampleId !== undefined) query = query.where(hasGroup('sample_name', sampleId));
    if (after) query = query.where('readgroup_sets.id', '>', String(after[0]));
    const rows = await query.execute();
    return { rows, size: sizeWithin(rows, size) };
  }

  /** Adds to sets their read groups, or those of one biosample, and the existing reference sets. */
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

  /** Returns the reference sets that exist: one may be gone with its project. */
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

/** Condition on a set: one of its read groups has this value. */
function hasGroup(column: 'biosample_id' | 'sample_name', value: string) {
  return (where: ExpressionBuilder<Database, 'readgroup_sets'>) =>
    where.exists(
      where
        .selectFrom('read_groups')
        .select('read_groups.id')
        .whereRef('read_groups.set_id', '=', 'readgroup_sets.id')
        .where(`read_groups.${column}`, '=', value),
    );
}

/** Returns the number of rows that fit a page: at least one. */
function sizeWithin(rows: ReadGroupSetsTable[], sizeMax: number): number {
  let characters = 0;
  const end = rows.findIndex((row, index) => {
    characters += row.json_size;
    return index > 0 && characters > pageCharacters;
  });
  return end < 0 ? sizeMax : Math.min(end, sizeMax);
}

/** Returns the bytes of a set; `undefined` unless it is `ACTIVE`. */
export function readsOf(row: ReadsRow): ReadsSource | undefined {
  if (row.status !== 'ACTIVE' || row.reads_blob === null || row.index_blob === null) return undefined;
  return {
    format: row.format,
    reads: { key: row.reads_blob, size: row.reads_size ?? 0, sha256: row.reads_sha256 ?? '' },
    index: { key: row.index_blob, size: row.index_size ?? 0, sha256: row.index_sha256 ?? '' },
  };
}

/** Attributes of a read group set for policies. */
export function attributesOfReadGroupSet(row: ReadsRow): ResourceAttributes {
  return {
    account: row.account_id,
    dataset: row.project_id,
    type: 'readGroupSet',
    id: row.id,
    ownerId: row.owner_id,
  };
}
