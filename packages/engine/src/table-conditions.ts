/** Values that a column has in every row that matters to a statement. Limits are inclusive. */
export type Condition = { column: string } & ({ among: string[] } | { from?: number; to?: number });

/** Conditions by table, for each place where a statement reads it; all hold on the rows that it uses there. */
export type TableConditions = Record<string, Condition[][]>;

/** A table as a statement sees it, without its rows. */
export interface TableShape {
  name: string;
  /** `type`: as the engine writes it. */
  columns: { name: string; type: string }[];
  rowCount: number;
}
