import type { Header } from '../delimited/index.ts';
import type { Row } from '../parquet/index.ts';
import type { GenomeBuild } from '../vcf/assemblies.ts';

/** Types of tabular files, by the names of ingestions. */
export type TabularType = 'maf' | 'copynumber' | 'fusion' | 'expression';

/** Table of the rows of each type, and its column for the id of the set. */
export const tableOfType: Readonly<Record<TabularType, { table: string; setColumn: string }>> = {
  maf: { table: 'variant', setColumn: 'variant_set_id' },
  copynumber: { table: 'copynumber', setColumn: 'copy_number_set_id' },
  fusion: { table: 'fusion', setColumn: 'fusion_set_id' },
  expression: { table: 'gene', setColumn: 'rna_quantification_set_id' },
};

/** Facts about a file before its records are read. */
export interface Opening {
  header: Header;
  /** The first records. */
  records: readonly (readonly string[])[];
  /** Lines before the header, without `#`. */
  comments: readonly string[];
  fileName: string;
  /** The header begins with `#`. */
  isMarked: boolean;
  /** Id of the set that the ingestion makes. */
  setId: string;
  /** Only records that passed their filters. */
  passOnly: boolean;
  /** Set if the request names this type: an ambiguous file is then read as it. */
  isTypeNamed: boolean;
}

/** Columns of a file whose values may be wrong. */
export interface Doubt {
  /** Table of the columns; absent: that of the type. */
  table?: string;
  columns: readonly string[];
  message: string;
}

/** A file of a known format. */
export interface OpenFile {
  /**
   * Rows of one record. `sample_id` is the sample's name in the file, absent where the file does not name it; the id of the set is left
   * out. Throws `RecordFault`.
   */
  rows(fields: readonly string[]): Row[];
  /** The file names no sample: all records are of one. */
  isOneSample?: boolean;
  /** Samples that the file names outside of its records. */
  samples?: readonly string[];
  /** The first line is a record already. */
  isHeaderless?: boolean;
  /** The file marks the records that passed their filters. */
  hasFilter?: boolean;
  /** The rows have columns of `variant_call` as well. */
  hasCalls?: boolean;
  /** The rows have a `driver`: the judgement of the source. */
  hasDrivers?: boolean;
  /** Kind of the sequences, if the format implies one. */
  sequenceType?: string;
  /** Genome build of the positions, known after the last record if the file identifies it. */
  genomeBuild?(): GenomeBuild | undefined;
  /** Columns whose values turned out uncertain, after the last record: they become NULL, and the message is a warning. */
  doubts?(): Doubt[];
  /** Set if only their form suggests that the values are counts, after the last record. */
  isGuess?(): boolean;
  /** Warnings about the file, after the last record. Throws `InputError` where records are missing. */
  remarks?(): string[];
}

/** Format of lines of columns. */
export interface TabularFormat {
  type: TabularType;
  /** Name in messages. */
  name: string;
  /** The header may begin with `#`, as comments do. */
  marksHeader?: boolean;
  /** Set if the format handles row names before its columns itself. */
  readsRowNames?: boolean;
  /** Undefined for a file of another format. Throws `InputError` for other output of its program, which other formats would misread. */
  open(opening: Opening): OpenFile | undefined;
}
