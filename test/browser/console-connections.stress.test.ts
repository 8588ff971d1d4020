/** Connections to EHR systems in a real browser: made, tested, pulled from. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { firstUser } from '../../packages/server/src/domains/authentication/sign-in/tests/signed-in.fixture.ts';
import { ehrSettings } from '../../packages/server/src/domains/ehrs/ehr-project.fixture.ts';
import { smallResources } from '../support/fhir/sample-resources.ts';
import { TestFhirServer } from '../support/fhir/server.ts';
import { describePages, openChromium } from './chromium.ts';
import { fitsAndHasNoBarriers, visit, withoutBarriers } from './console-people.ts';

describePages(
  'connections in the console',
  (app) => {
    let browser: Browser;
    let server: TestFhirServer;
    let project: string;
    before(async () => {
      browser = await openChromium();
      server = await TestFhirServer.start({
        resources: smallResources(4, 1, 'ward'),
        authorization: 'right',
      });
      project = (await app.call('POST', '/v1/projects', { body: { name: 'Ward' } })).body.id;
      const schedule = { cron: '15 3 * * mon-fri', datasetId: project };
      const body = { name: 'Hospital', apiBaseUrl: server.url, apiKey: 'wrong', schedule };
      assert.equal((await app.call('POST', '/v1/ehrs', { body })).status, 201);
    });
    after(async () => {
      await browser?.close();
      await server?.stop();
    });

    test('a test of a connection names what fails and the remedy, and what works once it is mended', async () => {
      const { page, faults } = await visit(browser, app, await firstUser(app));
      await page.goto(`${app.address}/account/connections`);
      await page.getByRole('cell', { name: 'On Monday to Friday at 03:15 UTC' }).waitFor();
      await withoutBarriers(page, 'connections-listed');
      const button = page.getByRole('button', { name: 'Test the connection to Hospital' });
      await button.click();
      await page.getByText('The connection does not work.').waitFor();
      await page.getByText(/Enter apiKey and apiSecret again/).waitFor();
      await withoutBarriers(page, 'connection-refused');
      await page.keyboard.press('Escape');
      const { body } = await app.call('GET', '/v1/ehrs');
      await app.call('PATCH', `/v1/ehrs/${body.items[0].id}`, { body: { apiKey: 'right' } });
      await button.focus();
      await page.keyboard.press('Enter');
      await page.getByText('The connection works. You can start a sync.').waitFor();
      await withoutBarriers(page, 'connection-works');
      assert.deepEqual(faults, []);
    });

    test('a new connection is tested at once; one that fails is removed, corrected, and kept when it works', async () => {
      const { page, faults } = await visit(browser, app, await firstUser(app));
      await page.goto(`${app.address}/account/connections`);
      await page.getByRole('button', { name: 'New connection' }).click();
      const form = page.getByRole('dialog', { name: 'New connection' });
      await form.getByRole('combobox', { name: 'System' }).click();
      await page.getByRole('option', { name: 'Epic' }).click();
      await form.getByText(/Backend Systems/).waitFor();
      await form.getByLabel('Private key (PEM)').waitFor();
      await fitsAndHasNoBarriers(page, 'connection-form');
      await form.getByRole('combobox', { name: 'Sign-in' }).click();
      await page.getByRole('option', { name: 'Fixed header' }).click();
      await form.getByRole('textbox', { name: 'Name', exact: true }).fill('Second');
      await form.getByLabel('FHIR address').fill(server.url);
      await form.getByLabel('Value of the header Authorization').fill('wrong');
      await form.getByRole('button', { name: 'Create and test' }).click();
      await form.getByText('The connection does not work.').waitFor();
      await form.getByRole('button', { name: 'Remove and correct' }).click();
      await form.getByLabel('Value of the header Authorization').fill('right');
      await form.getByRole('button', { name: 'Create and test' }).click();
      await form.waitFor({ state: 'detached' });
      const { body } = await app.call('GET', '/v1/ehrs');
      const made = body.items.filter(({ name }: { name: string }) => name === 'Second');
      assert.equal(made.length, 1);
      await app.call('DELETE', `/v1/ehrs/${made[0].id}`);
      assert.deepEqual(faults, []);
    });

    test('a sync that runs is work of the account, and is cancelled there', async () => {
      const { body } = await app.call('GET', '/v1/ehrs');
      const path = `/v1/ehrs/${body.items[0].id}`;
      await app.call('PATCH', path, { body: { apiKey: 'right', delayBetweenRecords: 3_600_000 } });
      const begun = await app.call('POST', `${path}/sync`, { body: { datasetId: project } });
      assert.equal(begun.status, 202, begun.text);
      const { page, faults } = await visit(browser, app, await firstUser(app));
      await page.goto(`${app.address}/account/work`);
      const work = page.getByRole('table', { name: 'Running work' });
      const row = work.getByRole('row').filter({ hasText: 'Hospital' });
      await row.getByRole('cell', { name: 'sync', exact: true }).waitFor();
      await withoutBarriers(page, 'work-sync');
      await row.getByRole('button', { name: 'Cancel' }).click();
      await page.getByText('No running work').waitFor();
      const { state } = (await app.call('GET', `${path}/syncs/${begun.body.id}`)).body;
      assert.equal(state, 'cancelled');
      assert.deepEqual(faults, []);
    });
  },
  ehrSettings,
);
