import type { Bounds } from '@ploidy/formats/tables';

/** A Parquet file to write from the rows of others. */
export interface Rewrite {
  /** A SELECT written by us; the file keeps its order. */
  select: string;
  /** Exactly the files that it opens. */
  files: string[];
  /** Name in the task's folder. */
  path: string;
  /** Table of the rows, if the bounds of its columns are wanted. */
  table?: string;
}

export interface RewriteOutcome {
  rowCount: number;
  /** Bytes of the file. */
  size: number;
  sha256: string;
  bounds?: Bounds;
}

export interface RewriteTask {
  rewrites: Rewrite[];
  /** Empty scratch folder. */
  outputFolder: string;
}
