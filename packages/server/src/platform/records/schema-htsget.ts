/** Index of a VCF, built with the first request for one of its regions. */
export interface VariantIndexesTable {
  file_id: string;
  project_id: string;
  /** The blob of the file that it is of: other bytes need another index. */
  source_blob: string;
  /** `FAILED`: `message` has the reason why no index is possible. */
  status: 'INDEXING' | 'ACTIVE' | 'FAILED';
  message: string | null;
  job_id: string;
  /** The tabix index, not compressed. It belongs to this row; null unless `ACTIVE`. */
  index_blob: string | null;
  index_size: number | null;
  index_sha256: string | null;
  /** The file in blocks, as bgzip makes them; null for a file that has them itself. It belongs to this row. */
  packed_blob: string | null;
  packed_size: number | null;
  packed_sha256: string | null;
  created_at: number;
}

/** Tables of htsget; the `Database` of the domains extends it. */
export interface HtsgetTables {
  variant_indexes: VariantIndexesTable;
}
