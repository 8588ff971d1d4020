import assert from 'node:assert/strict';
import type { CallOptions, Reply, TestApp } from '../support/app.ts';
import { bamBytes, bgzf } from '../support/bam.ts';
import type { Person } from '../support/people.ts';
import { until } from '../support/until.ts';
import { segmented } from './doors.ts';

/** Ids of things, real ones or made up; routes are asked for both. */
export interface Ids {
  account: string;
  project: string;
  /** Another one of the same account. */
  otherProject: string;
  file: string;
  upload: string;
  uploadUrl: string;
  partedUpload: string;
  ingestion: string;
  /** A BAM that has no read group set. */
  bam: string;
  readGroupSet: string;
  /** A bgzipped VCF. */
  variants: string;
  referenceSet: string;
  reference: string;
  sequence: string;
  query: string;
  /** A shared one of the owner. */
  savedQuery: string;
  report: string;
  table: string;
  key: string;
  /** An open group, which every member may see. */
  group: string;
  /** The owner. */
  user: string;
  /** Picture of the user. */
  picture: string;
  invitation: string;
  client: string;
  policy: string;
  cohort: string;
  ehr: string;
  webhook: string;
  bucket: string;
  delivery: string;
  /** One that has ended. */
  sync: string;
  /** Statement of the Trino protocol. */
  statement: string;
  export: string;
}

/** An account that holds one of everything, with data that no other account may see. */
export interface Household {
  owner: Person;
  /** A word that is in its data, its names and nowhere else. */
  mark: string;
  ids: Ids;
  call(method: string, path: string, options?: CallOptions): Promise<Reply>;
}

/** Things that are nowhere. */
export const ghosts: Ids = {
  account: 'nobody-has-this',
  project: '01990000-0000-7000-8000-000000000001',
  otherProject: '01990000-0000-7000-8000-000000000012',
  file: '01990000-0000-7000-8000-000000000002',
  upload: '01990000-0000-7000-8000-000000000003',
  uploadUrl: '/v1/transfers/uploads/01990000-0000-7000-8000-000000000003',
  partedUpload: '01990000-0000-7000-8000-00000000000a',
  ingestion: '01990000-0000-7000-8000-000000000004',
  bam: '01990000-0000-7000-8000-00000000000d',
  readGroupSet: '01990000-0000-7000-8000-00000000000e',
  variants: '01990000-0000-7000-8000-000000000011',
  referenceSet: '01990000-0000-7000-8000-00000000000f',
  reference: '01990000-0000-7000-8000-000000000010',
  sequence: 'f'.repeat(32),
  query: '01990000-0000-7000-8000-000000000005',
  savedQuery: '01990000-0000-7000-8000-000000000014',
  report: '01990000-0000-7000-8000-000000000015',
  table: 'patient',
  key: '01990000-0000-7000-8000-000000000006',
  group: '01990000-0000-7000-8000-000000000007',
  user: '01990000-0000-7000-8000-000000000008',
  picture: '01990000-0000-7000-8000-000000000009',
  invitation: '01990000-0000-7000-8000-00000000000a',
  policy: '01990000-0000-7000-8000-00000000000b',
  client: '01990000-0000-7000-8000-00000000000c',
  cohort: '01990000-0000-7000-8000-00000000000d',
  ehr: '01990000-0000-7000-8000-00000000000e',
  sync: '01990000-0000-7000-8000-00000000000f',
  webhook: '01990000-0000-7000-8000-000000000016',
  bucket: '01990000-0000-7000-8000-000000000018',
  delivery: '01990000-0000-7000-8000-000000000017',
  statement: '01990000-0000-7000-8000-000000000013',
  export: '01990000-0000-7000-8000-000000000015',
};

/** An address on which nothing listens: requests to it fail at once under `householdSettings`. */
export const nobody = 'https://127.0.0.1:9/';

