import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import type { PageRequest } from '../../api/paging.ts';
import { prefixEnd } from '../../base/names.ts';
import type { Reader } from '../../platform/records/records.ts';
import type { AuditEventsTable, Database } from '../../platform/records/schema.ts';

/** Filter of an account's events; all given fields must match. */
export interface EventFilter {
  account: string;
  /** Epoch milliseconds, inclusive. */
  from?: number | undefined;
  /** Epoch milliseconds, exclusive. */
  to?: number | undefined;
  /** Actors: any of these. */
  userIds?: string[] | undefined;
  /** Exact, or a prefix that ends in a dot. */
  action?: string | undefined;
  resource?: { type?: string | undefined; id: string } | undefined;
  outcome?: string | undefined;
}

const outcomes = ['done', 'refused'];
/** Rows a read scans per query, so that a rare event in a big log blocks no other request. */
const chunkRows = 1000;

type Builder = ExpressionBuilder<Database, 'audit_events'>;
type Condition = (where: Builder) => Expression<SqlBool>;

/**
 * Reads one event more than the page, newest first: by time, then by number. Each filter has an index in this
 * order (migrations/initial/identity.ts): a page of a log of millions reads little more than itself. `resource`,
 * else `user`: one scan, which checks the other filters. `action`, `outcome`: one scan for each of their few
 * pairs, merged. Time only: one scan.
 */
export async function readEvents(
  read: Reader,
  filter: EventFilter,
  page: PageRequest,
  signal: AbortSignal,
): Promise<AuditEventsTable[]> {
  const { userIds, resource, action, outcome } = filter;
  if (resource !== undefined || userIds !== undefined) return scanAndFilter(read, filter, page, signal);
  if (action === undefined && outcome === undefined) return scan(read, filter, [], page.after, page.size + 1);
  const found: AuditEventsTable[] = [];
  for (const name of await actionsOf(read, filter.account, action)) {
    for (const one of outcome === undefined ? outcomes : [outcome]) {
      const pair: Condition[] = [
        (where) => where('action', '=', name),
        (where) => where('outcome', '=', one),
      ];
      found.push(...(await scan(read, filter, pair, page.after, page.size + 1)));
    }
    signal.throwIfAborted();
  }
  return found
    .sort((one, other) => other.at - one.at || other.sequence - one.sequence)
    .slice(0, page.size + 1);
}

/** Selects matching events within the time range, after a position. */
async function scan(
  read: Reader,
  { account, from, to }: EventFilter,
  conditions: Condition[],
  after: PageRequest['after'],
  rowsMax: number,
): Promise<AuditEventsTable[]> {
  let query = read.selectFrom('audit_events').selectAll().where('account_id', '=', account);
  for (const condition of conditions) query = query.where((where) => condition(where));
  if (from !== undefined) query = query.where('at', '>=', from);
  if (to !== undefined) query = query.where('at', '<', to);
  if (after) {
    const [at, sequence] = [Number(after[0]), Number(after[1])];
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('at', 'sequence'), '<', tuple(at, sequence)),
    );
  }
  return query.orderBy('at', 'desc').orderBy('sequence', 'desc').limit(rowsMax).execute();
}

/** Scans an index and filters its events, with a pause for other requests after each chunk. */
async function scanAndFilter(
  read: Reader,
  filter: EventFilter,
  page: PageRequest,
  signal: AbortSignal,
): Promise<AuditEventsTable[]> {
  const { resource, userIds } = filter;
  const inIndex: Condition =
    resource === undefined
      ? (where) => where('user_id', 'in', userIds ?? [''])
      : (where) => where('resource_id', '=', resource.id);
  const wanted = test(filter);
  const found: AuditEventsTable[] = [];
  const rowsMax = isExact(filter) ? page.size + 1 : chunkRows;
  for (let after = page.after; ; ) {
    const rows = await scan(read, filter, [inIndex], after, rowsMax);
    for (const row of rows) if (found.length <= page.size && wanted(row)) found.push(row);
    const last = rows.at(-1);
    if (last === undefined || rows.length < rowsMax || found.length > page.size) return found;
    after = [last.at, last.sequence];
    await nextTurn();
    signal.throwIfAborted();
  }
}

/** Reports whether the scan yields matching events only. */
function isExact({ resource, userIds, action, outcome }: EventFilter): boolean {
  const filters = [resource?.id, resource?.type, userIds, action, outcome];
  return filters.filter((one) => one !== undefined).length === 1;
}

function test({ resource, userIds, action, outcome }: EventFilter): (row: AuditEventsTable) => boolean {
  const ofAction = action?.endsWith('.')
    ? (name: string) => name.startsWith(action)
    : (name: string) => name === action;
  return (row) =>
    (resource?.type === undefined || row.resource_type === resource.type) &&
    (userIds === undefined || userIds.includes(row.user_id ?? '')) &&
    (action === undefined || ofAction(row.action)) &&
    (outcome === undefined || row.outcome === outcome);
}

/** Lists the distinct actions of a log by skipping along the index. */
async function actionsOf(read: Reader, account: string, wanted: string | undefined): Promise<string[]> {
  if (wanted !== undefined && !wanted.endsWith('.')) return [wanted];
  const prefix = wanted ?? '';
  const found: string[] = [];
  for (let after: string | undefined; ; ) {
    const row = await read
      .selectFrom('audit_events')
      .select('action')
      .where('account_id', '=', account)
      .where('action', after === undefined ? '>=' : '>', after ?? prefix)
      .where('action', '<', prefixEnd(prefix))
      .orderBy('action')
      .limit(1)
      .executeTakeFirst();
    if (!row) return found;
    found.push(row.action);
    after = row.action;
  }
}
