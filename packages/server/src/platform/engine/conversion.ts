import type { GenomeBuild, ReadsSummary, ReferencesSummary } from '@ploidy/formats';
import type { Seal } from './worker/digest.ts';

/**
 * The contract between an ingestion and the converters (one a format). A converter runs in a worker process, reads the
 * source by its path, and writes one Parquet file (zstd, sorted) a table into `outputFolder`, or what genomics keeps of reads
 * and references. It touches nothing else: what becomes visible is decided by the service in one transaction.
 */

/** A plain SQL connection to the worker's own engine instance. */
export interface Sql {
  /** As many as it may use (PLOIDY_THREADS); so may who converts. */
  readonly threads: number;
  /** How many rows an INSERT or a COPY wrote. */
  run(sql: string): Promise<number>;
  /** How many rows a relation (what may stand behind FROM) has. */
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

/** What the caller of POST /v1/ingestions may say about the data. */
export interface ConversionOptions {
  /** Name of the set; becomes no column. */
  name?: string;
  /** Sample of a file that names none, or the new name of the only sample. */
  sampleId?: string;
  patientId?: string;
  specimenId?: string;
  samples?: SampleLink[];
  testType?: string;
  sequenceType?: string;
  /** What the positions are on, where the file does not tell. */
  genomeBuild?: GenomeBuild;
  /** Only records whose FILTER is PASS or `.` (VCF, MAF). */
  passOnly?: boolean;
  /** Of reads: the reference set that they were aligned to, when the header does not tell. */
  referenceSetId?: string;
  /** Of references, where their titles do not say it. */
  assemblyId?: string;
  species?: string;
  sourceUri?: string;
  sourceAccessions?: string[];
  description?: string;
  /** `fail` (default): the first broken line ends it. `skip`: broken lines are counted and listed. */
  onError?: 'fail' | 'skip';
}

export interface ConversionTask {
  /** `annotated`: not a file of somebody, but a segment of `variant`. */
  type:
    | 'vcf'
    | 'maf'
    | 'copynumber'
    | 'fusion'
    | 'expression'
    | 'fhir'
    | 'annotation'
    | 'annotated'
    | 'bam'
    | 'fasta'
    | 'vcf-index';
  sourcePath: string;
  /** Of a BAM: an index that lies beside it. */
  indexPath?: string;
  /** Further files that are read. */
  besidePaths?: readonly string[];
  /** Bytes of the source as stored. */
  sourceSize: number;
  /** Name of the file. What the source is is told by its content; whose it is the name may tell where the content does not. */
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
  /** The first hundred are kept, all are counted. `unsaid`: how many more there were after it. */
  warn(warning: Warning, unsaid?: number): void;
}

/** One Parquet file made by a conversion. Tables whose name starts with `_` are internal. */
export interface ConvertedTable {
  table: string;
  path: string;
  rows: number;
  /** What its positions are on; absent when that is not known, or it has none. */
  genomeBuild?: GenomeBuild;
  /** What its file is, if whoever wrote it knows; it need not be on the disk for good. */
  seal?: Seal;
}

/** What genomics keeps of the reads of a BAM. */
export interface ConvertedReads {
  kind: 'reads';
  /** The index that was built. */
  path: string;
  /** How many sequences of the header have a checksum. */
  checksumCount: number;
  /** These as NDJSON (`ReferenceSummary`), unless they are none or too many. */
  listPath?: string;
  /** Of the header's sequences; `md5checksum` is empty when one has none. */
  sequences: ReferencesSummary;
  summary: ReadsSummary;
}

/** What genomics keeps of a FASTA. */
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

/** The same of what gives no tables. */
export type ConvertGenomics = (task: ConversionTask, report: Reporter) => Promise<ConvertedGenomics>;
