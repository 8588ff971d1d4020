import { Type } from 'typebox';
import { type Pages, pageOf, pageQuery } from '../../api/paging.ts';
import { type Route, route } from '../../api/route.ts';
import { optionalText, textOf, timestampShape } from '../../api/shapes.ts';
import { timestamp } from '../../base/ids.ts';
import { emailKey } from '../../base/names.ts';
import { invalidInput } from '../../base/problem.ts';
import type { Reader, Records } from '../../platform/records/records.ts';
import type { AuditEventsTable } from '../../platform/records/schema.ts';
import { type EventFilter, readEvents } from './log.ts';
import { verifyPart } from './verify.ts';

/** RFC 3339 §5.6 with a zone; digits beyond milliseconds are cut. */
const instantPattern =
  '^\\d{4}-\\d{2}-\\d{2}[Tt ]\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,9})?([Zz]|[+-]\\d{2}:\\d{2})$';

const instant = (description: string) =>
  Type.Optional(Type.String({ pattern: instantPattern, description: `${description}; RFC 3339` }));
const filterText = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 600, description }));

const filterFields = {
  from: instant('Start of the period, inclusive'),
  to: instant('End of the period, exclusive'),
  user: filterText('Id or e-mail address'),
  action: filterText('Such as `files.read`; a trailing dot (`files.`) matches by prefix'),
  resource: filterText('Id of the resource, or `type:id` (`file:0199…`)'),
  outcome: Type.Optional(Type.Union([Type.Literal('done'), Type.Literal('refused')])),
};

const eventShape = Type.Object(
  {
    sequence: Type.Integer({ description: '1, 2, 3 … within the account, without a gap' }),
    at: timestampShape,
    user: Type.Optional(
      Type.Object(
        { id: textOf('Id of the user'), email: optionalText('E-mail address; absent for a deleted user') },
        { description: 'User who acted; absent if unknown' },
      ),
    ),
    via: Type.String({ description: 'Credential of the caller: `apiKey:<id>`, `signature`, `host`, `job`' }),
    action: textOf('Operation, such as `files.read`'),
    resource: Type.Object(
      {
        type: textOf('Type of the resource, such as `file`'),
        id: optionalText('Id of the resource; absent for a list or a new one'),
        datasetId: optionalText('Id of its project; absent outside projects'),
      },
      { description: 'Resource of the action' },
    ),
    outcome: Type.String({ enum: ['done', 'refused'], description: 'Result of the decision' }),
    details: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: 'Ids, counts and names of fields, by the action; never health data or secrets',
    }),
    requestId: optionalText('Id of the request; absent for work in the background'),
    hash: Type.String({ description: 'Hash of this event and all events before it' }),
  },
  { title: 'AuditEvent' },
);

type Filters = { [K in keyof typeof filterFields]?: string };

/** Routes of /v1/audit-events. */
export function auditRoutes(records: Records, pages: Pages): Route[] {
  return [
    verificationRoute(records),
    route({
      method: 'GET',
      path: '/v1/audit-events',
      operation: 'audit.read',
      tag: 'Audit',
      summary: 'List the audit log of the account, newest first',
      description: 'All given filters must match. Reading the log is itself an event.',
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

/** Events that one request verifies: the reader sees progress, and no request takes long. */
const verifiedMax = 10_000;

function verificationRoute(records: Records): Route {
  return route({
    method: 'GET',
    path: '/v1/audit-events/verification',
    operation: 'audit.read',
    tag: 'Audit',
    summary: 'Verify a part of the hash chain of the log',
    description: `At most ${verifiedMax + 1000} events a request. Go on with \`after\` = \`verified\` until \`verified\` is \`total\`; each request is an event of the log itself.`,
    accountHeader: true,
    query: Type.Object({
      after: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: Number.MAX_SAFE_INTEGER,
          description: 'Number of the last verified event; absent: from the first event',
        }),
      ),
    }),
    answers: {
      200: {
        schema: Type.Object({
          verified: Type.Integer({ description: 'Number of the last verified event' }),
          total: Type.Integer({ description: 'Events of the log' }),
          brokenAt: Type.Optional(
            Type.Integer({
              description: 'First event that is missing or does not follow from those before it',
            }),
          ),
        }),
        description: 'Progress of the verification',
      },
    },
    locate: async (_input, account) => ({
      attributes: { account, type: 'audit', id: account },
      record: undefined,
    }),
    handle: ({ account, query }) => verifyPart(records.read, account, query.after ?? 0, verifiedMax),
  });
}

function momentOf(query: Filters, name: 'from' | 'to'): number | undefined {
  const given = query[name];
  if (given === undefined) return undefined;
  const moment = Date.parse(given.toUpperCase().replace(' ', 'T'));
  // `Date` would turn an invalid day (30 February) into one of the next month.
  const [year = 0, month = 0, day = 0] = given.slice(0, 10).split('-').map(Number);
  const exists = new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day;
  if (Number.isNaN(moment) || !exists)
    throw invalidInput([{ path: `query/${name}`, message: 'is no moment that exists' }]);
  return moment;
}

/** Returns `undefined` when the filter names an unknown user: no events match. */
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

/** Resolves a user. A value that is no e-mail address is an id, also of a deleted user: the events remain. */
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
