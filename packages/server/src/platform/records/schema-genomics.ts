/** Epoch milliseconds. */
type Time = number;
/** JSON text. */
type Json = string;

/** The reads of one BAM or CRAM file. */
export interface ReadGroupSetsTable {
  id: string;
  account_id: string;
  project_id: string;
  /** The file that it is made of; each has one set at most, which keeps its id when the file is ingested again. */
  file_id: string;
  owner_id: string;
  name: string;
  /** `INDEXING`: nothing of it is there yet. `FAILED`: `message` has the reason, and nothing of it is there. */
  status: 'INDEXING' | 'ACTIVE' | 'FAILED';
  message: string | null;
  /** The ingestion that makes or made it. */
  ingestion_id: string;
  patient_id: string | null;
  test_type: string | null;
  sequence_type: string | null;
  reference_set_id: string | null;
  /** MD5 of the sorted, joined checksums (`M5`) of its sequences; null when one has none. */
  sequences_md5: string | null;
  /** MD5 of the sorted names and lengths of its sequences; null when only some of them have checksums. */
  sequences_shape: string | null;
  /** `AS`, when all sequences have the same. */
  assembly_id: string | null;
  format: 'BAM' | 'CRAM';
  /** The blob of the file at the time of indexing. It belongs to the file's row; null unless `ACTIVE`. */
  reads_blob: string | null;
  reads_size: number | null;
  reads_sha256: string | null;
  /** The index that was built of it: BAI or CRAI. It belongs to this row. */
  index_blob: string | null;
  index_size: number | null;
  index_sha256: string | null;
  aligned_count: number;
  unaligned_count: number;
  base_count: number;
  /** JSON array of `@PG` lines as the API shows them. */
  programs: Json;
  /** JSON object: other metadata in the header. */
  attributes: Json;
  /** About how many characters its JSON has, so that a page of large ones ends early. */
  json_size: number;
  created_at: Time;
  updated_at: Time;
}

/** One `@RG` of a header. */
export interface ReadGroupsTable {
  id: string;
  set_id: string;
  /** Position in the header. */
  position: number;
  name: string;
  description: string | null;
  sample_name: string | null;
  biosample_id: string | null;
  predicted_insert_size: number | null;
  /** JSON object: the experiment as the API shows it, without times. */
  experiment: Json;
  aligned_count: number;
  unaligned_count: number;
  base_count: number;
  /** JSON object: its other tags. */
  attributes: Json;
}

/** A genome: the sequences of a FASTA, or those that the header of a BAM names. */
export interface ReferenceSetsTable {
  id: string;
  account_id: string;
  project_id: string;
  /** The FASTA that it is made of; null for one that a BAM's header registered. */
  file_id: string | null;
  owner_id: string;
  name: string;
  /** `STAGED`: its references are being written; only `ACTIVE` ones are seen; `REMOVED`: it waits to be swept. */
  status: 'STAGED' | 'ACTIVE' | 'REMOVED';
  /** The ingestion that makes or made it. */
  ingestion_id: string;
  md5checksum: string;
  /** Digest like `sequences_shape` of a read group set. */
  sequences_shape: string;
  /** JSON object `{term_id, term}`, or null. */
  species: Json | null;
  description: string | null;
  assembly_id: string | null;
  source_uri: string | null;
  /** Each between line feeds: `\nGCA_000001405.15\n`. */
  source_accessions: string;
  /** All bases in upper case, one byte each, sequence after sequence. It belongs to this row; null without bases. */
  bases_blob: string | null;
  bases_size: number | null;
  bases_sha256: string | null;
  created_at: Time;
  updated_at: Time;
}

/** One sequence of a reference set. */
export interface ReferencesTable {
  id: string;
  set_id: string;
  /** Position in the source. */
  position: number;
  name: string;
  length: number;
  md5checksum: string;
  /** Digest of its bases by which refget names it; null if it was not computed. */
  sha512t24u: string | null;
  source_uri: string | null;
  accession: string | null;
  /** JSON object `{term_id, term}`, or null. */
  species: Json | null;
  /** JSON object: other metadata in its source. */
  attributes: Json;
  /** Offset of its bases in the blob of the set. */
  bases_offset: number;
}

/** Reads and references; the `Database` of the domains extends it. */
export interface GenomicsTables {
  readgroup_sets: ReadGroupSetsTable;
  read_groups: ReadGroupsTable;
  reference_sets: ReferenceSetsTable;
  genome_references: ReferencesTable;
}
