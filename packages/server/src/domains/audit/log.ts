import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import { prefixEnd } from '../../names.ts';
import type { PageRequest } from '../../paging.ts';
import type { Reader } from '../../platform/records/records.ts';
import type { AuditEventsTable, Database } from '../../platform/records/schema.ts';

/** Which events of an account are asked for; all that is given must hold. */
export interface EventFilter {
  account: string;
  /** Epoch milliseconds, inclusive. */
  from?: number | undefined;
  /** Epoch milliseconds, exclusive. */
  to?: number | undefined;
  /** Of whom one did it. */
  userIds?: string[] | undefined;
  /** Exact, or with a dot at its end all that begin with it. */
  action?: string | undefined;
  resource?: { type?: string | undefined; id: string } | undefined;
  outcome?: string | undefined;
}

const outcomes = ['done', 'refused'];
/** Events that one read looks at, so that a rare event in a big log holds nobody up. */
const chunkRows = 1000;

type Builder = ExpressionBuilder<Database, 'audit_events'>;
type Condition = (where: Builder) => Expression<SqlBool>;

/**
 * One event more than the page, newest first: by time, then by number. Each filter has an index in this order
 * (migrations/0006-audit.ts), so that a page of a log of millions reads little more than itself:
 *
 * - `resource`, else `user`: one walk; further filters look at what it meets.
 * - `action`, `outcome`: one walk for each pair of them, of which there are few; the newest of all of them are the page.
 * - no filter but time: one walk.
 */
export async function readEvents(
  read: Reader,
  filter: EventFilter,
  page: PageRequest,
  signal: AbortSignal,
): Promise<AuditEventsTable[]> {
  const { userIds, resource, action, outcome } = filter;
  if (resource !== undefined || userIds !== undefined) return walkAndLook(read, filter, page, signal);
  if (action === undefined && outcome === undefined) return walk(read, filter, [], page.after, page.size + 1);
  const found: AuditEventsTable[] = [];
  for (const name of await actionsOf(read, filter.account, action)) {
    for (const one of outcome === undefined ? outcomes : [outcome]) {
      const pair: Condition[] = [
        (where) => where('action', '=', name),
        (where) => where('outcome', '=', one),
      ];
      found.push(...(await walk(read, filter, pair, page.after, page.size + 1)));
    }
    signal.throwIfAborted();
  }
  return found
    .sort((one, other) => other.at - one.at || other.sequence - one.sequence)
    .slice(0, page.size + 1);
}

/** The events that meet the conditions, within the time, from a position on. */
async function walk(
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

/** Walks along one index and looks at each event, with a pause for others after each chunk. */
async function walkAndLook(
  read: Reader,
  filter: EventFilter,
  page: PageRequest,
  signal: AbortSignal,
): Promise<AuditEventsTable[]> {
  const { resource, userIds } = filter;
  const way: Condition =
    resource === undefined
      ? (where) => where('user_id', 'in', userIds ?? [''])
      : (where) => where('resource_id', '=', resource.id);
  const wanted = test(filter);
  const found: AuditEventsTable[] = [];
  const rowsMax = isOneWay(filter) ? page.size + 1 : chunkRows;
  for (let after = page.after; ; ) {
    const rows = await walk(read, filter, [way], after, rowsMax);
    for (const row of rows) if (found.length <= page.size && wanted(row)) found.push(row);
    const last = rows.at(-1);
    if (last === undefined || rows.length < rowsMax || found.length > page.size) return found;
    after = [last.at, last.sequence];
    await nextTurn();
    signal.throwIfAborted();
  }
}

/** Whether the walk meets nothing but what is wanted. */
function isOneWay({ resource, userIds, action, outcome }: EventFilter): boolean {
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

/** The actions that there are in a log, found by leaping along the index from one to the next. */
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
