/** Log lines of a whole run of the service. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { linkIn } from '../support/mail-server.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { signInAround } from './signing-in.ts';

describe('log and metrics', () => {
  let server: TestServer;
  const secrets: Record<string, string> = {};
  let metrics: string;

  before(async () => {
    server = await startServer({ settings: { PLOIDY_LOG_LEVEL: 'trace' } });
    await useIt();
    metrics = await (await fetch(`${server.baseUrl}/metrics`)).text();
  });
  after(() => server.stop());

  async function call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Record<string, string>> {
    const response = await fetch(`${server.baseUrl}${path}`, {
      method,
      headers: {
        authorization: server.apiKey,
        'service-account': server.account,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return (await response.json()) as Record<string, string>;
  }

  /** Uses the service as a hospital does in a day, with errors. */
  async function useIt(): Promise<void> {
    const project = await call('POST', '/v1/projects', { name: 'name-of-a-project' });
    const name = 'name-of-a-file/Doe^Jane.ndjson';
    const begun = await call('POST', '/v1/files', { name, datasetId: project.id });
    const patient = { resourceType: 'Patient', id: 'p1', name: [{ family: 'name-of-a-patient' }] };
    await fetch(begun.uploadUrl ?? '', {
      method: 'PUT',
      body: `${JSON.stringify(patient)}\n{broken name-of-a-patient`,
    });
    const ingestion = await call('POST', '/v1/ingestions', { datasetId: project.id, fileId: begun.id });
    const lake = '/v1/analytics/data-lake/query';
    const query = await call('POST', lake, {
      datasetId: project.id,
      query: "SELECT CAST('name-of-a-patient' AS INTEGER) AS words_of_a_query",
      outputFileName: 'name-of-a-result.csv',
    });
    for (const path of [`/v1/ingestions/${ingestion.id}`, `${lake}/${query.queryId}`]) {
      await until(async () => (await call('GET', path)).state === 'failed', path);
    }
    const made = await call('POST', '/v1/api-keys', { name: 'name-of-a-key', expireInDays: 1 });
    const download = await call('GET', `/v1/files/${begun.id}?include=downloadUrl`);
    await call('GET', '/v1/files?name=words-of-a-search', undefined, {
      authorization: 'Bearer token.that.fails',
    });
    await call('GET', '/v1/%zz/words-of-an-address');
    await call('POST', '/v1/projects', '{"broken": "words-of-a-body');
    await call('GET', '/healthz', undefined, { 'x-request-id': '{"level":60} words-of-a-request-id' });
    const token = new URL(server.firstRun.signInUrl).searchParams.get('token') ?? '';
    const password = 'words-of-a-password';
    const form = new URLSearchParams({ token, password, repeated: password });
    await fetch(server.firstRun.signInUrl.split('?')[0] ?? '', { method: 'POST', body: form });
    const { groups = [] } = (await call('GET', '/v1/accounts/main?include=groups')) as { groups?: object[] };
    const group = Reflect.get(groups[0] ?? {}, 'id');
    const invited = await call('POST', '/v1/invitations', { group, email: 'name-of-a-guest@example.org' });
    const letter = join(server.folder, 'outbox', `${invited.id}.1.eml`);
    await until(() => existsSync(letter), 'a mail');
    const link = linkIn(readFileSync(letter, 'utf8'));
    await fetch(link);
    const invitationToken = new URL(link).searchParams.get('token') ?? '';
    const answer = new URLSearchParams({
      token: invitationToken,
      answer: 'accept',
      password,
      repeated: password,
    });
    await fetch(link.split('?')[0] ?? '', { method: 'POST', body: answer });
    Object.assign(secrets, await signInAround(server, password), {
      key: server.apiKey.split('.')[2],
      'new key': made['key']?.split('.')[2],
      'signature of an upload': new URL(begun.uploadUrl ?? '').searchParams.get('signature'),
      'signature of a download': new URL(download.downloadUrl ?? '').searchParams.get('signature'),
      'one-time token': token,
      'token of an invitation': invitationToken,
      'wrong token': 'token.that.fails',
      names: 'name-of-a-',
      words: 'words-of-a',
      'words of SQL': 'words_of_a',
    });
  }

  // asvs: 16.2.5
  test('the log of a whole run holds no secret, no name and nothing that was sent', () => {
    const log = readFileSync(join(server.folder, 'server.log'), 'utf8');
    assert.ok(log.split('\n').length > 20, 'the run was logged');
    for (const [what, secret] of Object.entries(secrets)) {
      const line = log.split('\n').find((one) => one.includes(secret));
      assert.equal(line, undefined, what);
    }
  });

  // asvs: 1.2.3, 16.2.4, 16.4.1
  test('every line of the log is one JSON object, whatever was sent', () => {
    const log = readFileSync(join(server.folder, 'server.log'), 'utf8');
    for (const line of log.trim().split('\n')) {
      const entry = JSON.parse(line);
      assert.ok(entry.level < 60, line);
      assert.equal(typeof entry.msg, 'string', line);
    }
  });

  test('faults of clients are no errors of the service: nothing is logged above "info"', () => {
    const log = readFileSync(join(server.folder, 'server.log'), 'utf8');
    const loud = log
      .trim()
      .split('\n')
      .filter((line) => JSON.parse(line).level > 30);
    assert.deepEqual(loud, []);
  });

  test('labels of metrics hold no ids, names or addresses', () => {
    const labels = metrics.split('\n').filter((line) => line.startsWith('ploidy_'));
    assert.ok(labels.length > 20);
    for (const line of labels) {
      assert.doesNotMatch(line, /[0-9a-f]{8}-[0-9a-f]{4}|name-of|words-of|%|\?/);
    }
    assert.doesNotMatch(metrics, /status="5/);
  });
});
