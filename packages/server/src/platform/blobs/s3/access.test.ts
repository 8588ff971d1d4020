import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { inspect } from 'node:util';
import type { Credentials } from '../../../../../../test/support/s3/authentication.ts';
import { onS3, openS3 } from '../stores.fixture.ts';

const temporary = (number: number): Credentials => ({
  accessKeyId: `ASIATEMPORARY${number}`,
  secretAccessKey: `temporary/secret+${number}`,
  sessionToken: `token/of+session=${number}`,
});

/** Variables of the AWS environment for one test, without those of the machine. */
function setEnvironment(context: TestContext, variables: Record<string, string>): void {
  const before = { ...process.env };
  context.after(() => {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    Object.assign(process.env, before);
  });
  for (const name of Object.keys(process.env)) if (name.startsWith('AWS_')) delete process.env[name];
  const nowhere = join(tmpdir(), 'no-aws-configuration');
  const files = { AWS_CONFIG_FILE: nowhere, AWS_SHARED_CREDENTIALS_FILE: nowhere };
  Object.assign(process.env, files, { AWS_EC2_METADATA_DISABLED: 'true' }, variables);
}

/** Returns a store whose settings hold no key. */
async function openKeyless(context: TestContext, settings: Record<string, string> = {}) {
  const { store, server, folder } = await onS3(context);
  const { PLOIDY_BLOBS = '' } = server.settings;
  const blobs = await openS3(folder, { PLOIDY_BLOBS, ...settings }, store.records);
  context.after(() => blobs.close());
  return { blobs, server };
}

