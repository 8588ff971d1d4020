/** Buckets whose objects are files of a project, by the command line. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { commandLine } from '../support/command-line.ts';
import { type S3Server, startS3 } from '../support/s3/server.ts';
import { startServer, type TestServer } from '../support/server.ts';

const { home, run, json, remove } = commandLine();
let server: TestServer;
let s3: S3Server;

before(async () => {
  s3 = await startS3();
  server = await startServer({ settings: { PLOIDY_ALLOW_PRIVATE_HOSTS: 'true' } });
  await json('login', '--first-run', server.folder, '--address', server.baseUrl);
  await run('projects', 'create', 'Placed');
  await run('projects', 'use', 'Placed');
});

after(async () => {
  await server?.stop();
  await s3?.close();
  remove();
});

test('a bucket is connected, read, looked at again and disconnected', async () => {
  s3.bucket.put('runs/a.txt', Buffer.from('first bytes'));
  const store = new URL(s3.settings['PLOIDY_BLOBS'] ?? '');
  const address = `s3://${store.hostname}/runs${store.search}`;
  const { accessKeyId, secretAccessKey } = s3.credentials;
  const secret = join(home, 'secret');
  writeFileSync(secret, `${secretAccessKey}\n`);
  const options = ['--folder', 'in', '--key', accessKeyId, '--secret', secret];
  const made = await json('buckets', 'connect', address, ...options);
  assert.deepEqual([made.state, made.files], ['ready', 1]);
  assert.equal((await run('files', 'cat', 'in/a.txt')).out, 'first bytes');
  s3.bucket.put('runs/b.txt', Buffer.from('second'));
  const looked = await run('buckets', 'look', made.id);
  assert.match(looked.out, /2 files, 17 bytes; 0 objects skipped/);
  const [listed] = await json('buckets', 'ls');
  assert.deepEqual([listed.id, listed.files], [made.id, 2]);
  const refused = await run(
    'buckets',
    'connect',
    address,
    '--key',
    accessKeyId,
    '--secret',
    join(home, 'none'),
  );
  assert.notEqual(refused.code, 0);
  assert.match((await run('buckets', 'rm', made.id)).out, /are being removed/);
  assert.ok(s3.bucket.objects.has('runs/a.txt'));
});
