/** Key by which values of a source are matched. */
type MatchedBy = 'allele' | 'region' | 'gene';

/** Column of a table, under any of its names in releases of the source. */
export type SourceColumn = string | readonly string[];

/** Value of a source. */
interface SourceValue {
  /** `name` in `annotation_value`. */
  name: string;
  /** Number with its class beside it, or either of them. */
  number?: SourceColumn;
  text?: SourceColumn;
  /** Columns whose texts are written one after the other. */
  joined?: readonly SourceColumn[];
  /** Sentence for the documents. */
  about: string;
}

interface KindBase {
  /** `kind` in `annotation_source`, and in requests. */
  name: string;
  /** Name of the source, by which its releases are compared; absent: that of the request or of the file. */
  source?: string;
  matchedBy: MatchedBy;
  /** Version within the name of a file. */
  versionInName?: RegExp;
  /** Columns of `variant` and names of values whose changes between two releases are listed. */
  watched: readonly string[];
  /** Lines of a release, and what becomes of its record. */
  example: { lines: readonly string[]; file?: string; release?: string; row: string };
}

/** VCF of alleles, which fills columns of `variant`. */
export interface VcfKind extends KindBase {
  form: 'vcf';
  /** Patterns of lines of the header: a release has a line for each. */
  recognised: readonly RegExp[];
  /** Version in a line of the header. */
  versionInHeader?: RegExp;
  /** INFO key whose entries, `allele|gene|number|…`, become values: the greatest of the numbers. */
  listed?: { key: string; numbers: readonly [first: number, last: number]; value: SourceValue };
}

/** Columns of a table that hold the keys of its values. */
interface SourceKeys {
  chromosome?: SourceColumn;
  /** Columns by genome build, where releases have several. */
  position?: SourceColumn | { GRCh37: SourceColumn; GRCh38: SourceColumn };
  end?: SourceColumn;
  reference?: SourceColumn;
  alternate?: SourceColumn;
  gene?: SourceColumn;
  transcript?: SourceColumn;
  /** Changes of proteins, `V600E`, or residues, `V600`. */
  protein?: SourceColumn;
  /** Genome build of the row; rows on another build than the file's are left out. */
  build?: SourceColumn;
}

/** Table with titles, separated by tabs or commas. */
export interface TableKind extends KindBase {
  form: 'table';
  /** Columns that no other kind has together. */
  recognised: readonly SourceColumn[];
  /** Genome build of all releases. */
  genomeBuild?: 'GRCh38';
  keys: SourceKeys;
  values: readonly SourceValue[];
  /** Rows that are left out, by a column and its words in lower case. */
  without?: readonly { column: SourceColumn; words: readonly string[] }[];
  /** Columns of `variant` that it fills, by name. */
  fills?: Readonly<Record<string, SourceColumn>>;
}

/** Lists without titles: regions (BED), sets of genes (GMT), one gene a line. */
export interface ListKind extends KindBase {
  form: 'bed' | 'gmt' | 'genes';
  values: readonly SourceValue[];
}

export type SourceKind = VcfKind | TableKind | ListKind;
