/** A study is looked over in a real browser: recent work, data over time, facets, cohorts and their counts. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { firstUser } from '../../packages/server/src/domains/authentication/sign-in/tests/signed-in.fixture.ts';
import { describePages, openChromium } from './chromium.ts';
import { ingest, visit, withoutBarriers } from './console-people.ts';

const samples = join(import.meta.dirname, '../../samples/data');
const files = ['fhir/Patient.ndjson', 'vcf/SYN0001.vcf', 'vcf/SYN0002.vcf', 'omic/expression.csv'];
const expression = readFileSync(join(samples, 'omic/expression.csv'), 'utf8')
  .split('\n')
  .map((line) => line.split(','));
/** Patient of each sample of the expression values. */
const ofPatients = [...new Set(expression.slice(1, -1).map(([sampleId = '']) => sampleId))].map(
  (sampleId) => ({
    sampleId,
    patientId: sampleId.toLowerCase().replace('syn', 'syn-'),
  }),
);

describePages('a study in the console', (app) => {
  let browser: Browser;
  let project: string;
  let women: string;

  before(async () => {
    browser = await openChromium();
    project = (await app.call('POST', '/v1/projects', { body: { name: 'Study' } })).body.id;
    for (const name of files) {
      const options = name.startsWith('omic') ? { samples: ofPatients } : {};
      await ingest(app, project, name, readFileSync(join(samples, name)), options);
    }
    const where = { patient: { demographics: { gender: [{ operator: 'eq', value: 'female' }] } } };
    const queries = [{ project, queryType: 'dsl', query: { target: 'patient', where } }];
    women = (
      await app.call('POST', '/v1/cohorts', { body: { name: 'Women', ownerProject: project, queries } })
    ).body.id;
  });
  after(() => browser?.close());

  test('the first page lists the latest work of the caller and leads back to it', async () => {
    const query = 'SELECT count(*) AS patients FROM patient';
    const body = { datasetId: project, query, outputFileName: 'patients.csv' };
    await app.call('POST', '/v1/analytics/data-lake/query', { body });
    const { page, faults } = await visit(browser, app, await firstUser(app));
    await page.goto(app.address);
    const recent = page.getByRole('table', { name: 'Recent work' });
    await recent.getByRole('link', { name: query }).waitFor();
    assert.equal(await recent.getByRole('cell', { name: 'ingestion', exact: true }).count(), files.length);
    await withoutBarriers(page, 'recent');
    await recent.getByRole('link', { name: 'Women' }).click();
    await page.getByText(/^11 of \d+ subjects/).waitFor();
    assert.match(new URL(page.url()).searchParams.get('filter') ?? '', new RegExp(women));
    const { userId } = await app.people.member('main', ['readData']);
    const { page: other } = await visit(browser, app, userId);
    await other.goto(app.address);
    await other.getByText('Your latest queries, ingestions and cohorts appear here.').waitFor();
    assert.deepEqual(faults, []);
  });

  test('the overview charts the ingested files by month and type, and a bar leads to them', async () => {
    const { page, faults } = await visit(browser, app, await firstUser(app));
    await page.goto(`${app.address}/projects/${project}?view=data`);
    const chart = page.getByRole('group', { name: 'Ingested files by month' });
    const bars = chart.getByRole('button');
    await bars.first().waitFor();
    assert.equal(await bars.count(), 3, 'expression, fhir and vcf');
    await chart.scrollIntoViewIfNeeded();
    await withoutBarriers(page, 'overview-time');
    await bars.last().click();
    await page.getByText(/Files of type vcf, ingested in \d{4}-\d\d/).waitFor();
    const table = page.getByRole('table', { name: 'Ingestions' });
    await table.getByText('vcf/SYN0002.vcf').waitFor();
    assert.equal(await table.getAttribute('aria-rowcount'), '3');
    await withoutBarriers(page, 'ingestions-of-month');
    await page.getByRole('link', { name: /Files of type vcf/ }).click();
    await table.getByText('omic/expression.csv').waitFor();
    assert.deepEqual(faults, []);
  });

  test('the keyboard reaches each bar of a chart by name, and opens what is behind it', async () => {
    const { page, faults } = await visit(browser, app, await firstUser(app));
    await page.goto(`${app.address}/projects/${project}?view=data`);
    const bars = page.getByRole('group', { name: 'Ingested files by month' }).getByRole('button');
    await bars.first().waitFor();
    await page.getByRole('button', { name: 'Save Ingested files by month' }).focus();
    const focused = (): Promise<string> =>
      page.evaluate<string>('document.activeElement?.getAttribute("aria-label") ?? ""');
    await page.keyboard.press('Tab');
    assert.match(await focused(), /^month \d{4}-\d\d, type expression, files 1, rows \d+$/);
    await page.keyboard.press('ArrowRight');
    assert.match(await focused(), /, type fhir, files 1, /);
    await page.keyboard.press('End');
    assert.match(await focused(), /, type vcf, files 2, /);
    await page.keyboard.press('ArrowRight');
    assert.match(await focused(), /, type vcf, files 2, /);
    await page.keyboard.press('Home');
    await page.keyboard.press('Tab');
    assert.doesNotMatch(await focused(), /^month /, 'one stop of Tab');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByText(/Files of type fhir, ingested in \d{4}-\d\d/).waitFor();
    assert.deepEqual(faults, []);
  });

  test('subjects are chosen by the expression of a gene and by a cohort that is turned round', async () => {
    const women = new Set(
      readFileSync(join(samples, 'fhir/Patient.ndjson'), 'utf8')
        .split('\n')
        .filter((line) => line.includes('"gender":"female"'))
        .map((line) => JSON.parse(line).id),
    );
    const high = expression.filter(([, gene, value]) => gene === 'MTOR' && Number(value) >= 12);
    const others = high.filter(([sample = '']) => !women.has(sample.toLowerCase().replace('syn', 'syn-')));
    assert.ok(others.length > 1 && others.length < high.length);
    const found = (number: number) => page.getByText(new RegExp(`^${number} of \\d+ subjects`)).waitFor();
    const { page, faults } = await visit(browser, app, await firstUser(app));
    await page.goto(`${app.address}/projects/${project}`);
    const add = page.getByRole('button', { name: 'Condition', exact: true });
    const dialogue = page.getByRole('dialog', { name: 'Add a condition' });
    await add.click();
    await dialogue.getByRole('tab', { name: 'Expression' }).click();
    await dialogue.getByRole('combobox', { name: 'Gene' }).fill('MTO');
    await page.getByRole('option', { name: 'MTOR (19)' }).click();
    await dialogue.getByText(/subjects have values, from [\d.]+ to [\d.]+/).waitFor();
    await dialogue.getByLabel('From').fill('12');
    await dialogue.getByRole('button', { name: 'Add', exact: true }).click();
    await found(high.length);
    await add.click();
    await dialogue.getByRole('tab', { name: 'Cohort' }).click();
    await dialogue.getByRole('combobox', { name: 'Members of' }).click();
    await page.getByRole('option', { name: 'Women' }).click();
    await page.getByRole('button', { name: 'Not: Cohort Women' }).click();
    await found(others.length);
    await withoutBarriers(page, 'study-of-cohorts');
    await page.reload();
    await found(others.length);
    await page.getByRole('button', { name: 'Save as cohort' }).click();
    await page.getByText('keeps the subjects that are found now').waitFor();
    await page.getByLabel('Name').fill('Men with much MTOR');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('The cohort Men with much MTOR is saved.').waitFor();
    const { body } = await app.call('GET', `/v1/cohorts?projectId=${project}&name=Men`);
    assert.equal(body.items[0].resultCount, others.length);
    assert.deepEqual(faults, []);
  });

  test('the history of a cohort shows each number that was counted', async () => {
    const patient = { resourceType: 'Patient', id: 'later', gender: 'female' };
    await ingest(app, project, 'later.ndjson', JSON.stringify(patient));
    await app.call('GET', `/v1/cohorts/${women}`);
    const { page, faults } = await visit(browser, app, await firstUser(app));
    await page.goto(`${app.address}/projects/${project}/cohorts`);
    const row = page.getByRole('row').filter({ hasText: 'Women' });
    await row.getByRole('button', { name: 'Counts' }).click();
    await page.getByRole('img', { name: 'Subjects over time' }).waitFor();
    const counts = page.getByRole('table', { name: 'Counts' });
    await counts.getByRole('cell', { name: '12', exact: true }).waitFor();
    await counts.getByRole('cell', { name: '11', exact: true }).waitFor();
    await counts.getByRole('cell', { name: 'Study' }).first().waitFor();
    await withoutBarriers(page, 'cohort-counts');
    assert.deepEqual(faults, []);
  });
});
