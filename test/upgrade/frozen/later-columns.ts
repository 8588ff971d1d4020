/**
 * Adds a column of each type to every table of the lake, as a later version does (`--import`). Files of the frozen
 * folder lack the columns. Converters bind theirs before, so files of this process lack them too.
 */
import '../../../packages/converters/src/fhir/file-tables.ts';
import '../../../packages/formats/src/fhir/index.ts';
import {
  type ColumnType,
  engineTypes,
  type Mask,
  storedTables,
  tables,
} from '../../../packages/formats/src/tables/index.ts';

for (const { columns } of new Set([...storedTables.values(), ...tables.values()]))
  for (const type of Object.keys(engineTypes) as ColumnType[]) {
    const column = { name: `later_${type}`, type, mask: 'none' as Mask, about: 'Added later.' };
    columns.push(column);
  }
