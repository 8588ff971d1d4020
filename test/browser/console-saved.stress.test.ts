/** Saved queries, tables of the project's own, work and the log of the account in a real browser. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { firstUser } from '../../packages/server/src/domains/authentication/sign-in/tests/signed-in.fixture.ts';
import { describePages, openChromium, photograph } from './chromium.ts';
import { fitsAndHasNoBarriers, ingest, visit, withoutBarriers } from './console-people.ts';

const patients = join(import.meta.dirname, '../../samples/data/fhir/Patient.ndjson');
const hostile = '<img src=x onerror=alert(1)><script>alert(2)</script>"\'';
const visits = [
  'patient_id,arm,smoker,crp,seen',
  'syn-0001,treated,true,4.5,2021-02-03',
  'syn-0002,treated,false,1.5,2021-03-01',
  `syn-0003,"${hostile.replaceAll('"', '""')}",true,12,2022-01-05`,
].join('\n');

describePages('saved queries and work in the console', (app) => {
  let browser: Browser;
  let project: string;

  before(async () => {
    browser = await openChromium();
    project = (await app.call('POST', '/v1/projects', { body: { name: 'Study' } })).body.id;
    await ingest(app, project, 'patients.ndjson', readFileSync(patients));
    const columns = ['arm', 'smoker', 'crp'].map((name) => ({ name, mask: 'none' }));
    await ingest(app, project, 'visits.csv', visits, { type: 'table', table: { name: 'visits', columns } });
  });
  after(() => browser?.close());

  const sql = () => `${app.address}/projects/${project}/sql`;

  test('an analyst saves a query and shares it; a reader of masked data opens it, and may not change it', async () => {
    const { page, faults } = await visit(browser, app, await firstUser(app));
    await page.goto(`${sql()}?sql=${encodeURIComponent('SELECT count(*) AS patients FROM patient')}`);
    await page.getByRole('button', { name: 'Save…' }).click();
    await page.getByLabel('Name').fill('How many');
    await page.getByLabel('Share with everybody').check();
    await withoutBarriers(page, 'save-dialogue');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved query: How many').waitFor();
    const address = page.url();
    await page.getByRole('tab', { name: 'Saved' }).click();
    await page.getByRole('table', { name: 'Saved queries' }).getByText('project', { exact: true }).waitFor();
    await withoutBarriers(page, 'saved');

    const { key, userId } = await app.people.member('main', ['readMaskedData']);
    assert.ok(key);
    const { page: reader, faults: readersFaults } = await visit(browser, app, userId);
    await reader.goto(address);
    await reader.getByText('Saved query: How many').waitFor();
    assert.equal(await reader.getByRole('button', { name: 'Save', exact: true }).count(), 0);
    await reader.getByRole('button', { name: 'Run', exact: true }).click();
    await reader.getByRole('table', { name: 'Result' }).getByRole('cell').first().waitFor();
    await reader.getByRole('tab', { name: 'Saved' }).click();
    await reader.getByRole('link', { name: 'How many' }).waitFor();
    assert.equal(await reader.getByRole('button', { name: 'Delete' }).count(), 0);
    assert.deepEqual([...faults, ...readersFaults], []);
  });

  test('a saved query is changed, renamed and deleted; the history shows the statement that ran', async () => {
    const { page, faults } = await visit(browser, app, await firstUser(app));
    const body = {
      name: hostile,
      description: hostile,
      statement: `SELECT '${hostile.replaceAll("'", '')}'`,
    };
    await app.call('POST', `/v1/projects/${project}/saved-queries`, { body });
    await page.goto(sql());
    await page.getByRole('tab', { name: 'Saved' }).click();
    await page.getByRole('link', { name: hostile }).click();
    await page.getByText(`Saved query: ${hostile}`).waitFor();
    await page.getByLabel('SQL statement').fill('SELECT 6 * 7 AS answer');
    await page.getByText('(changed)').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByLabel('Name').fill('Answer');
    await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved query: Answer').waitFor();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('cell', { name: '42', exact: true }).waitFor();
    await page.getByRole('tab', { name: 'History' }).click();
    await page.getByRole('cell', { name: 'SELECT 6 * 7 AS answer' }).first().waitFor();
    await page.getByRole('button', { name: 'Download as…' }).click();
    await page.getByRole('menuitem', { name: 'Parquet' }).waitFor();
    await photograph(page, 'console-download');
    await page.keyboard.press('Escape');
    await page.getByRole('tab', { name: 'Saved' }).click();
    const row = page.getByRole('row').filter({ hasText: 'Answer' });
    await row.getByRole('button', { name: 'Rename or share' }).click();
    await page.getByLabel('Name').fill('The answer');
    await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
    const renamed = page.getByRole('row').filter({ hasText: 'The answer' });
    await renamed.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await renamed.waitFor({ state: 'detached' });
    assert.deepEqual(faults, []);
  });

  test('columns of an own table are conditions, by values and by ranges', async () => {
    const { page, faults } = await visit(browser, app, await firstUser(app));
    await page.goto(`${app.address}/projects/${project}`);
    const add = page.getByRole('button', { name: 'Condition', exact: true });
    const dialogue = page.getByRole('dialog', { name: 'Add a condition' });
    const choose = async (property: string): Promise<void> => {
      await add.click();
      await dialogue.getByRole('tab', { name: 'Property' }).click();
      await dialogue.getByRole('combobox', { name: 'Property' }).click();
      await page.getByRole('option', { name: property, exact: true }).click();
    };
    await choose('visits: arm');
    await dialogue.getByRole('combobox', { name: 'Values of visits: arm' }).click();
    await page.getByRole('option', { name: 'treated (2)' }).click();
    await withoutBarriers(page, 'own-property');
    // Closes the list, which covers the button below it.
    await page.keyboard.press('Tab');
    await dialogue.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText(/^2 of \d+ subjects/).waitFor();
    await choose('visits: crp');
    await dialogue.getByLabel('From').fill('2');
    await dialogue.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText(/^1 of \d+ subjects/).waitFor();
    await page.reload();
    await page.getByText(/^1 of \d+ subjects/).waitFor();
    assert.equal(await page.locator('img[src=x]').count(), 0);
    assert.deepEqual(faults, []);
  });

  test('an administrator cancels work of the account, sees its storage, and verifies the log', async () => {
    const endless = 'SELECT count(*) FROM range(100000000) a, range(100000000) b';
    const body = { datasetId: project, query: endless, outputFileName: 'endless.csv' };
    const { queryId } = (await app.call('POST', '/v1/analytics/data-lake/query', { body })).body;
    const { page, faults } = await visit(browser, app, await firstUser(app));
    await page.goto(`${app.address}/account/work`);
    const work = page.getByRole('table', { name: 'Running work' });
    await work.getByText(endless).waitFor();
    await page.getByRole('table', { name: 'Storage' }).getByRole('link', { name: 'Study' }).waitFor();
    await withoutBarriers(page, 'work');
    await work.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('No running work').waitFor();
    const { state } = (await app.call('GET', `/v1/analytics/data-lake/query/${queryId}`)).body;
    assert.equal(state, 'cancelled');
    await page.getByRole('link', { name: 'Audit' }).click();
    await page.getByRole('button', { name: 'Verify the log' }).click();
    await page.getByText(/All \d+ events are intact/).waitFor();
    await withoutBarriers(page, 'audit-verified');
    assert.deepEqual(faults, []);
  });

  test('an administrator sees the state of the service; other members are refused', async () => {
    const { page, faults } = await visit(browser, app, await firstUser(app));
    await page.goto(`${app.address}/account/health`);
    await page.getByText('ready', { exact: true }).waitFor();
    await page.getByText('There is no backup.').waitFor();
    await page.getByText(/are free$/).waitFor();
    await fitsAndHasNoBarriers(page, 'health');
    const { userId } = await app.people.member('main', ['readData']);
    const { page: member, faults: others } = await visit(browser, app, userId);
    await member.goto(`${app.address}/account/health`);
    await member.getByRole('alert').getByText('You have no right to this').waitFor();
    assert.equal(await member.getByRole('link', { name: 'Health' }).count(), 0);
    assert.deepEqual([...faults, ...others], []);
  });

  test('the audit log shows names; titles, copies and files keep the ids', async () => {
    const { page, faults } = await visit(browser, app, await firstUser(app));
    const { items } = (await app.call('GET', `/v1/files?datasetId=${project}`)).body;
    const [file] = items;
    await page.goto(`${app.address}/account/audit?resource=${file.id}`);
    const table = page.getByRole('table', { name: 'Audit' });
    await table.getByRole('cell', { name: 'Study', exact: true }).first().waitFor();
    await page.getByLabel('Names of files').check();
    const named = table.getByRole('cell', { name: `file ${file.name}`, exact: true }).first();
    await named.waitFor();
    assert.match((await named.getAttribute('title')) ?? '', new RegExp(`file ${file.id}$`));
    await page.getByLabel('Filter Audit').fill(file.name);
    await named.waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'CSV' }).click(),
    ]);
    const text = readFileSync(await download.path(), 'utf8');
    assert.ok(text.includes(`file ${file.id},${project}`), text.slice(0, 400));
    assert.ok(!text.includes(file.name));
    assert.deepEqual(faults, []);
  });

  test('an administrator names the identity provider of an application, and downloads the metadata', async () => {
    const client = { name: 'Portal', callbackUrls: ['https://portal.example/back'] };
    await app.call('POST', '/v1/clients', { body: client });
    const { page, faults } = await visit(browser, app, await firstUser(app));
    await page.goto(`${app.address}/account/people?tab=saml`);
    await page
      .getByRole('row', { name: /Portal/ })
      .getByRole('button', { name: 'Provider' })
      .click();
    await page.getByLabel('Address of its metadata').fill('https://idp.example/metadata');
    await page.getByLabel('Attributes').fill('mail=email');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('cell', { name: 'https://idp.example/metadata' }).waitFor();
    const test = await page.getByRole('link', { name: 'Test' }).getAttribute('href');
    assert.match(test ?? '', /^\/v1\/saml\/sign-in\?request=response_type/);
    const saved = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download metadata', exact: true }).click();
    assert.match(readFileSync(await (await saved).path(), 'utf8'), /EntityDescriptor/);
    await withoutBarriers(page, 'saml');
    assert.deepEqual(faults, []);
  });

  test('a member without rights is offered neither data nor changes on the new pages', async () => {
    const { userId } = await app.people.member('main', []);
    const { page, faults } = await visit(browser, app, userId);
    await page.goto(sql());
    await page.getByRole('tab', { name: 'Saved' }).click();
    await page.getByRole('alert').first().waitFor();
    await page.goto(`${app.address}/account/work`);
    await page.getByText('No running work').waitFor();
    assert.equal(await page.getByRole('table', { name: 'Storage' }).count(), 0);
    await page.goto(`${app.address}/account/people?tab=saml`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    assert.equal(await page.getByRole('tab', { name: 'Single sign-on' }).count(), 0);
    assert.deepEqual(faults, []);
  });
});
