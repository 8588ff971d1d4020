/** Charts of a study choose subjects together in a real browser. Every number of subjects opens a list of as many. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { firstUser } from '../../packages/server/src/domains/authentication/sign-in/tests/signed-in.fixture.ts';
import { describePages, openChromium } from './chromium.ts';
import { ingest, visit, withoutBarriers } from './console-people.ts';

const samples = join(import.meta.dirname, '../../samples/data');
const files = [
  'fhir/Patient.ndjson',
  'fhir/Condition.ndjson',
  'fhir/Specimen.ndjson',
  'fhir/syn-0007.bundle.json',
];
/** Invented patients with melanoma and BRAF V600E (samples/expected.ts). */
/** Another patient with the variant has melanoma ruled out. */
const wanted = ['syn-0001', 'syn-0013'];

describePages('the charts of a study', (app) => {
  let browser: Browser;
  let project: string;
  before(async () => {
    browser = await openChromium();
    project = (await app.call('POST', '/v1/projects', { body: { name: 'Study' } })).body.id;
    const calls = readdirSync(join(samples, 'vcf')).map((name) => `vcf/${name}`);
    for (const name of [...files, ...calls])
      await ingest(app, project, name, readFileSync(join(samples, name)));
  });
  after(() => browser?.close());

  const listed = async (page: Page): Promise<number> =>
    Number(await page.getByRole('table', { name: 'Subjects' }).getAttribute('aria-rowcount')) - 1;

  test('melanoma and BRAF V600E are found by a click and a form, with one request for each state', async () => {
    const { page, faults } = await visit(browser, app, await firstUser(app));
    let asked = 0;
    await page.goto(`${app.address}/projects/${project}`);
    const diagnosis = page.getByRole('group', { name: 'Diagnosis' });
    const melanoma = diagnosis.getByRole('button', { name: /^Malignant melanoma/ });
    await melanoma.waitFor();
    page.on('request', (request) => {
      if (request.url().endsWith('/v1/analytics/study/query')) asked += 1;
    });
    await melanoma.click();
    await page.getByText(/^8 of 20 subjects/).waitFor();
    assert.equal(asked, 1);
    assert.equal(await melanoma.getAttribute('aria-pressed'), 'true');
    assert.ok((await diagnosis.getByRole('button').count()) > 1, 'other bars keep their counts');
    await page.getByRole('button', { name: 'Condition', exact: true }).click();
    const form = page.getByRole('dialog', { name: 'Add a condition' });
    await form.getByRole('combobox', { name: 'Gene' }).fill('BRAF');
    await form.getByRole('combobox', { name: 'Protein change or codon' }).fill('V600E');
    await page.getByRole('option', { name: 'V600E', exact: true }).click();
    await form.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText(/^2 of 20 subjects/).waitFor();
    await withoutBarriers(page, 'study');
    await page.getByRole('tab', { name: 'Subjects' }).click();
    for (const id of wanted) await page.getByRole('link', { name: id, exact: true }).waitFor();
    assert.equal(await listed(page), wanted.length);
    await page.getByRole('button', { name: /^Not: BRAF/ }).click();
    await page.getByText(/^6 of 20 subjects/).waitFor();
    await page.goBack();
    await page.getByText(/^2 of 20 subjects/).waitFor();
    assert.deepEqual(faults, []);
  });

  test('each number of subjects of a gene opens a list of as many', async () => {
    const { page, faults } = await visit(browser, app, await firstUser(app));
    const gene = `${app.address}/projects/${project}/variants?gene=BRAF`;
    const regions = `${gene}&region=chr7:140753336-140753336`;
    for (const [address, name] of [
      [gene, /^\d+ subjects?$/],
      [`${gene}&change=V600E`, /^4 subjects$/],
      [regions, /^6 carriers$/],
    ] as const) {
      await page.goto(address);
      const button = page.getByRole('link', { name });
      await button.waitFor();
      const number = Number.parseInt(await button.innerText(), 10);
      await button.click();
      await page.getByText(new RegExp(`^${number} of 20 subjects`)).waitFor();
      await page.getByRole('table', { name: 'Subjects' }).waitFor();
      assert.equal(await listed(page), number, address);
    }
    await page.goto(gene);
    const rows = page.getByRole('table', { name: 'Mutations' }).getByRole('row');
    await rows.nth(1).waitFor();
    for (let at = 1; at < Math.min(4, await rows.count()); at++) {
      const link = rows.nth(at).getByRole('link', { name: /^\d+$/ });
      const number = Number(await link.innerText());
      await link.click();
      await page.getByText(new RegExp(`^${number} of 20 subjects`)).waitFor();
      await page.getByRole('table', { name: 'Subjects' }).waitFor();
      assert.equal(await listed(page), number);
      await page.goBack();
      await rows.nth(1).waitFor();
    }
    assert.deepEqual(faults, []);
  });

  test('a dot along the protein chooses its change, beside the domains', async () => {
    const { page, faults } = await visit(browser, app, await firstUser(app));
    await page.goto(`${app.address}/projects/${project}/variants?gene=BRAF`);
    const drawing = page.getByRole('group', { name: /^Changes of the protein of BRAF \(P15056/ });
    await drawing.getByRole('button', { name: /V600E/ }).click();
    await page.getByRole('button', { name: 'V600E ×' }).waitFor();
    assert.equal(new URL(page.url()).searchParams.get('change'), 'V600E');
    await drawing.getByText('PK_Tyr_Ser-Thr', { exact: true }).waitFor();
    await withoutBarriers(page, 'gene');
    assert.deepEqual(faults, []);
  });

  test('a chart is added by search, widened and removed, and the address keeps the layout', async () => {
    const { page, faults } = await visit(browser, app, await firstUser(app));
    await page.goto(`${app.address}/projects/${project}`);
    await page.getByRole('button', { name: 'Add charts' }).click();
    await page.getByLabel('Search charts').fill('marital');
    await page.getByRole('button', { name: 'Add the chart Marital status' }).click();
    await page.keyboard.press('Escape');
    const card = page.getByRole('region', { name: 'Marital status' });
    await card.getByRole('button', { name: 'Chart Marital status' }).click();
    await page.getByRole('menuitem', { name: 'Wider' }).click();
    await page.reload();
    await card.waitFor();
    assert.match((await card.getAttribute('style')) ?? '', /span 2/);
    await card.getByRole('button', { name: 'Chart Marital status' }).click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    await card.waitFor({ state: 'detached' });
    assert.deepEqual(faults, []);
  });
});
