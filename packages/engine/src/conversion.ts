import type {
  Account,
  GenomeBuild,
  OwnColumn,
  OwnTableRequest,
  ReadsSummary,
  ReferencesSummary,
  RequestedSource,
  WrittenValues,
} from '@ploidy/formats';
import type { FileDigest } from './task-runtime/digest.ts';

/**
 * The contract between an ingestion and the converters (one a format). A converter runs in a worker process and reads the
 * source by its path. It writes one Parquet file (zstd, sorted) a table into `outputFolder`, or the metadata of reads and
 * references. It touches nothing else: the service publishes the result in one transaction.
 */

/** A plain SQL connection to the worker's own engine instance. */
export interface Sql {
  /** Maximum threads (PLOIDY_THREADS), for each converter too. */
  readonly threads: number;
  /** Returns the number of rows that an INSERT or a COPY wrote. */
  run(sql: string): Promise<number>;
  /** Counts the rows of a relation (an item of FROM). */
  count(relation: string): Promise<number>;
  /** Rows as plain objects; for small answers, never for data. */
  rows(sql: string): Promise<Record<string, unknown>[]>;
  /** 0..1 of the running statement, or undefined while unknown. */
  progress(): number | undefined;
}

export interface SampleLink {
  sampleId: string;
  patientId: string;
  specimenId?: string;
}

/** Options of POST /v1/ingestions about the data. */
export interface ConversionOptions {
  /** Name of the set; becomes no column. */
  name?: string;
  /** Sample of a file that names none, or the new name of the only sample. */
  sampleId?: string;
  /** New names of samples by those in the file. */
  sampleIds?: Record<string, string>;
  patientId?: string;
  specimenId?: string;
  samples?: SampleLink[];
  testType?: string;
  sequenceType?: string;
  /** Genome build of the positions, for a file that does not name it. */
  genomeBuild?: GenomeBuild;
  /** Only records whose FILTER is PASS or `.` (VCF, MAF). */
  passOnly?: boolean;
  /** `false` leaves out `variant_call` of a VCF. */
  variantCalls?: boolean;
  /** Reads: reference set of the alignment, for a header that does not name it. */
  referenceSetId?: string;
  /** References: for titles that do not name it. */
  assemblyId?: string;
  species?: string;
  sourceUri?: string;
  sourceAccessions?: string[];
  description?: string;
  /** Server or system that ids of FHIR resources are unique in; absent: the base of their full URLs, or none. */
  source?: string;
  /** Put before the ids of FHIR resources and in references to them, where another source has the same ids. */
  idPrefix?: string;
  /** Tables of a project's own: name and columns. */
  table?: OwnTableRequest;
  /** Annotation: kind and release, for files that do not name them. */
  annotation?: RequestedSource;
  /** `fail` (default): the first broken line ends it. `skip`: broken lines are counted and listed. */
  onError?: 'fail' | 'skip';
}

/** Gene models of a genome with its bases. */
export interface TaskGenome {
  /** Name of the file with the gene models. */
  name: string;
  genomeBuild?: GenomeBuild;
  /** Parquet file of `_gene_model`. */
  modelsPath: string;
  /** Files of bases, one byte each, with the sequences in them; `offset`: place of the first base. */
  references: {
    basesPath: string;
    sequences: readonly { name: string; length: number; offset: number }[];
  }[];
}

export interface ConversionTask {
  /** Key of the converter in the settings of the engine. */
  type: string;
  sourcePath: string;
  /** BAM: index file beside it. */
  indexPath?: string;
  /** Genomes for consequences of variants, the newest first. */
  genomes?: readonly TaskGenome[];
  /** Further files that are read. */
  besidePaths?: readonly string[];
  /** Annotation: files of the newest release of its source so far, with the source of each. */
  earlier?: readonly { table: string; source: string; path: string }[];
  /** Bytes of the source as stored. */
  sourceSize: number;
  /** Name of the file. The format follows from the content; the sample may follow from the name if the content does not name one. */
  sourceName: string;
  /** Empty folder of this run: Parquet files and temporaries go here. */
  outputFolder: string;
  /** Id of the set that this ingestion makes (`variant_set_id`, `copy_number_set_id` …). */
  setId: string;
  options: ConversionOptions;
}

/** A line that was skipped or repaired. */
export interface Warning {
  line?: number;
  message: string;
}

export interface Reporter {
  /** Bytes of the source read so far, rows written so far. */
  progress(bytes: number, rows: number): void;
  /** The first hundred are kept, all are counted. `omitted`: how many more there were after it. */
  warn(warning: Warning, omitted?: number): void;
  /** Takes the account of the records and names of the source, once, at the end. */
  account(account: Account): void;
}

/** One Parquet file made by a conversion. Tables whose name starts with `_` are internal. */
export interface ConvertedTable {
  table: string;
  path: string;
  rows: number;
  /** Genome build of the positions; absent if unknown, or without positions. */
  genomeBuild?: GenomeBuild;
  /** Source of the resources in `_resource`; empty for the project's own. */
  source?: string;
  /** Columns of a table that the project itself defines. */
  ownColumns?: readonly OwnColumn[];
  /** Digest of the file, if its writer computed it; the file need not be synced. */
  digest?: FileDigest;
  /** Values of its columns, if its writer noted them. */
  values?: WrittenValues;
}

/** Number of samples or patients, and the first names. */
export interface FoundNames {
  count: number;
  names: string[];
}

/** Samples and patients of a source, and what became of its records and names. */
export interface Found extends Partial<Account> {
  samples: FoundNames;
  patients: FoundNames;
}

/** Metadata that genomics keeps of the reads of a file. */
export interface ConvertedReads {
  kind: 'reads';
  format: 'BAM' | 'CRAM';
  /** Set if its bases are differences from a reference that is not in the file. */
  needsReference: boolean;
  /** The index that was built. */
  path: string;
  /** Number of sequences of the header that have a checksum. */
  checksumCount: number;
  /** References as NDJSON (`ReferenceSummary`), unless there are none or too many. */
  listPath?: string;
  /** Sequences of the header; `md5checksum` is empty if one has none. */
  sequences: ReferencesSummary;
  summary: ReadsSummary;
}

/** Metadata that genomics keeps of a FASTA. */
export interface ConvertedReferences {
  kind: 'references';
  /** All bases, one byte each, sequence after sequence. */
  path: string;
  /** The sequences as NDJSON (`ReferenceSummary`). */
  listPath: string;
  sequences: ReferencesSummary;
}

export type ConvertedGenomics = ConvertedReads | ConvertedReferences;

/** Rejects with `InputError` when the source is broken, which ends the ingestion `failed` with line and reason. */
export type Convert = (task: ConversionTask, sql: Sql, report: Reporter) => Promise<ConvertedTable[]>;

/** Converter without tables as its outcome. */
export type ConvertGenomics = (task: ConversionTask, report: Reporter) => Promise<ConvertedGenomics>;
