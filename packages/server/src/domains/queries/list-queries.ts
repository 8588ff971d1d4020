import type { Caller } from '../../access/caller.ts';
import { listFilter } from '../../access/filter.ts';
import type { PageRequest } from '../../api/paging.ts';
import { prefixEnd } from '../../base/names.ts';
import type { Reader } from '../../platform/records/records.ts';
import type { QueriesTable } from '../../platform/records/schema-lake.ts';
import { attributesOfTables } from '../lake/index.ts';

/** Filter of the history. */
export interface HistoryFilter {
  state?: QueriesTable['state'];
  userId?: string;
  /** Prefix of the name of the output file. */
  outputFileName?: string;
  /** Epoch milliseconds, inclusive. */
  startedFrom?: number;
  /** Exclusive. */
  startedBefore?: number;
}

/** Account, or project in it, whose queries are listed. */
export interface HistoryPlace {
  account: string;
  /** Id of the project; absent: all projects of the account. */
  id?: string;
}

/** Lists queries that the caller may read, newest first, one row more than the page. */
export async function listQueries(
  read: Reader,
  caller: Caller,
  place: HistoryPlace,
  page: PageRequest,
  filter: HistoryFilter,
): Promise<QueriesTable[]> {
  const { account, id: project } = place;
  const about = attributesOfTables({ account_id: account, project_id: project ?? '' });
  const { state, userId, outputFileName, startedFrom, startedBefore } = filter;
  let query = read
    .selectFrom('queries')
    .selectAll()
    .where((where) => {
      const readable = listFilter(caller, account, ['readData', 'readMaskedData'], {
        columns: {
          'resource.dataset': where.ref('project_id'),
          'resource.id': where.ref('id'),
          'resource.ownerId': where.ref('user_id'),
        },
        constants: { 'resource.account': account, 'resource.type': 'query' },
      });
      // Users who may query can always follow their own queries.
      return project !== undefined && caller.rows('lake.readOwnQuery', about) === false
        ? readable
        : where.or([readable, where('user_id', '=', caller.userId)]);
    })
    .orderBy('id', 'desc')
    .limit(page.size + 1);
  query =
    project === undefined ? query.where('account_id', '=', account) : query.where('project_id', '=', project);
  if (page.after) query = query.where('id', '<', String(page.after[0]));
  if (state !== undefined) query = query.where('state', '=', state);
  if (userId !== undefined) query = query.where('user_id', '=', userId);
  if (startedFrom !== undefined) query = query.where('started_at', '>=', startedFrom);
  if (startedBefore !== undefined) query = query.where('started_at', '<', startedBefore);
  if (outputFileName !== undefined) {
    query = query
      .where('output_file_name', '>=', outputFileName)
      .where('output_file_name', '<', prefixEnd(outputFileName));
    // The names of other queries are hidden from the caller (`viewOfQuery`).
    if (!caller.may('lake.read', about))
      query = query.where((where) =>
        where.or([where('masked', '=', 1), where('user_id', '=', caller.userId)]),
      );
  }
  return query.execute();
}
