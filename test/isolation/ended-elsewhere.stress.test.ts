/** Addresses and grants used at one process after their credential has ended at another. */
import { after, before, describe } from 'node:test';
import { openTestApp, type TestApp } from '../support/app.ts';
import { postgresSkip, startPrepared } from '../support/postgres.ts';
import { until } from '../support/until.ts';
import { endedCredentialTests } from './ended-credentials.ts';
import { householdSettings } from './world.ts';

describe('credentials that have ended at another process', { skip: postgresSkip }, () => {
  const app = {} as TestApp;
  let other: TestApp;
  let stop: () => Promise<void>;
  before(async () => {
    const database = await startPrepared();
    stop = database.stop;
    const settings = { ...householdSettings, PLOIDY_DATABASE_URL: database.url };
    Object.assign(app, await openTestApp(settings));
    other = await openTestApp({ ...settings, PLOIDY_DATA_DIR: app.folder });
  });
  after(async () => {
    await other?.stop();
    await app.stop?.();
    await stop?.();
  });
  endedCredentialTests(app, {
    at: (url) => url.replace(app.address, other.address),
    refused: (use, name) => until(async () => (await use()) === 403, `${name} is refused`),
  });
});
