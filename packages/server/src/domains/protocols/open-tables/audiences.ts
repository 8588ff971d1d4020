import { Problem } from '../../../base/problem.ts';
import { countsMinOf, type Lake, type RowAccess, type RowRights } from '../../lake/index.ts';

/** Audience of readers who see all rows as they are: the files of a table are theirs. */
export const everyRow = '';

/**
 * Audiences of copies: readers with equal rows and masks share one. An object of a table is named for an audience, so its name opens
 * nothing for another one.
 */
export class Audiences {
  readonly #lake: Pick<Lake, 'ownTables'>;
  readonly #rights: RowRights;

  constructor({ lake, rights }: { lake: Pick<Lake, 'ownTables'>; rights: RowRights }) {
    this.#lake = lake;
    this.#rights = rights;
  }

  /** Returns the audience of an access to a table. Problem 403 where single rows are not shown. */
  async of(access: RowAccess, project: string, table: string): Promise<string> {
    if (access.real === true) return everyRow;
    if (!isShownRows(access)) throw onlyCounts();
    return this.#rights.digestOf(access, [table], await this.#lake.ownTables(project));
  }
}

/** Reports whether an access shows rows: masked ones with a minimum number of patients are counted only. */
export function isShownRows(access: RowAccess): boolean {
  return (access.real !== false || access.masked !== false) && (countsMinOf(access) ?? 0) === 0;
}

const onlyCounts = (): Problem =>
  new Problem(
    403,
    'FORBIDDEN',
    'Iceberg tables are rows, and you may see only counts of this project. Use a query or the Trino protocol.',
  );
