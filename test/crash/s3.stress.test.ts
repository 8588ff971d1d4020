import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { TestProject } from '../inputs/project.ts';
import { type S3Server, startS3 } from '../support/s3/server.ts';
import { until } from '../support/until.ts';
import { MortalService } from './mortal-service.ts';

let s3: S3Server;
let service: MortalService;
let project: TestProject;

before(async () => {
  s3 = await startS3();
  service = await MortalService.start({ ...s3.settings });
  project = await TestProject.make(service.call, 'Crashes on S3');
});
after(async () => {
  await service?.end();
  await s3?.close();
});

const blobs = () => [...s3.bucket.objects.keys()].filter((key) => key.includes('/blobs/'));

test('a crash between blob and row leaves an orphan that is swept; arrived bytes are adopted after it', async () => {
  const made = await service.call('POST', '/v1/files', { body: { name: 'x.txt', datasetId: project.id } });
  assert.equal((await fetch(made.body.uploadUrl, { method: 'PUT', body: 'bytes' })).status, 200);
  // The blob is there, and reading it for its hash never ends.
  const never = Promise.withResolvers<void>();
  let reached = false;
  s3.fault = ({ method, url }) => {
    if (method !== 'GET' || !url?.includes('/blobs/')) return undefined;
    reached = true;
    return { after: never.promise };
  };
  const asked = service.call('GET', `/v1/files/${made.body.id}`).catch(() => undefined);
  await until(() => reached, 'the blob is being hashed');
  const [orphan = ''] = blobs();
  await service.kill();
  await asked;
  s3.fault = () => undefined;
  await service.restart();
  await until(() => !s3.bucket.objects.has(orphan), 'the orphan is swept');
  const read = await service.call('GET', `/v1/files/${made.body.id}`);
  assert.deepEqual([read.status, read.text], [200, 'bytes']);
  assert.equal(blobs().length, 1);
});

test('a crash in the middle of the parts of an object leaves an upload that is aborted', async () => {
  const foreign = s3.bucket.begin('other/prefix/blobs/0123456789abcdef0123456789abcdef');
  const made = await service.call('POST', '/v1/uploads', {
    body: { name: 'parts.bin', datasetId: project.id },
  });
  assert.equal(made.status, 200, made.text);
  const upload = `/v1/uploads/${made.body.uploadId}`;
  const part = Buffer.alloc(6 * 1024 * 1024, 7);
  for (const number of [1, 2]) {
    const { body } = await service.call('GET', `${upload}/parts/${number}`);
    assert.equal((await fetch(body.uploadUrl, { method: 'PUT', body: part })).status, 200);
  }
  // The first part of the joined object is there, and the second is never sent.
  const never = Promise.withResolvers<void>();
  let reached = false;
  s3.fault = ({ url }) => {
    if (!url?.includes('partNumber=2')) return undefined;
    reached = true;
    return { after: never.promise };
  };
  const asked = service.call('DELETE', upload).catch(() => undefined);
  const cutOff = () => [...s3.bucket.uploads].filter(([id, { parts }]) => id !== foreign && parts.size > 0);
  await until(() => reached && cutOff().length === 1, 'the object is in the middle of its parts');
  await service.kill();
  await asked;
  s3.fault = () => undefined;
  await service.restart();
  await until(() => cutOff().length === 0, 'the upload is aborted');
  assert.ok(s3.bucket.uploads.has(foreign), 'uploads of other services are left alone');
  assert.equal((await service.call('DELETE', upload)).status, 204);
  const [file] = (await service.call('GET', `/v1/files?datasetId=${project.id}&name=parts`)).body.items;
  assert.equal(file.size, 2 * part.length);
});
