import * as clinical from './clinical.ts';
import { sequence, variant } from './omic.ts';
import type { Table } from './table.ts';

export type { Column, ColumnType, Mask, Table } from './table.ts';
export { engineTypes } from './table.ts';

/** Every table that a project may have, by name (specification, "Data lake records"). */
export const tables: ReadonlyMap<string, Table> = new Map(
  [variant, sequence, ...Object.values(clinical)].map((table) => [table.name, table]),
);
