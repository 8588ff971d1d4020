import assert from 'node:assert/strict';
import type { CallOptions, Reply, TestApp } from '../support/app.ts';
import type { Person } from '../support/people.ts';
import { until } from '../support/until.ts';

/** Ids of things, real ones or made up; routes are asked for both. */
export interface Ids {
  account: string;
  project: string;
  file: string;
  upload: string;
  uploadUrl: string;
  ingestion: string;
  query: string;
  table: string;
  key: string;
  group: string;
  invitation: string;
  client: string;
}

/** An account that holds one of everything, with data that nobody else may see. */
export interface Household {
  owner: Person;
  /** A word that is in its data, its names and nowhere else. */
  mark: string;
  ids: Ids;
  /** Another project of the account. */
  otherProject: string;
  call(method: string, path: string, options?: CallOptions): Promise<Reply>;
}

/** Things that are nowhere. */
export const ghosts: Ids = {
  account: 'nobody-has-this',
  project: '01990000-0000-7000-8000-000000000001',
  file: '01990000-0000-7000-8000-000000000002',
  upload: '01990000-0000-7000-8000-000000000003',
  uploadUrl: '/v1/transfers/uploads/01990000-0000-7000-8000-000000000003',
  ingestion: '01990000-0000-7000-8000-000000000004',
  query: '01990000-0000-7000-8000-000000000005',
  table: 'patient',
  key: '01990000-0000-7000-8000-000000000006',
  group: '01990000-0000-7000-8000-000000000007',
  invitation: '01990000-0000-7000-8000-000000000008',
  client: '01990000-0000-7000-8000-000000000009',
};

/** Makes an account whose lake holds a marked patient, through the API as its owner would. */
export async function openHousehold(app: TestApp, account: string): Promise<Household> {
  const owner = await app.people.owner(account);
  const mark = `mark-of-${account}`;
  const call = (method: string, path: string, options: CallOptions = {}) =>
    app.call(method, path, { key: owner.key, account, ...options });
  const make = async (path: string, body: object): Promise<Reply['body']> => {
    const reply = await call('POST', path, { body });
    assert.ok(reply.status < 300, reply.text);
    return reply.body;
  };
  const project = (await make('/v1/projects', { name: `First ${mark}` })).id;
  const otherProject = (await make('/v1/projects', { name: `Second ${mark}` })).id;
  const begun = await make('/v1/files', { name: `${mark}.ndjson`, datasetId: project });
  const patient = { resourceType: 'Patient', id: mark, gender: 'female', name: [{ family: mark }] };
  const sent = await fetch(begun.uploadUrl, { method: 'PUT', body: `${JSON.stringify(patient)}\n` });
  assert.equal(sent.status, 200);
  const ingestion = (await make('/v1/ingestions', { datasetId: project, fileId: begun.id, type: 'fhir' })).id;
  await ended(call, `/v1/ingestions/${ingestion}`);
  const query = (
    await make('/v1/analytics/data-lake/query', {
      datasetId: project,
      query: `SELECT '${mark}' AS mark, * FROM patient`,
      outputFileName: `${mark}.csv`,
    })
  ).queryId;
  await ended(call, `/v1/analytics/data-lake/query/${query}`);
  const waiting = await make('/v1/files', { name: `${mark}.waiting`, datasetId: project });
  const uploadUrl = waiting.uploadUrl.slice(app.address.length);
  const key = (await call('GET', '/v1/api-keys')).body.items[0].id;
  const group = (await call('GET', `/v1/accounts/${account}?include=groups`)).body.groups[0].id;
  const invitation = (await make('/v1/invitations', { group, email: `${mark}@example.test` })).id;
  const revoked = await call('PATCH', `/v1/invitations/${invitation}`, { body: { status: 'REVOKED' } });
  assert.equal(revoked.status, 200);
  await make('/v1/invitations', { group, email: 'twice@example.test' });
  const client = (
    await make('/v1/clients', { name: mark, callbackUrls: [`https://${mark}.example/callback`] })
  ).id;
  const ids = {
    account,
    project,
    file: begun.id,
    ingestion,
    query,
    table: 'patient',
    key,
    group,
    invitation,
    client,
  };
  const upload = /uploads\/([^?]+)/.exec(uploadUrl)?.[1] ?? '';
  return { owner, mark, otherProject, call, ids: { ...ids, upload, uploadUrl } };
}

/** Waits for the end of an ingestion or a query, which must be a success. */
async function ended(call: Household['call'], path: string): Promise<void> {
  await until(async () => !['queued', 'running'].includes((await call('GET', path)).body.state), path);
  const { body } = await call('GET', path);
  assert.equal(body.state, 'succeeded', JSON.stringify(body));
}

/** Everything by which a household's things could be recognised. */
export function tracesOf({ ids, mark, otherProject, owner }: Household): string[] {
  const { project, file, upload, ingestion, query, key, group, invitation } = ids;
  return [mark, project, otherProject, file, upload, ingestion, query, key, group, invitation, owner.userId];
}

/** An answer without what differs from request to request. */
export function withoutRequestId(reply: Reply): string {
  const headers = Object.fromEntries(reply.headers);
  for (const name of ['x-request-id', 'date']) delete headers[name];
  return JSON.stringify([reply.status, headers, reply.text.replace(/"requestId":"[^"]*"/, '')]);
}
