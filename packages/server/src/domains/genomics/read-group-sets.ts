import type { ResourceAttributes } from '../../access/resource.ts';
import type { BlobInfo } from '../../platform/blobs/blobs.ts';
import { prepared } from '../../platform/records/prepared.ts';
import type { Records } from '../../platform/records/records.ts';
import type { ReadGroupSetsTable } from '../../platform/records/schema-genomics.ts';
import type { Located } from '../../route.ts';

/** The bytes behind a set that can be read: its BAM, which belongs to its file, and the index that was built of it. */
export interface ReadsSource {
  bam: BlobInfo;
  index: BlobInfo;
}

/** Read group sets: each is the reads of one BAM file. */
export class ReadGroupSets {
  readonly #byId: (id: string) => Promise<ReadGroupSetsTable[]>;

  constructor(records: Records) {
    this.#byId = prepared(records.read, (read, id: string) =>
      read.selectFrom('readgroup_sets').selectAll().where('id', '=', id),
    );
  }

  /** A set of the account, whatever its status. */
  async find(account: string, id: string): Promise<ReadGroupSetsTable | undefined> {
    const [row] = await this.#byId(id);
    return row?.account_id === account ? row : undefined;
  }

  /** The same for routes. */
  async locate(account: string, id: string): Promise<Located<ReadGroupSetsTable> | undefined> {
    const record = await this.find(account, id);
    return record && { attributes: attributesOfReadGroupSet(record), record };
  }
}

/** The bytes of a set; `undefined` unless it is `ACTIVE`. */
export function readsOf(row: ReadGroupSetsTable): ReadsSource | undefined {
  if (row.status !== 'ACTIVE' || row.bam_blob === null || row.index_blob === null) return undefined;
  return {
    bam: { key: row.bam_blob, size: row.bam_size ?? 0, sha256: row.bam_sha256 ?? '' },
    index: { key: row.index_blob, size: row.index_size ?? 0, sha256: row.index_sha256 ?? '' },
  };
}

/** What policies may ask of a read group set. */
export function attributesOfReadGroupSet(row: ReadGroupSetsTable): ResourceAttributes {
  return {
    account: row.account_id,
    dataset: row.project_id,
    type: 'readGroupSet',
    id: row.id,
    ownerId: row.owner_id,
  };
}
