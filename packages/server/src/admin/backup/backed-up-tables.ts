import { AdminError, refuseFor } from '../../base/admin-error.ts';
import {
  firstStep,
  isBeforeFirst,
  stepsNamed,
  type TableShape,
  tablesAfter,
} from '../../platform/records/index.ts';
import type { Manifest } from './manifest.ts';

type Columns = readonly { name: string; columns: readonly string[] }[];

/** Steps before the rows of a backup are added, the tables that they make, and the columns of the backup. */
interface BackedUp {
  steps: readonly string[];
  tables: TableShape[];
}

/** Finds the tables of a backup. Refuses unknown steps, and tables other than those steps make. */
export async function backedUpTables({ migrations, tables }: Manifest): Promise<BackedUp> {
  if (isBeforeFirst(migrations)) return tablesBeforeFirst(tables);
  const shapes = await tablesAfter(known(migrations));
  if (form(shapes) !== form(tables))
    throw new AdminError('The backup is damaged: its manifest names other tables than its version has.');
  return { steps: migrations, tables: shapes };
}

function known(migrations: readonly string[]): ReturnType<typeof stepsNamed> {
  try {
    return stepsNamed(migrations);
  } catch (error) {
    return refuseFor(error);
  }
}

/**
 * Steps of builds before 0.1.0 ended in the tables of its first step, except some columns with a default. `identity` is left
 * out: every restore writes its own, and only it had a column that was removed.
 */
async function tablesBeforeFirst(tables: Columns): Promise<BackedUp> {
  const shapes = new Map((await tablesAfter(stepsNamed([firstStep]))).map((shape) => [shape.name, shape]));
  const foreign: string[] = [];
  const found = tables.flatMap(({ name, columns }) => {
    if (name === 'identity') return [];
    const shape = shapes.get(name);
    foreign.push(...columns.filter((one) => !shape?.columns.includes(one)).map((one) => `${name}.${one}`));
    return shape ? [{ ...shape, columns: [...columns] }] : [];
  });
  if (foreign.length > 0)
    throw new AdminError(
      `The backup is of a build before 0.1.0, with columns that no version has (${foreign.join(', ')}): it cannot be restored.`,
    );
  return { steps: [firstStep], tables: found };
}

const form = (tables: Columns): string => JSON.stringify(tables.map(({ name, columns }) => [name, columns]));
