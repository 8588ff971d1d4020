import type { ExpressionBuilder } from 'kysely';
import type { Caller } from '../../access/caller.ts';
import { boundsOf, isNoneOf, listFilter } from '../../access/filter.ts';
import type { PageRequest } from '../../api/paging.ts';
import { nameBegins } from '../../base/names.ts';
import type { Reader, Transaction } from '../../platform/records/records.ts';
import type { FilesTable, UploadsTable } from '../../platform/records/schema.ts';
import { type Remover, rowsOf } from '../deletion/index.ts';

/** Files of an account among which a caller lists. */
export interface Visibility {
  account: string;
  /** Ids of own results that the caller may not read now: no list shows them. */
  uncovered: readonly string[];
}

/** Sort order of a list of files. */
export interface FileOrder {
  by: 'name' | 'size';
  descending: boolean;
}

interface FileListRequest extends Visibility {
  datasetId: string | undefined;
  /** Case-insensitive prefix. */
  name: string;
  order: FileOrder;
  page: PageRequest;
}

export async function findFile(read: Reader | Transaction, id: string): Promise<FilesTable | undefined> {
  return read.selectFrom('files').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Finds the file with exactly this name. */
export async function fileByName(
  read: Reader | Transaction,
  project: string,
  name: string,
): Promise<FilesTable | undefined> {
  return read
    .selectFrom('files')
    .selectAll()
    .where('project_id', '=', project)
    .where('name', '=', name)
    .executeTakeFirst();
}

/** Uploads whose bytes may have arrived: for a file, for a name, or unwritten ones of an account or project. */
export type OpenUploads =
  | { file: string }
  | { account: string; project: string; name: string }
  | { account: string; project: string | undefined };

/** Uploads checked during one request; a periodic task checks the rest. */
const openUploadsMax = 50;

/** Expiry of a revoked upload, whose file left the project: not even bytes in transit are accepted. */
export const endedAt = 0;

/** Returns the newest matching uploads in one piece that expire after `since`; parts are checked when they are joined. */
export async function openUploads(read: Reader, which: OpenUploads, since: number): Promise<UploadsTable[]> {
  let query = read
    .selectFrom('uploads')
    .selectAll()
    .where('expires_at', '>', since)
    .where('parts_size', 'is', null);
  if ('file' in which) query = query.where('file_id', '=', which.file);
  else {
    query = query.where('account_id', '=', which.account);
    if (which.project !== undefined) query = query.where('project_id', '=', which.project);
    if ('name' in which) query = query.where('name', '=', which.name);
    else query = query.where('arrived_tag', 'is', null);
  }
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(openUploadsMax).execute();
}

/** Records which bytes of an upload were processed; false if they were recorded before. */
export async function noteArrival(tx: Transaction, uploadId: string, tag: string): Promise<boolean> {
  const noted = await tx
    .updateTable('uploads')
    .set({ arrived_tag: tag })
    .where('id', '=', uploadId)
    .where((where) => where.or([where('arrived_tag', 'is', null), where('arrived_tag', '<>', tag)]))
    .executeTakeFirst();
  return noted.numUpdatedRows > 0n;
}

/** Projects and owners whose indexes are merged for a list. Each costs a little; beyond this the account's index is scanned. */
const rangesMax = 50;
/** Each merged index repeats all the caller's rules; SQLite accepts at most 32,766 parameters. */
const parametersMax = 5000;

/** Lists files that the caller may read, one row more than the page. The caller's rights are part of the query. */
export async function listFiles(read: Reader, caller: Caller, list: FileListRequest): Promise<FilesTable[]> {
  const { order, page } = list;
  const ranges = mergedRanges(read, caller, list) ?? [{ account_id: list.account }];
  const direction = order.descending ? 'desc' : 'asc';
  const rowsMax = page.size + 1;
  const rows = await ranges
    .map((range) => filesOf(read, caller, list, range))
    .reduce((all, more) => all.unionAll(more))
    .orderBy(columnOf(order), direction)
    .orderBy('id', direction)
    // A file can appear twice in a row: by its project and by its owner.
    .limit(ranges.length > 1 ? rowsMax * 2 : rowsMax)
    .execute();
  return rows.filter((row, at) => row.id !== rows[at - 1]?.id).slice(0, rowsMax);
}

/** Index range that holds files of a list. */
type IndexRange = Partial<Pick<FilesTable, 'account_id' | 'project_id' | 'owner_id'>>;

/**
 * Selects the ranges to merge. For a caller with few projects of a large account, it does not scan the account. `undefined`:
 * scan the account.
 */
function mergedRanges(read: Reader, caller: Caller, list: FileListRequest): IndexRange[] | undefined {
  // The account is checked through the project: a condition on it here makes SQLite choose the account's
  // index.
  if (list.datasetId !== undefined) return [{ project_id: list.datasetId }];
  const bounds = boundsOf(caller, list.account, 'readData', ['resource.dataset', 'resource.ownerId']);
  if (bounds === undefined) return undefined;
  const owners = new Set([caller.userId, ...bounds['resource.ownerId']]);
  const ranges: IndexRange[] = [
    ...[...owners].map((owner_id) => ({ owner_id })),
    ...bounds['resource.dataset'].map((project_id) => ({ project_id })),
  ];
  if (ranges.length > rangesMax) return undefined;
  const { parameters } = filesOf(read, caller, list, {}).compile();
  return ranges.length * parameters.length > parametersMax ? undefined : ranges;
}

function filesOf(
  read: Reader,
  caller: Caller,
  { account, uncovered, name, order, page }: FileListRequest,
  range: IndexRange,
) {
  const column = columnOf(order);
  const [value = '', id = ''] = page.after ?? [];
  const behind =
    page.after && order.by === 'name' ? { key: String(value), descending: order.descending } : undefined;
  const query = read
    .selectFrom('files')
    .selectAll()
    .where((where) => where.and(range))
    // Files of a project that is being removed are gone, even while their rows exist.
    .where((where) =>
      where.exists(
        where
          .selectFrom('projects')
          .select('projects.id')
          .whereRef('projects.id', '=', 'files.project_id')
          .where('projects.account_id', '=', account),
      ),
    )
    .where((where) => nameBegins(where.ref('name_key'), name, behind))
    .where((where) => visibleTo(where, caller, { account, uncovered }));
  if (!page.after) return query;
  return query.where(({ eb, refTuple, tuple }) =>
    eb(refTuple(column, 'id'), order.descending ? '<' : '>', tuple(value as never, String(id))),
  );
}

const columnOf = ({ by }: FileOrder): 'name_key' | 'size' => (by === 'name' ? 'name_key' : 'size');

type FilesBuilder = ExpressionBuilder<{ files: FilesTable }, 'files'>;

/** Selects files that the caller may read, as `Files.locateToRead` decides: by rights, or as results of own queries. */
export function visibleTo(where: FilesBuilder, caller: Caller, { account, uncovered }: Visibility) {
  const isOwnResult = where.and([where('origin', '=', 'query'), where('owner_id', '=', caller.userId)]);
  const readable = listFilter(caller, account, ['readData'], {
    columns: {
      'resource.dataset': where.ref('project_id'),
      'resource.id': where.ref('id'),
      // To own a result is no right to it (`attributesToRead`).
      'resource.ownerId': where.case().when(isOwnResult).then(null).else(where.ref('owner_id')).end(),
    },
    constants: { 'resource.account': account, 'resource.type': 'file' },
  });
  return where.or([where.and([isOwnResult, isNoneOf(where.ref('id'), uncovered)]), readable]);
}

/** Removes the files of a project: uploads first, so that no upload completes meanwhile. */
export const fileRemovers: readonly Remover[] = [
  rowsOf('project', 'buckets'),
  rowsOf('project', 'uploads'),
  rowsOf('project', 'upload_parts', { key: 'blob_key', blob: 'blob_key' }),
  rowsOf('project', 'files', { blob: 'blob_key' }),
];
