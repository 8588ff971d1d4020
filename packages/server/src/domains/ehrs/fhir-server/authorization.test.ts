import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { openOutbound } from '../../../platform/outbound/index.ts';
import { type EhrSettings, publicKeyColumns } from '../ehr.ts';
import { ecKey } from '../key-pairs.fixture.ts';
import { openAuthorization } from './authorization.ts';
import { EhrError } from './ehr-error.ts';

const outbound = openOutbound({ allowPrivateHosts: true });

/** Requests a token that is refused; returns the reason. */
async function refusal(
  context: TestContext,
  answer: { status: number; headers?: Record<string, string>; error?: string; text?: string },
  replacedAgoMs?: number,
): Promise<EhrError> {
  const server = createServer((request, response) => {
    if (request.method === 'GET') {
      const { port } = server.address() as AddressInfo;
      return response.end(JSON.stringify({ token_endpoint: `http://127.0.0.1:${port}/token` }));
    }
    response.writeHead(answer.status, answer.headers);
    const document = { error: answer.error, error_description: 'of the system' };
    return response.end(answer.text ?? JSON.stringify(document));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  context.after(() => server.close());
  const credentials = {
    apiKey: 'client',
    apiSecret: ecKey().pem,
    ...(replacedAgoMs !== undefined && { keyReplacedAt: Date.now() - replacedAgoMs }),
  };
  const authorization = openAuthorization({
    outbound,
    type: 'private_key_jwt',
    credentials: async () => credentials,
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    signal: AbortSignal.timeout(30_000),
  });
  const error = await authorization.header().then(
    () => assert.fail('a token'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof EhrError);
  assert.doesNotMatch(error.message, /of the system/);
  return error;
}

test('a key that the system cannot know yet is retried after its cache must have expired', async (context) => {
  const answer = { status: 401, error: 'invalid_client' };
  const fresh = await refusal(context, answer, 0);
  assert.ok(fresh.isPassing && fresh.waitMs !== undefined && fresh.waitMs > 0 && fresh.waitMs <= 300_000);
  assert.match(fresh.message, /replaced a moment ago/);
  assert.equal((await refusal(context, answer, 301_000)).isPassing, false);
  assert.equal((await refusal(context, answer)).isPassing, false);
  for (const same of [
    { status: 400, error: 'unauthorized_client' },
    { status: 401, text: '<html>of the system</html>' },
  ])
    assert.equal((await refusal(context, same, 0)).isPassing, true, JSON.stringify(same));
  for (const other of [
    { status: 400, error: 'invalid_scope' },
    { status: 400, text: '<html>' },
  ])
    assert.equal((await refusal(context, other, 0)).isPassing, false, JSON.stringify(other));
});

test('a clock difference is reported', async (context) => {
  const answer = (ms: number) => ({
    status: 400,
    error: 'invalid_client',
    headers: { date: new Date(Date.now() + ms).toUTCString() },
  });
  assert.match((await refusal(context, answer(-600_000))).message, /clock is (?:599|60\d) s behind ours/);
  assert.match((await refusal(context, answer(600_000))).message, /clock is (?:599|600) s ahead of ours/);
  assert.doesNotMatch((await refusal(context, answer(0))).message, /clock/);
});

test('a busy system is retried after the wait it requests', async (context) => {
  const busy = await refusal(context, { status: 429, headers: { 'retry-after': '7' } });
  assert.deepEqual([busy.isPassing, busy.waitMs], [true, 7000]);
});

test('the cache time of a replaced key is known, also after another kind of authentication in between', () => {
  const settings = (apiAuthType: 'oauth2' | 'private_key_jwt', apiSecret: string) =>
    ({ apiAuthType, apiKey: 'client', apiSecret }) as EhrSettings;
  const first = publicKeyColumns(settings('private_key_jwt', ecKey().pem), undefined, 1);
  assert.equal(first.key_replaced_at, null);
  const between = publicKeyColumns(settings('oauth2', 'secret'), first, 2);
  assert.deepEqual(between, { public_key: null, key_replaced_at: 2 });
  const back = publicKeyColumns(settings('private_key_jwt', ecKey().pem), between, 3);
  assert.equal(back.key_replaced_at, 2);
  assert.equal(publicKeyColumns(settings('private_key_jwt', ecKey().pem), back, 4).key_replaced_at, 4);
});
