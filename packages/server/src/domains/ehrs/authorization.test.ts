import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { openOutbound } from '../../platform/outbound/index.ts';
import { openAuthorization } from './authorization.ts';
import { EhrError } from './ehr-error.ts';
import { ecKey } from './key-pairs.fixture.ts';

const outbound = openOutbound({ allowPrivateHosts: true });

/** Asks a system that gives no token, and answers why. */
async function refusal(
  context: TestContext,
  answer: { status: number; headers?: Record<string, string>; error?: string },
  replacedAgoMs?: number,
): Promise<EhrError> {
  const server = createServer((request, response) => {
    if (request.method === 'GET') {
      const { port } = server.address() as AddressInfo;
      return response.end(JSON.stringify({ token_endpoint: `http://127.0.0.1:${port}/token` }));
    }
    response.writeHead(answer.status, answer.headers);
    return response.end(JSON.stringify({ error: answer.error, error_description: 'of the system' }));
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

test('a key that the system cannot know yet is tried again when it has to have forgotten the one before', async (context) => {
  const answer = { status: 401, error: 'invalid_client' };
  const fresh = await refusal(context, answer, 0);
  assert.ok(fresh.isPassing && fresh.waitMs !== undefined && fresh.waitMs > 0 && fresh.waitMs <= 300_000);
  assert.match(fresh.message, /replaced a moment ago/);
  assert.equal((await refusal(context, answer, 301_000)).isPassing, false);
  assert.equal((await refusal(context, answer)).isPassing, false);
  assert.equal((await refusal(context, { status: 400, error: 'invalid_scope' }, 0)).isPassing, false);
});

test('clocks that are apart are told', async (context) => {
  const answer = (ms: number) => ({
    status: 400,
    error: 'invalid_client',
    headers: { date: new Date(Date.now() + ms).toUTCString() },
  });
  assert.match((await refusal(context, answer(-600_000))).message, /clock is (?:599|60\d) s behind ours/);
  assert.match((await refusal(context, answer(600_000))).message, /clock is (?:599|600) s ahead of ours/);
  assert.doesNotMatch((await refusal(context, answer(0))).message, /clock/);
});

test('a system that is busy is waited for as long as it says', async (context) => {
  const busy = await refusal(context, { status: 429, headers: { 'retry-after': '7' } });
  assert.deepEqual([busy.isPassing, busy.waitMs], [true, 7000]);
});
