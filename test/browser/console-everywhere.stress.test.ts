/** Parts of every page of the console: a search, the focus on the heading, and patience while the service restarts. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { connectionsOf } from '../../packages/console/src/connect/lines.ts';
import { firstUser } from '../../packages/server/src/domains/authentication/sign-in/tests/signed-in.fixture.ts';
import { describePages, openChromium } from './chromium.ts';
import { ingest, visit, withoutBarriers } from './console-people.ts';

const samples = join(import.meta.dirname, '../../samples/data');
const built = join(import.meta.dirname, '../../packages/console/dist');
/** Scripts of the first page, packed. */
const scriptsMaxBytes = 200_000;

describePages('every page of the console', (app) => {
  let browser: Browser;
  let project: string;
  before(async () => {
    browser = await openChromium();
    project = (await app.call('POST', '/v1/projects', { body: { name: 'Search' } })).body.id;
    await ingest(app, project, 'fhir/Patient.ndjson', readFileSync(join(samples, 'fhir/Patient.ndjson')));
    await ingest(app, project, 'genes.vcf', readFileSync(join(samples, 'vcf/SYN0001.vcf')));
    const saved = { name: 'Carriers of BRAF', statement: 'SELECT 1', description: '' };
    await app.call('POST', `/v1/projects/${project}/saved-queries`, { body: saved });
    const query = { project, queryType: 'sql', query: { sql: 'SELECT patient_id FROM patient' } };
    await app.call('POST', '/v1/cohorts', {
      body: { name: 'All شجرة', ownerProject: project, queries: [query] },
    });
  });
  after(() => browser?.close());

  /** Searches for a text by the keyboard alone, and opens the first place of a name. */
  const open = async (page: Page, text: string, name: string, kind: string): Promise<void> => {
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search for' }).fill(text);
    const option = page.getByRole('option', { name: `${name} ${kind}` });
    await option.waitFor();
    for (let press = 0; press < 30 && (await option.getAttribute('aria-selected')) !== 'true'; press++)
      await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  };
  const focused = (page: Page) => page.evaluate<string>('document.activeElement.textContent');

  test('genes, subjects, cohorts, files, saved queries and pages are found from the keyboard', async () => {
    const { page, faults } = await visit(browser, app, await firstUser(app));
    await page.goto(`${app.address}/projects/${project}/files`);
    await page.getByRole('heading', { level: 1, name: 'Files' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search for' }).fill('syn-000');
    await page.getByRole('option', { name: 'syn-0001 subject' }).waitFor();
    await withoutBarriers(page, 'search');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await open(page, 'braf', 'BRAF', 'gene');
    await page.waitForURL(/variants\?gene=BRAF/);
    await open(page, 'syn-0003', 'syn-0003', 'subject');
    await page.waitForURL(/subjects\/syn-0003/);
    await open(page, 'carriers', 'Carriers of BRAF', 'saved query');
    await page.waitForURL(/sql\?saved=/);
    await open(page, 'شجرة', 'All شجرة', 'cohort');
    await page.waitForURL(/view=subjects/);
    await open(page, 'fhir/Pat', 'fhir/Patient.ndjson', 'file');
    await page.waitForURL(/files\?prefix=fhir/);
    await open(page, 'compare', 'Compare', 'page');
    await page.getByRole('heading', { level: 1, name: 'Compare' }).waitFor();
    assert.deepEqual(faults, []);
  });

  test('the heading of a page that was chosen has the focus', async () => {
    const { page } = await visit(browser, app, await firstUser(app));
    await page.goto(`${app.address}/projects/${project}/files`);
    await page.getByRole('heading', { level: 1, name: 'Files' }).waitFor();
    assert.notEqual(await focused(page), 'Files');
    await page.getByRole('link', { name: 'Cohorts', exact: true }).click();
    await page.locator('h1:focus', { hasText: 'Cohorts' }).waitFor();
  });

  test('a page that is chosen while the service restarts opens when it is back', async () => {
    const { page, faults } = await visit(browser, app, await firstUser(app));
    await page.goto(`${app.address}/me`);
    await page.getByRole('heading', { level: 1, name: 'Me' }).waitFor();
    await page.route('**/*', (route) => route.abort('connectionrefused'));
    await page.getByRole('link', { name: 'Work and storage' }).click();
    await page.getByText('Reconnecting…').waitFor();
    await page.mouse.move(100, 700);
    await withoutBarriers(page, 'reconnecting');
    await page.unroute('**/*');
    await page.getByRole('heading', { level: 1, name: 'Work and storage' }).waitFor();
    await page.getByRole('table', { name: 'Storage' }).waitFor();
    await page.getByText('Reconnecting…').waitFor({ state: 'detached' });
    assert.deepEqual(faults, []);
  });

  test('the page Connect shows the lines that are run, without a key', async () => {
    const { page, faults } = await visit(browser, app, await firstUser(app));
    await page.goto(`${app.address}/projects/${project}/connect`);
    await page.getByRole('region', { name: 'Lines for Beacon' }).waitFor();
    const [file] = (await app.call('GET', `/v1/files?datasetId=${project}&pageSize=1`)).body.items;
    const target = { origin: app.address, account: app.account, project, file: file.id };
    for (const { name, lines } of connectionsOf(target)) {
      const shown = page.getByRole('region', { name: `Lines for ${name}`, exact: true });
      assert.equal(await shown.textContent(), lines);
    }
    await withoutBarriers(page, 'connect');
    assert.deepEqual(faults, []);
  });

  test('an upload that was cut off is listed until its file is chosen again or it is removed', async () => {
    const { page, faults } = await visit(browser, app, await firstUser(app));
    const body = { name: 'cut.bam', datasetId: project, size: 52_428_800 };
    const { id, uploadId } = (await app.call('POST', '/v1/uploads', { body })).body;
    const { uploadUrl } = (await app.call('GET', `/v1/uploads/${uploadId}/parts/1`)).body;
    await fetch(uploadUrl, { method: 'PUT', body: Buffer.alloc(1_048_576) });
    const kept = JSON.stringify({ id, uploadId, parts: [1] });
    await page.addInitScript(
      `localStorage['ploidy-upload:${project}:1:52428800:1767225600000'] ??= '${kept}'`,
    );
    await page.goto(`${app.address}/projects/${project}/files`);
    await page.getByText(/^cut.bam: 1.0 MiB of 50.0 MiB arrived/).waitFor();
    await withoutBarriers(page, 'unfinished');
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Choose the file again' }).click();
    const other = { name: 'other.txt', mimeType: 'text/plain', buffer: Buffer.from('x') };
    await (await chooser).setFiles(other);
    await page.getByText('This is another file').waitFor();
    await page.getByRole('button', { name: 'Remove cut.bam' }).click();
    await page.getByText('Uploads that are not complete').waitFor({ state: 'detached' });
    assert.deepEqual(faults, []);
  });

  test('the scripts of the first page stay small', () => {
    const scripts = [
      ...readFileSync(join(built, 'index.html'), 'utf8').matchAll(/"\.(\/assets\/[^"]+\.js)"/g),
    ];
    assert.ok(scripts.length > 0);
    const bytes = scripts.reduce((sum, [, path]) => sum + readFileSync(join(built, `${path}.gz`)).length, 0);
    assert.ok(bytes <= scriptsMaxBytes, `${bytes} bytes`);
  });
});
