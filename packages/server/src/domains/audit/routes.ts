import { timestamp } from '../../ids.ts';
import { emailKey } from '../../names.ts';
import { type Pages, pageOf, pageQuery } from '../../paging.ts';
import type { Reader, Records } from '../../platform/records/records.ts';
import type { AuditEventsTable } from '../../platform/records/schema.ts';
import { invalidInput } from '../../problem.ts';
import { type Route, route } from '../../route.ts';
import { Type } from '../../schema.ts';
import { timestampShape } from '../../shapes.ts';
import { type EventFilter, readEvents } from './log.ts';

/** RFC 3339, section 5.6, with a zone; fractions of a second beyond milliseconds are cut. */
const instantPattern =
  '^\\d{4}-\\d{2}-\\d{2}[Tt ]\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,9})?([Zz]|[+-]\\d{2}:\\d{2})$';

const instant = (description: string) =>
  Type.Optional(Type.String({ pattern: instantPattern, description: `${description}; RFC 3339` }));
const text = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 600, description }));

const filterFields = {
  from: instant('The first moment, inclusive'),
  to: instant('The end, exclusive'),
  user: text('Id or e-mail address'),
  action: text('Such as `files.read`; with a dot at its end (`files.`) all that begin with it'),
  resource: text('Id of the thing, or `type:id` (`file:0199…`)'),
  outcome: Type.Optional(Type.Union([Type.Literal('done'), Type.Literal('refused')])),
};

const eventShape = Type.Object(
  {
    sequence: Type.Integer({ description: '1, 2, 3 … within the account, without a gap' }),
    at: timestampShape,
    user: Type.Optional(Type.Object({ id: Type.String(), email: Type.Optional(Type.String()) })),
    via: Type.String({ description: 'How he came: `apiKey:<id>`, `signature`, `host`, `job`' }),
    action: Type.String(),
    resource: Type.Object({
      type: Type.String(),
      id: Type.Optional(Type.String()),
      datasetId: Type.Optional(Type.String()),
    }),
    outcome: Type.String({ enum: ['done', 'refused'] }),
    details: Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
    requestId: Type.Optional(Type.String()),
    hash: Type.String({ description: 'Of this event and all before it' }),
  },
  { title: 'AuditEvent' },
);

type Filters = { [K in keyof typeof filterFields]?: string };

/** /v1/audit-events */
export function auditRoutes(records: Records, pages: Pages): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v1/audit-events',
      operation: 'audit.read',
      tag: 'Audit',
      summary: 'The audit log of the account, newest first',
      description: 'All filters that are given must hold. Reading the log is an event of it, too.',
      accountHeader: true,
      query: Type.Object({ ...filterFields, ...pageQuery }),
      answers: { 200: { schema: pageOf(eventShape), description: 'Newest first' } },
      locate: async ({ query }, account) => {
        for (const name of ['from', 'to'] as const) momentOf(query, name);
        return { attributes: { account, type: 'audit', id: account }, record: undefined };
      },
      handle: async ({ account, query, caller, signal }) => {
        const { from, to, user, action, resource, outcome } = query;
        const scope = JSON.stringify([
          'audit',
          account,
          caller.userId,
          from,
          to,
          user,
          action,
          resource,
          outcome,
        ]);
        const page = pages.read(query, scope);
        const filter = await filterOf(records.read, account, query);
        const rows = filter ? await readEvents(records.read, filter, page, signal) : [];
        const emails = await emailsOf(records.read, rows);
        const list = { path: '/v1/audit-events', query, scope };
        return pages.answer(
          rows,
          page,
          list,
          ({ at, sequence }) => [at, sequence],
          (row) => viewOfEvent(row, emails),
        );
      },
    }),
  ];
}

function momentOf(query: Filters, name: 'from' | 'to'): number | undefined {
  const given = query[name];
  if (given === undefined) return undefined;
  const moment = Date.parse(given.toUpperCase().replace(' ', 'T'));
  // A day that its month has not (30 February) would else become one of the next month.
  const [year = 0, month = 0, day = 0] = given.slice(0, 10).split('-').map(Number);
  const exists = new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day;
  if (Number.isNaN(moment) || !exists)
    throw invalidInput([{ path: `query/${name}`, message: 'is no moment that exists' }]);
  return moment;
}

/** `undefined` when it names somebody who does not exist: nothing is his. */
async function filterOf(read: Reader, account: string, query: Filters): Promise<EventFilter | undefined> {
  const { user, action, resource, outcome } = query;
  const userIds = user === undefined ? undefined : await userIdsOf(read, user);
  if (userIds?.length === 0) return undefined;
  const cut = resource?.indexOf(':') ?? -1;
  return {
    account,
    from: momentOf(query, 'from'),
    to: momentOf(query, 'to'),
    userIds,
    action,
    outcome,
    ...(resource !== undefined && {
      resource: cut < 0 ? { id: resource } : { type: resource.slice(0, cut), id: resource.slice(cut + 1) },
    }),
  };
}

/** What is no address is taken for an id, also of somebody who is gone: his events stay. */
async function userIdsOf(read: Reader, idOrEmail: string): Promise<string[]> {
  if (!idOrEmail.includes('@')) return [idOrEmail];
  const email = emailKey(idOrEmail);
  const rows = await read.selectFrom('users').select('id').where('email', '=', email).execute();
  return rows.map(({ id }) => id);
}

async function emailsOf(read: Reader, rows: AuditEventsTable[]): Promise<Map<string, string>> {
  const ids = [...new Set(rows.map((row) => row.user_id).filter((id) => id !== null))];
  if (ids.length === 0) return new Map();
  const users = await read.selectFrom('users').select(['id', 'email']).where('id', 'in', ids).execute();
  return new Map(users.map(({ id, email }) => [id, email]));
}

function viewOfEvent(row: AuditEventsTable, emails: Map<string, string>) {
  const email = row.user_id === null ? undefined : emails.get(row.user_id);
  return {
    sequence: row.sequence,
    at: timestamp(row.at),
    ...(row.user_id !== null && { user: { id: row.user_id, ...(email !== undefined && { email }) } }),
    via: row.via,
    action: row.action,
    resource: {
      type: row.resource_type,
      ...(row.resource_id !== '' && { id: row.resource_id }),
      ...(row.project_id !== null && { datasetId: row.project_id }),
    },
    outcome: row.outcome,
    details: JSON.parse(row.details) as Record<string, unknown>,
    ...(row.request_id !== null && { requestId: row.request_id }),
    hash: row.hash,
  };
}
