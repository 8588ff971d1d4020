import type { ExpressionBuilder } from 'kysely';
import type { Caller } from '../../access/caller.ts';
import { boundsOf, listFilter } from '../../access/filter.ts';
import { nameBegins } from '../../names.ts';
import type { PageRequest } from '../../paging.ts';
import type { Reader, Transaction } from '../../platform/records/records.ts';
import type { FilesTable, UploadsTable } from '../../platform/records/schema.ts';

/** How a list of files is sorted. */
export interface FileOrder {
  by: 'name' | 'size';
  descending: boolean;
}

export interface FileListRequest {
  account: string;
  datasetId: string | undefined;
  /** Prefix, without regard to case. */
  name: string;
  order: FileOrder;
  page: PageRequest;
}

export async function findFile(read: Reader | Transaction, id: string): Promise<FilesTable | undefined> {
  return read.selectFrom('files').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The file under exactly this name. */
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

/** Promises that may have been kept: of a file, of a name, or those of a list of files of which nothing has come yet. */
export type OpenUploads =
  | { file: string }
  | { account: string; project: string; name: string }
  | { account: string; project: string | undefined };

/** How many promises are looked after while somebody waits; a ticker sees to the rest. */
const openUploadsMax = 50;

/** When an upload expires that takes nothing more, not even what is on its way: its file has left the project. */
export const endedAt = 0;

/** The newest of them that expire after `since`; of uploads in one piece, since parts are asked for when they are joined. */
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

/** Remembers which bytes of an upload were dealt with; false when somebody has done so before. */
export async function noteArrival(tx: Transaction, uploadId: string, tag: string): Promise<boolean> {
  const noted = await tx
    .updateTable('uploads')
    .set({ arrived_tag: tag })
    .where('id', '=', uploadId)
    .where((where) => where.or([where('arrived_tag', 'is', null), where('arrived_tag', '<>', tag)]))
    .executeTakeFirst();
  return noted.numUpdatedRows > 0n;
}

/** Up to so many projects and owners have their files merged in the order of a list; each costs a little, so who may read more walks those of the account. */
const mergedWaysMax = 50;
/** Each of them asks for all of the caller's rights again, and a store takes only so many values (SQLite: 32,766). */
const mergedParametersMax = 5000;

/** One row more than the page, of the files that the caller may read: his rights are part of the query. */
export async function listFiles(read: Reader, caller: Caller, list: FileListRequest): Promise<FilesTable[]> {
  const { order, page } = list;
  const ways = mergedWays(read, caller, list) ?? [{ account_id: list.account }];
  const direction = order.descending ? 'desc' : 'asc';
  const rowsMax = page.size + 1;
  const rows = await ways
    .map((way) => filesOf(read, caller, list, way))
    .reduce((all, more) => all.unionAll(more))
    .orderBy(columnOf(order), direction)
    .orderBy('id', direction)
    // A file may come twice, one after the other: by its project and by its owner.
    .limit(ways.length > 1 ? rowsMax * 2 : rowsMax)
    .execute();
  return rows.filter((row, at) => row.id !== rows[at - 1]?.id).slice(0, rowsMax);
}

/** Where the files of a list are, each in the order of an index. */
type Way = Partial<Pick<FilesTable, 'account_id' | 'project_id' | 'owner_id'>>;

/**
 * Who may read some projects of a large account, and what is his own, must not wait for a walk along all the others. `undefined`:
 * nothing else leads there.
 */
function mergedWays(read: Reader, caller: Caller, list: FileListRequest): Way[] | undefined {
  // The account is looked at in the project: here it would draw SQLite into the index of all its files.
  if (list.datasetId !== undefined) return [{ project_id: list.datasetId }];
  const bounds = boundsOf(caller, list.account, 'readData', ['resource.dataset', 'resource.ownerId']);
  if (bounds === undefined) return undefined;
  const owners = new Set([caller.userId, ...bounds['resource.ownerId']]);
  const ways: Way[] = [
    ...[...owners].map((owner_id) => ({ owner_id })),
    ...bounds['resource.dataset'].map((project_id) => ({ project_id })),
  ];
  if (ways.length > mergedWaysMax) return undefined;
  const { parameters } = filesOf(read, caller, list, {}).compile();
  return ways.length * parameters.length > mergedParametersMax ? undefined : ways;
}

function filesOf(read: Reader, caller: Caller, { account, name, order, page }: FileListRequest, way: Way) {
  const column = columnOf(order);
  const [value = '', id = ''] = page.after ?? [];
  const behind =
    page.after && order.by === 'name' ? { key: String(value), descending: order.descending } : undefined;
  const query = read
    .selectFrom('files')
    .selectAll()
    .where((where) => where.and(way))
    // The files of a project that is being removed are gone, whatever rows of it are still there.
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
    .where((where) => visibleTo(where, caller, account));
  if (!page.after) return query;
  return query.where(({ eb, refTuple, tuple }) =>
    eb(refTuple(column, 'id'), order.descending ? '<' : '>', tuple(value as never, String(id))),
  );
}

const columnOf = ({ by }: FileOrder): 'name_key' | 'size' => (by === 'name' ? 'name_key' : 'size');

type FilesBuilder = ExpressionBuilder<{ files: FilesTable }, 'files'>;

/** Files that the caller may read: by his rights, or as the results of his own queries. */
export function visibleTo(where: FilesBuilder, caller: Caller, account: string) {
  return where.or([where.and(ownResult(where, caller)), readable(where, caller, account)]);
}

function ownResult(where: FilesBuilder, caller: Caller) {
  return [where('origin', '=', 'query'), where('owner_id', '=', caller.userId)];
}

function readable(where: FilesBuilder, caller: Caller, account: string) {
  return listFilter(caller, account, ['readData'], {
    columns: {
      'resource.dataset': where.ref('project_id'),
      'resource.id': where.ref('id'),
      'resource.ownerId': where.ref('owner_id'),
    },
    constants: { 'resource.account': account, 'resource.type': 'file' },
  });
}
