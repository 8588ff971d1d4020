import type { Dictionary } from '../../../parquet/index.ts';
import type { Allele } from '../alleles/allele.ts';
import type { AnnotationFields } from '../annotations/annotation-fields.ts';
import type { InfoValues } from '../info-values.ts';
import type { RecordLine } from '../record-line.ts';
import type { Stretch } from './identifiers.ts';

/** Source of the values of a row. */
export interface RowContext {
  line: RecordLine;
  values: InfoValues;
  allele: Allele;
  /** Annotation of the row, if any. */
  chosen: AnnotationFields | undefined;
  /** Gene of the annotation; empty without one. */
  gene: Stretch;
  /** Number from 1. */
  alternate: number;
  /** Set by a column whose value was left out, because its alternate is unknown. */
  isUnclear: boolean;
}

/** Writer of a column: it returns the index of the value in `texts`, to which a new value is added; -1 is NULL. */
export type WriteColumn = (context: RowContext, texts: Dictionary) => number;

/** Column with its writer. */
export interface RowColumn {
  write: WriteColumn;
  /** Bits of slots (`InfoValues.present`); the column is NULL in a record without any of them. 0: always written. */
  needs: number;
}
