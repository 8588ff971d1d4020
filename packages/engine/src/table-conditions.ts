/** Values that a column has in every row that matters to a statement. Limits are inclusive. */
export type Condition = { column: string } & (
  | { among: string[] }
  | { from?: number; to?: number }
  | { of: ConditionSource }
);

/** Column of another table whose values are the ones that count, in the rows under these conditions. */
export interface ConditionSource {
  table: string;
  column: string;
  where: Condition[];
}

/** Conditions by table, for each place where a statement reads it; all hold on the rows that it uses there. */
export type TableConditions = Record<string, Condition[][]>;