/** Settings of a service in which households are opened. */
export const householdSettings = {
  PLOIDY_IDLE_WORKERS: '2',
  PLOIDY_ALLOW_PRIVATE_HOSTS: 'true',
  PLOIDY_RETRY_WAIT: '1ms',
  PLOIDY_BEACON: 'true',
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
  const opened = await call('PATCH', `/v1/accounts/${account}`, { body: { assistants: 'read' } });
  assert.equal(opened.status, 200);
  const project = (await make('/v1/projects', { name: `First ${mark}` })).id;
  const otherProject = (await make('/v1/projects', { name: `Second ${mark}` })).id;
  const begun = await make('/v1/files', { name: `${mark}.ndjson`, datasetId: project });
  const identity = { resourceType: 'Patient', id: mark, meta: { versionId: '1' } };
  const patient = { ...identity, gender: 'female', name: [{ family: mark }] };
  const lines = [patient, { ...patient, id: `${mark}-too` }].map((one) => `${JSON.stringify(one)}\n`);
  const sent = await fetch(begun.uploadUrl, { method: 'PUT', body: lines.join('') });
  assert.equal(sent.status, 200);
  const ingestion = (await make('/v1/ingestions', { datasetId: project, fileId: begun.id, type: 'fhir' })).id;
  await ended(call, `/v1/ingestions/${ingestion}`);
  const genomics = await openGenomics(call, { account, project, mark });
  const query = (
    await make('/v1/analytics/data-lake/query', {
      datasetId: project,
      query: `SELECT '${mark}' AS mark, * FROM patient`,
      outputFileName: `${mark}.csv`,
    })
  ).queryId;
  await ended(call, `/v1/analytics/data-lake/query/${query}`);
  const saved = { name: mark, statement: `SELECT '${mark}'` };
  const savedQueries = `/v1/projects/${project}/saved-queries`;
  const savedQuery = (await make(savedQueries, { ...saved, shared: true })).id;
  await make(savedQueries, saved);
  const reports = `/v1/projects/${project}/reports`;
  const parts = [{ id: 'text', kind: 'text', text: mark }];
  const report = (await make(reports, { name: mark, parts, shared: true })).id;
  await make(reports, { name: mark, parts });
  const waiting = await make('/v1/files', { name: `${mark}.waiting`, datasetId: project });
  const uploadUrl = waiting.uploadUrl.slice(app.address.length);
  const parted = await make('/v1/uploads', { name: `${mark}.parts`, datasetId: project });
  const key = (await call('GET', '/v1/api-keys')).body.items[0].id;
  const people = await openPeople(call, owner.userId, mark);
  const { group } = people;
  const invitation = (await make('/v1/invitations', { group, email: `${mark}@example.test` })).id;
  const revoked = await call('PATCH', `/v1/invitations/${invitation}`, { body: { status: 'REVOKED' } });
  assert.equal(revoked.status, 200);
  await make('/v1/invitations', { group, email: 'twice@example.test' });
  const client = (
    await make('/v1/clients', { name: mark, callbackUrls: [`https://${mark}.example/callback`] })
  ).id;
  const policy = (await make('/v1/policies', { name: `Policy ${mark}`, policy: { rules: { [mark]: true } } }))
    .id;
  const cohort = (await make('/v1/cohorts', { name: mark, ownerProject: project, subjectIds: [mark] })).id;
  await make('/v1/cohorts', { name: `Second ${mark}`, ownerProject: project });
  const ehr = (await make('/v1/ehrs', { name: mark, apiBaseUrl: `${nobody}${mark}`, apiKey: mark })).id;
  const sync = (await make(`/v1/ehrs/${ehr}/sync`, { datasetId: project })).id;
  await make(`/v1/ehrs/${ehr}/sync`, { datasetId: otherProject });
  await call('DELETE', `/v1/ehrs/${ehr}/syncs/${sync}`);
  const hooks = await openWebhooks(call, mark);
  const address = `s3://${mark}?endpoint=${nobody}`;
  const bucket = (await make(`/v1/projects/${project}/buckets`, { address })).id;
  const statement = (await segmented(call, project)).id;
  const exported = (await make(`/v1/projects/${project}/exports`, { format: 'vcf' })).exportId;
  const data = {
    statement,
    export: exported,
    cohort,
    project,
    otherProject,
    file: begun.id,
    ingestion,
    query,
    savedQuery,
    report,
    table: 'patient',
    key,
    ...genomics,
  };
  const ids = { account, ...data, ...people, invitation, policy, client, ehr, sync, bucket, ...hooks };
  const upload = /uploads\/([^?]+)/.exec(uploadUrl)?.[1] ?? '';
  return {
    owner,
    mark,
    call,
    ids: { ...ids, upload, uploadUrl, partedUpload: parted.uploadId },
  };
}

/** Two webhooks that are disabled, and two tests of one, which no server receives. */
async function openWebhooks(
  call: Household['call'],
  mark: string,
): Promise<Pick<Ids, 'webhook' | 'delivery'>> {
  const made: string[] = [];
  for (const name of [mark, `Second ${mark}`]) {
    const body = { name, url: `${nobody}${mark}` };
    const { id } = (await call('POST', '/v1/webhooks', { body })).body;
    await call('PATCH', `/v1/webhooks/${id}`, { body: { state: 'disabled' } });
    made.push(id);
  }
  const [webhook = ''] = made;
  const test = async () => (await call('POST', `/v1/webhooks/${webhook}/test`)).body.id;
  await test();
  return { webhook, delivery: await test() };
}

