import { after, before, describe } from 'node:test';
import { openTestApp, type TestApp } from '../../../../../../test/support/app.ts';
import { type S3Server, startS3 } from '../../../../../../test/support/s3/server.ts';
import { copyTests } from './copies.fixture.ts';

describe('copies of tables in a store of S3', () => {
  const app = {} as TestApp;
  let s3: S3Server;

  before(async () => {
    s3 = await startS3();
    Object.assign(app, await openTestApp(s3.settings));
  });
  after(async () => {
    await app.stop?.();
    await s3.close();
  });
  copyTests(app);
});
