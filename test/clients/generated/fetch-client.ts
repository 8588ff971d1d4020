/** Works with openapi-fetch over the types of openapi-typescript. ADDRESS, KEY, ACCOUNT and RECORDS are in the environment. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import createClient from 'openapi-fetch';
import type { components, paths } from './ploidy.d.ts';

const { ADDRESS: baseUrl = '', KEY: key = '', ACCOUNT: account = '', RECORDS: records = '' } = process.env;
const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${key}` } });
const stranger = createClient<paths>({ baseUrl });
const header = { 'Service-Account': account };

type Problem = components['schemas']['Problem'];

/** Returns the data of an answer. */
async function done<T>(answer: Promise<{ data?: T; error?: Problem | string; response: Response }>): Promise<T> {
  const { data, error, response } = await answer;
  assert.ok(response.ok, JSON.stringify(error));
  return data as T;
}

/** Returns the status and code of a refusal. */
async function refused(answer: Promise<{ error?: Problem; response: Response }>): Promise<[number, string | undefined]> {
  const { error, response } = await answer;
  return [response.status, error?.code];
}

/** Reads a record until it has ended. */
async function ended<T extends { state: string }>(read: () => Promise<T>): Promise<T> {
  for (let tries = 0; tries < 600; tries++) {
    const record = await read();
    if (record.state !== 'queued' && record.state !== 'running') return record;
    await sleep(100);
  }
  throw new Error('no end after a minute');
}

/** Returns the parameters of a signed address. */
function signed(address: string) {
  const { pathname, searchParams } = new URL(address);
  return { path: { id: pathname.split('/').at(-1) ?? '' }, query: Object.fromEntries(searchParams) };
}

assert.ok((await done(stranger.GET('/v1/version'))).version);
assert.deepEqual(await refused(stranger.GET('/v1/user')), [401, 'UNAUTHENTICATED']);
assert.ok((await done(client.GET('/v1/user'))).profile.email);
const { accounts } = await done(client.GET('/v1/accounts'));
assert.ok(accounts.some(({ id }) => id === account));

const project = { name: 'Fetch', description: 'By a generated client' };
const { id } = await done(client.POST('/v1/projects', { params: { header }, body: project }));
const change = { params: { path: { id } }, body: { description: 'Changed' } };
assert.equal((await done(client.PATCH('/v1/projects/{id}', change))).description, 'Changed');
const again = client.POST('/v1/projects', { params: { header }, body: project });
assert.deepEqual(await refused(again), [409, 'PROJECT_EXISTS']);

const content = readFileSync(records, 'utf8');
const file = { name: 'records/p.ndjson', datasetId: id, size: Buffer.byteLength(content) };
const upload = await done(client.POST('/v1/files', { params: { header }, body: file }));
const stored = await done(
  stranger.PUT('/v1/transfers/uploads/{id}', {
    params: signed(upload.uploadUrl),
    body: content,
    bodySerializer: (body) => body,
    headers: { 'Content-Type': 'application/octet-stream' },
  }),
);
assert.equal(stored.size, file.size);
const files = await done(client.GET('/v1/files', { params: { header, query: { datasetId: id } } }));
assert.deepEqual(
  files.items.map(({ name, size }) => [name, size]),
  [[file.name, file.size]],
);

const started = await done(client.POST('/v1/ingestions', { body: { datasetId: id, fileId: upload.id } }));
const ingestion = await ended(() =>
  done(client.GET('/v1/ingestions/{id}', { params: { path: { id: started.id } } })),
);
assert.equal(ingestion.state, 'succeeded');
assert.equal(ingestion.found?.tables['patient'], 5);

const schemas = await done(
  client.GET('/api/v1/analytics/data-lake/schema', { params: { query: { datasetId: id } } }),
);
assert.ok(schemas.schemas.some(({ table }) => table === 'patient'));
const sql = 'SELECT patient_id FROM patient ORDER BY patient_id';
const statement = { query: sql, datasetId: id, outputFileName: 'result.csv' };
const query = await done(client.POST('/api/v1/analytics/data-lake/query', { body: statement }));
assert.ok('queryId' in query);
const result = await ended(() =>
  done(
    client.GET('/api/v1/analytics/data-lake/query/{queryId}', {
      params: { path: { queryId: query.queryId } },
    }),
  ),
);
assert.equal(result.state, 'succeeded');
const ofResult = { params: { header, path: { id: result.resultFileId ?? '' } }, parseAs: 'text' } as const;
const csv = await done(client.GET('/v1/files/{id}', ofResult));
const lines = csv.trim().split('\n');
assert.equal(lines.length, (result.rowCount ?? 0) + 1);
const { rows } = await done(
  client.POST('/api/v1/analytics/data-lake/rows', { body: { query: sql, datasetId: id } }),
);
assert.deepEqual(
  rows.map(([patient]) => patient),
  lines.slice(1),
);

const patients = { name: 'Some', ownerProject: id, subjectIds: lines.slice(1, 2) };
const cohort = await done(client.POST('/v1/cohorts', { params: { header }, body: patients }));
assert.equal(cohort.resultCount, 1);
const question = { cohortId: cohort.id, query: { target: 'patient' as const, where: {} } };
assert.ok((await done(client.POST('/v1/analytics/dsl', { body: question }))).data);
const group = await done(
  client.POST('/v1/account/groups', { params: { header }, body: { name: 'Fetch' } }),
);
const rule = { 'user.groups': { comparison: 'includes' as const, value: group.id } };
const policy = await done(
  client.POST('/v1/policies', {
    params: { header },
    body: { name: 'Fetch', policy: { rules: { readMaskedData: [rule] } } },
  }),
);
assert.deepEqual([policy.policy.rules['readMaskedData'], policy.groups[0]?.name], [[rule], 'Fetch']);
const ofPolicy = { params: { header, path: { policyId: policy.id } } };
await done(client.DELETE('/v1/policies/{policyId}', ofPolicy));
const events = await done(client.GET('/v1/audit-events', { params: { header, query: { pageSize: 5 } } }));
assert.equal(events.items[0]?.outcome, 'done');
await done(client.DELETE('/v1/projects/{id}', { params: { path: { id }, query: { force: true } } }));
const gone = client.GET('/v1/projects/{id}', { params: { path: { id } } });
assert.deepEqual(await refused(gone), [404, 'NOT_FOUND']);
