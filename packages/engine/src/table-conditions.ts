/** Values that a column has in every row that matters to a statement. Limits are inclusive. */
export type Condition = { column: string } & ({ among: string[] } | { from?: number; to?: number });

/** Conditions by table, for each place where a statement reads it; all hold on the rows that it uses there. */
export type TableConditions = Record<string, Condition[][]>;