const vcfHead = '##fileformat=VCFv4.3\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n';

/** Reads, variants and references that carry the mark. */
export async function openGenomics(
  call: Household['call'],
  { account, project, mark }: { account: string; project: string; mark: string },
): Promise<Pick<Ids, 'bam' | 'readGroupSet' | 'variants' | 'referenceSet' | 'reference' | 'sequence'>> {
  const put = async (name: string, bytes: string | Uint8Array): Promise<string> => {
    const begun = await call('POST', '/v1/files', { body: { name, datasetId: project } });
    assert.equal((await fetch(begun.body.uploadUrl, { method: 'PUT', body: bytes as never })).status, 200);
    return begun.body.id;
  };
  const ingest = async (fileId: string): Promise<void> => {
    const { body } = await call('POST', '/v1/ingestions', { body: { datasetId: project, fileId } });
    await ended(call, `/v1/ingestions/${body.id}`);
  };
  const about = { text: `@RG\tID:${mark}\tSM:${mark}\n`, references: [[mark, 100]] as [string, number][] };
  const bytes = bamBytes({ ...about, reads: [{ reference: 0, position: 5, group: mark }] });
  await ingest(await put(`${mark}.bam`, bytes));
  await ingest(await put(`${mark}.fa`, `>${mark}\n${mark.replace(/[^acgt]/g, 'n')}\n`));
  const all = async (of: string) => (await call('POST', `/${account}/v1/${of}/search`, { body: {} })).body;
  return {
    bam: await put(`${mark}.other.bam`, bytes),
    variants: await put(`${mark}.vcf.gz`, bgzf(Buffer.from(`${vcfHead}${mark}\t5\t.\tA\tC\t.\t.\t.\n`))),
    readGroupSet: (await all('readgroupsets')).readGroupSets[0].id,
    referenceSet: (await all('referencesets')).referenceSets[0].id,
    reference: (await all('references')).references[0].id,
    sequence: (await all('references')).references[0].md5checksum,
  };
}

/** Returns a group, and the owner's profile. */
async function openPeople(
  call: Household['call'],
  user: string,
  mark: string,
): Promise<Pick<Ids, 'group' | 'user' | 'picture'>> {
  const made = await call('POST', '/v1/account/groups', { body: { name: `Group ${mark}`, type: 'open' } });
  const body = { customAttributes: { mark } };
  const image = { body: 'GIF89a of nothing', headers: { 'content-type': 'image/gif' } };
  const picture = await call('PUT', `/v1/users/${user}/picture`, image);
  for (const { status, text } of [
    made,
    picture,
    await call('PUT', `/v1/account/groups/${made.body.id}/members/${user}`),
    await call('PATCH', '/v1/user', { body: { profile: { name: `Owner ${mark}` } } }),
    await call('PUT', `/v1/account/users/${user}/attributes`, { body }),
  ]) {
    assert.ok(status < 300, text);
  }
  const address = /pictures\/([^?]+)/.exec(picture.body.downloadUrl)?.[1] ?? '';
  return { group: made.body.id, user, picture: address };
}

/** Waits for the end of an ingestion or a query, which must be a success. */
async function ended(call: Household['call'], path: string): Promise<void> {
  await until(async () => !['queued', 'running'].includes((await call('GET', path)).body.state), path);
  const { body } = await call('GET', path);
  assert.equal(body.state, 'succeeded', JSON.stringify(body));
}

/** Names of ids that an answer to others may hold. */
const knownIds = ['account', 'uploadUrl', 'table', 'user', 'client', 'statement'];

/** Everything by which a household's things could be recognised. */
export function tracesOf({ ids, mark, owner }: Household): string[] {
  const made = Object.entries(ids).flatMap(([name, id]) => (knownIds.includes(name) ? [] : [id]));
  return [mark, ...made, owner.userId];
}

/** Returns an answer without what differs from request to request. */
export function withoutRequestId(reply: Reply): string {
  const headers = Object.fromEntries(reply.headers);
  // The requests of a caller are counted, except at addresses that no route has.
  for (const name of ['x-request-id', 'date', 'ratelimit', 'ratelimit-policy']) delete headers[name];
  return JSON.stringify([
    reply.status,
    headers,
    reply.text.replace(/"requestId":"[^"]*"|<RequestId>[^<]*</, ''),
  ]);
}
