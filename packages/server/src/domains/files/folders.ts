import { type RawBuilder, sql } from 'kysely';
import type { Caller } from '../../access/caller.ts';
import type { PageRequest } from '../../api/paging.ts';
import { prefixEnd } from '../../base/names.ts';
import type { Records } from '../../platform/records/records.ts';
import type { FilesTable } from '../../platform/records/schema.ts';
import { type FileView, viewOf } from './file.ts';
import { type Visibility, visibleTo } from './store.ts';

/** Entry of one folder level: a subfolder or a file. */
export interface FolderEntry {
  /** Ends with a slash for a folder. */
  name: string;
  file: FilesTable | undefined;
}

type FolderEntryView = { type: 'FOLDER'; name: string } | ({ type: 'FILE' } & FileView);

interface FolderRequest extends Visibility {
  project: string;
  /** Prefix of the names; the level ends at the next slash after it. */
  prefix: string;
  page: PageRequest;
}

export function viewOfEntry({ name, file }: FolderEntry): FolderEntryView {
  return file ? { type: 'FILE', ...viewOf(file) } : { type: 'FOLDER', name };
}

/** Lists the level below a prefix; below the slash behind it where the prefix is the name of a folder and nothing else begins so. */
export async function listPrefix(
  records: Records,
  caller: Caller,
  request: FolderRequest,
): Promise<FolderEntry[]> {
  const folder = { ...request, prefix: `${request.prefix}/` };
  const after = String(request.page.after?.[0] ?? '');
  // Names of the level itself end with the first slash behind the prefix.
  if (after.startsWith(folder.prefix) && after !== folder.prefix) return listFolder(records, caller, folder);
  const entries = await listFolder(records, caller, request);
  const isFolder = after === '' && entries.length === 1 && entries[0]?.name === folder.prefix;
  return isFolder ? listFolder(records, caller, folder) : entries;
}

/**
 * Lists one folder level by name, one entry more than the page. Each step seeks the first name at a bound in
 * the index, then moves the bound past that name's folder: a folder costs one seek, whatever its size. Files
 * that the caller may not read produce no entry.
 */
async function listFolder(
  { read, dialect }: Records,
  caller: Caller,
  { account, uncovered, project, prefix, page }: FolderRequest,
): Promise<FolderEntry[]> {
  const next = (bound: RawBuilder<string>) =>
    read
      .selectFrom('files')
      .select(entryOf(dialect, prefix).as('entry'))
      .where('project_id', '=', project)
      .where('name', '>=', bound)
      .where('name', '<', prefixEnd(prefix))
      .where((where) => visibleTo(where, caller, { account, uncovered }))
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

/** Selects the file's name, or the prefix of it that is a folder on this level. */
function entryOf(dialect: Records['dialect'], prefix: string): RawBuilder<string> {
  const name = sql.ref<string>('name');
  const length = [...prefix].length;
  const rest = sql`substr(${name}, ${length + 1})`;
  const slash = dialect === 'postgres' ? sql`strpos(${rest}, '/')` : sql`instr(${rest}, '/')`;
  return sql`case when ${slash} > 0 then substr(${name}, 1, ${length} + ${slash}) else ${name} end`;
}

/**
 * Returns the smallest string after an entry and everything in it. Names end with no slash and hold no
 * control characters: names in `a/` end before `a0` ('0' follows '/'), and names after the file `a` are at
 * least `a` and U+0001.
 */
function behind(entry: string): string {
  return entry.endsWith('/') ? `${entry.slice(0, -1)}0` : `${entry}\u0001`;
}

/** `behind` as an SQL expression. */
function behindColumn(entry: RawBuilder<unknown>): RawBuilder<string> {
  return sql`case when substr(${entry}, length(${entry}), 1) = '/'
    then substr(${entry}, 1, length(${entry}) - 1) || '0' else ${entry} || ${'\u0001'} end`;
}
