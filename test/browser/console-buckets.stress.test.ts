/** Buckets of a project in a real browser: connected, looked through, looked at again, disconnected. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { firstUser } from '../../packages/server/src/domains/authentication/sign-in/tests/signed-in.fixture.ts';
import { startS3 } from '../support/s3/server.ts';
import { describePages, openChromium } from './chromium.ts';
import { fitsAndHasNoBarriers, visit } from './console-people.ts';

const s3 = await startS3();
after(() => s3.close());
const store = new URL(s3.settings['PLOIDY_BLOBS'] ?? '');
const address = `s3://${store.hostname}/ward/long-prefix-of-the-laboratory${store.search}`;

describePages(
  'buckets in the console',
  (app) => {
    let browser: Browser;
    let tab: string;
    before(async () => {
      browser = await openChromium();
      const { body } = await app.call('POST', '/v1/projects', { body: { name: 'Placed' } });
      tab = `${app.address}/projects/${body.id}/files?tab=buckets`;
    });
    after(() => browser?.close());

    test('a bucket is connected, its objects are listed as files, and it leaves the project', async () => {
      for (const name of ['a', 'b'])
        s3.bucket.put(`ward/long-prefix-of-the-laboratory/${name}.txt`, Buffer.from(`bytes of ${name}`));
      const { page, faults } = await visit(browser, app, await firstUser(app));
      await page.goto(tab);
      await page.getByText('No bucket').waitFor();
      await fitsAndHasNoBarriers(page, 'buckets-empty');
      const row = page.getByRole('table', { name: 'Buckets' }).getByRole('row').nth(1);
      const connect = async (secret: string): Promise<void> => {
        await page.getByRole('button', { name: 'Connect a bucket' }).click();
        const form = page.getByRole('dialog', { name: 'Connect a bucket' });
        await form.getByRole('textbox', { name: 'Address' }).fill(address);
        await form.getByRole('textbox', { name: 'Folder of its files' }).fill('/placed');
        await form.getByRole('textbox', { name: 'Access key id' }).fill(s3.credentials.accessKeyId);
        await form.getByLabel('Secret access key').fill(secret);
        await fitsAndHasNoBarriers(page, 'bucket-form');
        await form.getByRole('button', { name: 'Connect' }).click();
        await form.waitFor({ state: 'detached' });
      };
      const disconnect = async (): Promise<void> => {
        await row.getByRole('button', { name: 'Disconnect' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
        await page.getByText('No bucket').waitFor();
      };
      await connect('wrong');
      await row.getByText('failed', { exact: true }).waitFor();
      await fitsAndHasNoBarriers(page, 'bucket-failed');
      await disconnect();
      await connect(s3.credentials.secretAccessKey);
      await row.getByText('ready', { exact: true }).waitFor();
      await fitsAndHasNoBarriers(page, 'buckets-listed');

      await page.getByRole('tab', { name: 'Files' }).click();
      await page.getByRole('link', { name: 'placed' }).click();
      await page.getByText('b.txt', { exact: true }).waitFor();

      s3.bucket.objects.delete('ward/long-prefix-of-the-laboratory/b.txt');
      await page.goto(tab);
      await row.getByRole('button', { name: 'Look now' }).click();
      await row.getByRole('cell', { name: '1', exact: true }).first().waitFor();
      await row.getByText('ready', { exact: true }).waitFor();
      await disconnect();
      assert.equal(s3.bucket.objects.size, 1);
      await page.getByRole('tab', { name: 'Files' }).click();
      await page.getByText('No files here').waitFor();
      assert.deepEqual(faults, []);
    });
  },
  { PLOIDY_ALLOW_PRIVATE_HOSTS: 'true' },
);