/** AWS STS, as far as roles by web identity need it: each call returns the next temporary credentials. */
async function startSts(context: TestContext, lifeMs: number) {
  const asked: URLSearchParams[] = [];
  const server = createServer(async (request, response) => {
    asked.push(new URLSearchParams(await text(request)));
    const { accessKeyId, secretAccessKey, sessionToken } = temporary(asked.length);
    const expiration = new Date(Date.now() + lifeMs).toISOString();
    response.writeHead(200, { 'content-type': 'text/xml' }).end(
      `<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
        <AssumeRoleWithWebIdentityResult><Credentials>
          <AccessKeyId>${accessKeyId}</AccessKeyId><SecretAccessKey>${secretAccessKey}</SecretAccessKey>
          <SessionToken>${sessionToken}</SessionToken><Expiration>${expiration}</Expiration>
        </Credentials></AssumeRoleWithWebIdentityResult>
      </AssumeRoleWithWebIdentityResponse>`,
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-sts-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'token'), 'identity of the pod');
  setEnvironment(context, {
    AWS_ENDPOINT_URL_STS: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    AWS_ROLE_ARN: 'arn:aws:iam::123456789012:role/ploidy',
    AWS_WEB_IDENTITY_TOKEN_FILE: join(folder, 'token'),
    AWS_REGION: 'eu-test-1',
  });
  return asked;
}

test('a session token of the environment signs requests and addresses', async (context) => {
  const { blobs, server } = await openKeyless(context);
  const { accessKeyId, secretAccessKey, sessionToken = '' } = temporary(1);
  setEnvironment(context, {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: sessionToken,
  });
  server.credentials = temporary(1);
  const { key } = await blobs.put(Readable.from(['bytes']));
  assert.equal(String(await buffer(await blobs.open(key))), 'bytes');
  const expiresAt = Date.now() + 60_000;
  const upload = (await blobs.direct?.uploadUrl('place', { expiresAt })) ?? '';
  assert.equal((await fetch(upload, { method: 'PUT', body: 'x' })).status, 200);
  assert.equal((await fetch(upload.replace('session', 'other'), { method: 'PUT', body: 'x' })).status, 403);
});

// asvs: 13.2.1
test('a role by web identity is assumed once while its credentials are valid', async (context) => {
  const asked = await startSts(context, 3_600_000);
  const { blobs, server } = await openKeyless(context);
  server.credentials = temporary(1);
  await Promise.all([blobs.put(Readable.from(['a'])), blobs.put(Readable.from(['b']))]);
  await blobs.direct?.uploadUrl('place', { expiresAt: Date.now() + 60_000 });
  assert.equal(asked.length, 1);
  assert.deepEqual(
    ['Action', 'RoleArn', 'WebIdentityToken'].map((name) => asked[0]?.get(name)),
    ['AssumeRoleWithWebIdentity', 'arn:aws:iam::123456789012:role/ploidy', 'identity of the pod'],
  );
});

test('a role is assumed again before its credentials expire', async (context) => {
  const asked = await startSts(context, 30_000);
  const { blobs, server } = await openKeyless(context);
  const used = new Set<string>();
  server.fault = ({ headers }) => {
    const [, number = ''] = /session=(\d+)$/.exec(String(headers['x-amz-security-token'])) ?? [];
    used.add(number);
    server.credentials = temporary(Number(number));
    return undefined;
  };
  for (const bytes of ['a', 'b', 'c']) await blobs.put(Readable.from([bytes]));
  assert.ok(used.size > 1, `${asked.length} calls of STS, used ${[...used]}`);
});

test('a store without credentials is 503, and a failure shows no secret', async (context) => {
  setEnvironment(context, {});
  const { blobs } = await openKeyless(context);
  await assert.rejects(blobs.put(Readable.from(['x'])), { status: 503, code: 'STORAGE_UNAVAILABLE' });

  const { accessKeyId, secretAccessKey, sessionToken = '' } = temporary(7);
  setEnvironment(context, {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: sessionToken,
  });
  const refused = await openKeyless(context);
  for (const fault of ['drop', { status: 403, code: 'SignatureDoesNotMatch' }, undefined] as const) {
    refused.server.fault = () => fault;
    const error: unknown = await refused.blobs.open('a'.repeat(32)).then(
      () => assert.fail('it should be refused'),
      (found: unknown) => found,
    );
    const shown = inspect(error, { depth: 20, showHidden: true });
    for (const secret of [accessKeyId, secretAccessKey, sessionToken, 'Signature=', 'authorization'])
      assert.ok(!shown.toLowerCase().includes(secret.toLowerCase()), `${secret} is shown`);
  }
});

for (const [encryption, kmsKey] of [
  ['aws:kms', 'alias/ploidy'],
  ['AES256', ''],
  ['none', ''],
] as const)
  test(`every object is written with the encryption ${encryption}`, async (context) => {
    const { store, server, folder } = await onS3(context);
    const settings = {
      ...server.settings,
      PLOIDY_S3_ENCRYPTION: [encryption, kmsKey].filter(Boolean).join(':'),
    };
    const blobs = await openS3(folder, settings, store.records);
    context.after(() => blobs.close());
    const seen = new Map<string, unknown[]>();
    server.fault = ({ method, url = '', headers }) => {
      const isPart = url.includes('partNumber=') || url.includes('uploadId=');
      const kind = headers['x-amz-copy-source'] ? 'copy' : url.includes('?uploads') ? 'parts' : method;
      const asked = [
        headers['x-amz-server-side-encryption'],
        headers['x-amz-server-side-encryption-aws-kms-key-id'],
      ];
      if (!isPart) seen.set(String(kind), asked);
      return undefined;
    };
    const { key } = await blobs.put(Readable.from(['small']));
    await blobs.put(Readable.from([Buffer.alloc(17_000_000)]));
    const upload = (await blobs.direct?.uploadUrl('place', { expiresAt: Date.now() + 60_000 })) ?? '';
    assert.equal((await fetch(upload, { method: 'PUT', body: 'x' })).status, 200);
    seen.delete('PUT');
    await blobs.put(Readable.from(['small']));
    const arrival = await blobs.direct?.arrival('place');
    assert.ok(arrival);
    await blobs.direct?.take(arrival, {});
    await blobs.open(key);
    const wanted = [encryption === 'none' ? undefined : encryption, kmsKey || undefined];
    for (const kind of ['PUT', 'parts', 'copy']) assert.deepEqual(seen.get(kind), wanted, kind);
    assert.deepEqual(seen.get('GET'), [undefined, undefined]);
  });
