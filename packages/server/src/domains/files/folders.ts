import { type RawBuilder, sql } from 'kysely';
import type { Caller } from '../../access/caller.ts';
import { prefixEnd } from '../../names.ts';
import type { PageRequest } from '../../paging.ts';
import type { Records } from '../../platform/records/records.ts';
import type { FilesTable } from '../../platform/records/schema.ts';
import { type FileView, viewOf } from './file.ts';
import { visibleTo } from './store.ts';

/** What stands on one level: a folder, by the beginning that the names in it share, or a file. */
export interface FolderEntry {
  /** Of a folder with the slash at its end. */
  name: string;
  file: FilesTable | undefined;
}

export type FolderEntryView = { type: 'FOLDER'; name: string } | ({ type: 'FILE' } & FileView);

export interface FolderRequest {
  account: string;
  project: string;
  /** What the names begin with; the level ends at the next slash behind it. */
  prefix: string;
  page: PageRequest;
}

export function viewOfEntry({ name, file }: FolderEntry): FolderEntryView {
  return file ? { type: 'FILE', ...viewOf(file) } : { type: 'FOLDER', name };
}

/**
 * One level of a project's names, by name; one entry more than the page. Each step finds the next name in the index at or behind
 * a bound, and sets the bound behind the whole folder that the name is in: a folder costs one step, however much is in it. What
 * the caller may not read makes neither a file nor a folder.
 */
export async function listFolder(
  { read, dialect }: Records,
  caller: Caller,
  { account, project, prefix, page }: FolderRequest,
): Promise<FolderEntry[]> {
  const next = (bound: RawBuilder<string>) =>
    read
      .selectFrom('files')
      .select(entryOf(dialect, prefix).as('entry'))
      .where('project_id', '=', project)
      .where('name', '>=', bound)
      .where('name', '<', prefixEnd(prefix))
      .where((where) => visibleTo(where, caller, account))
      .orderBy('name')
      .limit(1);
  const after = page.after?.[0];
  const first = after === undefined ? prefix : behind(String(after));
  const { rows } = await sql<{ entry: string } & (FilesTable | { id: null })>`
    with recursive level(entry, step) as (
      select (${next(sql`${first}`)}), 1
      union all
      select (${next(behindColumn(sql.ref('level.entry')))}), step + 1
      from level where entry is not null and step <= ${page.size}
    )
    select level.entry, files.*
    from level left join files on files.project_id = ${project} and files.name = level.entry
    where level.entry is not null
    order by level.step
  `.execute(read);
  return rows.map((row) => ({ name: row.entry, file: row.id === null ? undefined : row }));
}

/** The name itself, or what of it is the folder on this level. */
function entryOf(dialect: Records['dialect'], prefix: string): RawBuilder<string> {
  const name = sql.ref<string>('name');
  const length = [...prefix].length;
  const rest = sql`substr(${name}, ${length + 1})`;
  const slash = dialect === 'postgres' ? sql`strpos(${rest}, '/')` : sql`instr(${rest}, '/')`;
  return sql`case when ${slash} > 0 then substr(${name}, 1, ${length} + ${slash}) else ${name} end`;
}

/**
 * The least text behind an entry and everything in it. Names do not end with a slash and hold no control characters, so that
 * `a/` is a folder, whose names end before `a0` ('0' follows '/'), and what follows the file `a` is at least `a` and U+0001.
 */
function behind(entry: string): string {
  return entry.endsWith('/') ? `${entry.slice(0, -1)}0` : `${entry}\u0001`;
}

/** The same in SQL. */
function behindColumn(entry: RawBuilder<unknown>): RawBuilder<string> {
  return sql`case when substr(${entry}, length(${entry}), 1) = '/'
    then substr(${entry}, 1, length(${entry}) - 1) || '0' else ${entry} || ${'\u0001'} end`;
}
