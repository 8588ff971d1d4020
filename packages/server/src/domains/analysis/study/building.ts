import type { AggregateOf } from './aggregates.ts';
import type { Bar } from './bars.ts';
import type { Cells } from './cells.ts';
import type { StudyStatement } from './filter.ts';

/** Part of a statement that computes one aggregate as JSON, and the conversion of that JSON to the result. */
export interface Part {
  /** SELECT of one row with one column of JSON. */
  sql: string;
  result: (json: never) => Record<string, unknown> | Promise<Record<string, unknown>>;
}

/** Statement, set of subjects and counts that an aggregate is built of. */
export interface Building {
  statement: StudyStatement;
  /** Relation of the matching subjects. */
  set: string;
  cells: Cells;
  /** Relation of the subjects of other groups, whose patients are in none of the curves. */
  elsewhere?: string;
  /** Bars of a numeric attribute, which depend on the unfiltered data. */
  bars: (aggregate: AggregateOf<'bins'>) => readonly Bar[];
}
