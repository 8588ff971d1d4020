import { ownTable, readOwnColumns, type Table } from '@ploidy/formats/tables';
import { conflict } from '../../../base/problem.ts';
import type { Reader, Transaction } from '../../../platform/records/records.ts';
import type { Arriving } from './arriving-resources.ts';

/** Finds an arriving table of the project's own whose name another file of the project has taken. */
async function takenName(
  read: Reader | Transaction,
  { project, fileId, segments }: Arriving,
): Promise<string | undefined> {
  const names = segments.flatMap(({ table, ownColumns }) => (ownColumns ? [table] : []));
  if (names.length === 0) return undefined;
  const other = await read
    .selectFrom('segments')
    .select('table_name')
    .where('project_id', '=', project)
    .where('table_name', 'in', names)
    .where('source_file_id', '!=', fileId)
    .where('removed_version', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return other?.table_name;
}

/** Problem 409 if another file of the project fills a table of a name that arrives. */
export async function requireFreeNames(read: Reader | Transaction, arriving: Arriving): Promise<void> {
  const name = await takenName(read, arriving);
  if (name === undefined) return;
  const message = `The project has a table ${name} of another file: a table is of one file. Give it another name (table.name), or replace that file.`;
  throw conflict('TABLE_EXISTS', message);
}

/** Reports whether the names are free. Called in the transaction that publishes the rows. */
export async function hasFreeNames(tx: Transaction, arriving: Arriving): Promise<boolean> {
  return (await takenName(tx, arriving)) === undefined;
}

/**
 * Problem 409 if a file is a table of the project's own: its rows cannot stay without it, since nothing could
 * replace or remove them.
 */
export async function requireNoOwnTable(tx: Transaction, fileId: string): Promise<void> {
  const own = await tx
    .selectFrom('segments')
    .select('table_name')
    .where('source_file_id', '=', fileId)
    .where('own_columns', 'is not', null)
    .where('removed_version', 'is', null)
    .limit(1)
    .executeTakeFirst();
  if (!own) return;
  throw conflict('TABLE_OF_FILE', 'The file is a table, which goes with it: delete it without keepRows.');
}

/** Returns the tables that a project defines itself, at present or in a version of its lake. */
export async function ownTablesAt(
  read: Reader | Transaction,
  project: string,
  version?: number,
): Promise<ReadonlyMap<string, Table>> {
  const own = read
    .selectFrom('segments')
    .select(['table_name', 'own_columns'])
    .where('project_id', '=', project)
    .where('own_columns', 'is not', null);
  const there =
    version === undefined
      ? own.where('removed_version', 'is', null)
      : own
          .where('added_version', '<=', version)
          .where((where) =>
            where.or([where('removed_version', 'is', null), where('removed_version', '>', version)]),
          );
  const rows = await there.execute();
  return new Map(
    rows.map(({ table_name: name, own_columns: columns }) => [
      name,
      ownTable(name, readOwnColumns(columns ?? '[]')),
    ]),
  );
}
