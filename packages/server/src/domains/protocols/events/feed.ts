import { Type } from 'typebox';
import type { Caller } from '../../../access/caller.ts';
import type { ResourceAttributes } from '../../../access/resource.ts';
import { optionalText, textOf, timestampShape } from '../../../api/shapes.ts';
import { timestamp } from '../../../base/ids.ts';
import type { Reader } from '../../../platform/records/records.ts';
import type { AuditEventsTable } from '../../../platform/records/schema.ts';
import { isInView } from '../../files/projects/index.ts';
import { announcedActions, announcedAs, type EventKind, eventKinds } from './event-kinds.ts';

/** Message about an event, as webhooks and streams send it: ids and codes, never names or health data. */
export interface Message {
  type: EventKind | 'webhook.test';
  timestamp: string;
  data: {
    accountId: string;
    datasetId?: string;
    resource: { type: string; id?: string };
    userId?: string;
    outcome?: 'succeeded' | 'failed';
    code?: string;
  };
}

/** Event of an account, from an entry of its audit log. */
export interface AccountEvent {
  /** Number in the audit log of the account. */
  sequence: number;
  action: string;
  message: Message;
}

/** Entries of the audit log that one read covers. */
const rangeMax = 500;

const kindList = [...eventKinds].map(([kind, says]) => `\`${kind}\`: ${says}`).join('; ');

/** Kind of an event in requests. */
export const kindShape = Type.Unsafe<EventKind>({
  type: 'string',
  enum: [...eventKinds.keys()],
  description: `Kind of an event. ${kindList}`,
});

/** Message in the API document. */
export const messageShape = Type.Object(
  {
    type: Type.String({ description: 'Kind of the event, or `webhook.test`' }),
    timestamp: timestampShape,
    data: Type.Object(
      {
        accountId: textOf('Id of the account'),
        datasetId: optionalText('Id of the project; absent outside projects'),
        resource: Type.Object(
          { type: textOf('Type of the resource'), id: optionalText('Id of the resource') },
          { description: 'Resource of the event' },
        ),
        userId: optionalText('Id of the user who acted; absent if unknown'),
        outcome: Type.Optional(
          Type.String({ enum: ['succeeded', 'failed'], description: 'Outcome of work that ended' }),
        ),
        code: optionalText('Code of a failure'),
      },
      { description: 'Ids and codes; the API answers the rest to those who may read it' },
    ),
  },
  { title: 'EventMessage', description: 'Event: what happened, without names and health data' },
);

/** Returns the number of the last entry in the audit log of an account. */
export async function headOf(read: Reader, account: string): Promise<number> {
  const head = await read
    .selectFrom('audit_heads')
    .select('sequence')
    .where('account_id', '=', account)
    .executeTakeFirst();
  return head?.sequence ?? 0;
}

/**
 * Reads the events behind a position, oldest first; `position` is where the next read goes on. Entries are numbered without a
 * gap, in the order of their commits: every event is read once.
 */
export async function readFeed(
  read: Reader,
  account: string,
  after: number,
  project?: string,
): Promise<{ events: AccountEvent[]; position: number; isEnd: boolean }> {
  const head = await headOf(read, account);
  const position = Math.max(after, Math.min(after + rangeMax, head));
  if (position === after) return { events: [], position, isEnd: true };
  let entries = read
    .selectFrom('audit_events')
    .select(['account_id', 'sequence', 'at', 'user_id', 'action', 'resource_type', 'resource_id'])
    .select(['project_id', 'details'])
    .where('account_id', '=', account)
    .where('sequence', '>', after)
    .where('sequence', '<=', position)
    .where('outcome', '=', 'done')
    .where('action', 'in', announcedActions)
    .orderBy('sequence');
  if (project !== undefined) entries = entries.where('project_id', '=', project);
  const rows = await entries.execute();
  return { events: rows.flatMap(eventOf), position, isEnd: position === head };
}

function eventOf(entry: Omit<AuditEventsTable, 'outcome' | 'via' | 'request_id' | 'previous_hash' | 'hash'>) {
  const announced = announcedAs(entry.action);
  // One action may be about several types, as statements of other protocols: they have no event.
  if (!announced || (announced.on ?? entry.resource_type) !== entry.resource_type) return [];
  const { failed } = announced.isEnd ? (JSON.parse(entry.details) as { failed?: unknown }) : {};
  const message: Message = {
    type: announced.kind,
    timestamp: timestamp(entry.at),
    data: {
      accountId: entry.account_id,
      ...(entry.project_id !== null && { datasetId: entry.project_id }),
      resource: { type: entry.resource_type, ...(entry.resource_id !== '' && { id: entry.resource_id }) },
      ...(entry.user_id !== null && { userId: entry.user_id }),
      ...(announced.isEnd && { outcome: failed === undefined ? 'succeeded' : 'failed' }),
      ...(typeof failed === 'string' && { code: failed }),
    },
  };
  return [{ sequence: entry.sequence, action: entry.action, message } satisfies AccountEvent];
}

/**
 * Reports whether a caller may know of an event now: the project is in view, and the resource may be read. The owner of a resource
 * is known of the end of work alone; a right that depends on the owner of others grants no event.
 */
export async function mayReceive(
  read: Reader,
  caller: Caller,
  { action, message: { data } }: Pick<AccountEvent, 'action' | 'message'>,
): Promise<boolean> {
  const announced = announcedAs(action);
  const { accountId: account, datasetId: id } = data;
  if (!announced || !caller.isMember(account)) return false;
  if (id !== undefined && !(await isInView(read, caller, { account, id }))) return false;
  const isOwn = announced.isEnd && data.userId === caller.userId;
  const about = {
    ...{ account, type: data.resource.type, id: data.resource.id, dataset: id },
    ...(isOwn && { ownerId: caller.userId }),
  } as ResourceAttributes;
  return caller.may(isOwn ? announced.own : announced.needs, about);
}
