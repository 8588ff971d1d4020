/** The page of a subject in a real browser: summary, history, alterations by sample, folded tables. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { tarGz } from '../../packages/converters/src/study/archives.fixture.ts';
import { studyFolder } from '../../packages/converters/src/study/study-folder.fixture.ts';
import { firstUser } from '../../packages/server/src/domains/authentication/sign-in/tests/signed-in.fixture.ts';
import { describePages, openChromium } from './chromium.ts';
import { fitsAndHasNoBarriers, ingest, visit, withoutBarriers } from './console-people.ts';

const samples = join(import.meta.dirname, '../../samples/data');
const tables = ['Patient', 'Condition', 'MedicationRequest', 'MedicationStatement', 'Procedure', 'Encounter'];
const files = [...tables, 'Media', 'Specimen'].map((name) => `fhir/${name}.ndjson`);

describePages('a subject in the console', (app) => {
  let browser: Browser;
  let project: string;
  let study: string;

  before(async () => {
    browser = await openChromium();
    const make = async (name: string) => (await app.call('POST', '/v1/projects', { body: { name } })).body.id;
    project = await make('Clinical');
    for (const name of [...files, 'fhir/Observation.ndjson.gz', 'vcf/SYN0001.vcf'])
      await ingest(app, project, name, readFileSync(join(samples, name)));
    study = await make('Study');
    await ingest(app, study, 'study.tar.gz', tarGz(studyFolder(30).files));
  });
  after(() => browser?.close());

  test('a subject is understood from the summary: diagnosis with stage, therapy, samples, known alterations', async () => {
    const { page, faults } = await visit(browser, app, await firstUser(app));
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(`${app.address}/projects/${project}/subjects/syn-0001`);
    const summary = page.getByRole('region', { name: 'Summary' });
    await summary.getByText('Malignant melanoma').first().waitFor();
    await summary.getByText('Stage III').first().waitFor();
    await summary.getByText('SYN0001', { exact: true }).waitFor();
    await summary.getByText(/V600E/).first().waitFor();
    await summary.getByText('(no file in this project)').waitFor();
    const box = await page.getByRole('region', { name: 'History' }).boundingBox();
    assert.ok(box && box.y < 900, 'the history begins on the first screen');
    await withoutBarriers(page, 'subject-summary');
    assert.deepEqual(faults, []);
  });

  test('the history has a line for each medicine and test, a table, and changes its size', async () => {
    const { page, faults } = await visit(browser, app, await firstUser(app));
    await page.goto(`${app.address}/projects/${project}/subjects/syn-0001`);
    const history = page.getByRole('region', { name: 'History' });
    await history.getByText(/^Day 0: \d{4}-\d\d-\d\d, the first diagnosis/).waitFor();
    const ticks = (): Promise<string[]> => history.locator('svg.lanes > g > text').allTextContents();
    const whole = (await ticks()).join();
    await history.getByRole('button', { name: 'Shorter time' }).click();
    assert.notEqual((await ticks()).join(), whole);
    await history.getByRole('button', { name: 'Whole history' }).click();
    assert.equal((await ticks()).join(), whole);
    await history.getByText('Table of the history').click();
    await history
      .getByRole('table', { name: 'History' })
      .getByRole('row', { name: /^Diagnosis: Malignant melanoma/ })
      .first()
      .waitFor();
    assert.deepEqual(faults, []);
  });

  test('samples of a subject are side by side, with drivers first and a plot of the shares of reads', async () => {
    const { page, faults } = await visit(browser, app, await firstUser(app));
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(`${app.address}/projects/${study}/subjects/P-3`);
    const alterations = page.getByRole('table', { name: 'Alterations' });
    for (const name of ['P-3-T1', 'P-3-T2']) await alterations.getByRole('columnheader', { name }).waitFor();
    const judgements = (await alterations.getByRole('row').allInnerTexts()).map((text) =>
      /\bdriver\b/.test(text),
    );
    assert.ok(judgements.lastIndexOf(true) <= judgements.filter(Boolean).length, judgements.join());
    await page.getByText('Cisplatin').first().waitFor();
    await withoutBarriers(page, 'subject-study');
    assert.deepEqual(faults, []);
  });

  test('samples have their facts, shares and places in the genome beside each other', async () => {
    const { page, faults } = await visit(browser, app, await firstUser(app));
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(`${app.address}/projects/${study}/subjects/P-9`);
    const samples = page.getByRole('region', { name: 'Samples side by side' });
    for (const name of ['P-9-T1', 'P-9-T2']) await samples.getByRole('columnheader', { name }).waitFor();
    await samples.getByRole('rowheader', { name: 'TMB' }).waitFor();
    const summary = await page.getByRole('region', { name: 'Summary' }).boundingBox();
    assert.ok(summary && summary.y + summary.height < 900, 'the summary is on one screen');
    const genome = page.getByRole('img', { name: 'Genome', exact: true });
    await genome.waitFor();
    // Two segments in each of two samples, and chromosomes without alterations.
    await page.getByText(/Bars: segments, orange above two copies/).waitFor();
    assert.equal(await genome.getByText(/^(?:[1-9]|1\d|2[0-2]|X)$/).count(), 23 + 2);
    const pair = page.getByRole('img', { name: 'Shares in two samples' });
    await pair.waitFor();
    const [, both, all] =
      /^(\d+) of (\d+) alterations have a share in both/.exec(
        await page.getByText(/alterations have a share in both/).innerText(),
      ) ?? [];
    assert.ok(Number(both) <= Number(all) && Number(all) > 0);
    assert.deepEqual(faults, []);
  });

  test('the address of two subjects shows both, and the genes that both have altered', async () => {
    const { page, faults } = await visit(browser, app, await firstUser(app));
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(`${app.address}/projects/${study}/subjects/P-3?beside=P-6`);
    await page.getByRole('heading', { name: 'Subjects P-3, P-6' }).waitFor();
    const shared = page.getByRole('table', { name: 'Genes altered in several' });
    for (const name of ['P-3', 'P-6']) await shared.getByRole('columnheader', { name }).waitFor();
    for (const name of ['Summary', 'Genome']) await page.getByRole('region', { name }).nth(1).waitFor();
    await fitsAndHasNoBarriers(page, 'subjects-compared');
    assert.deepEqual(faults, []);
  });

  test('a reader of masked values sees the drawings under other ids', async () => {
    const member = await app.people.member(app.account, ['readMaskedData']);
    const query = { target: 'patient', domain: 'filter', options: { fields: ['id'] } };
    const { body } = await app.call('POST', '/v1/analytics/dsl', {
      key: member.key,
      body: { datasetId: study, query },
    });
    const { page, faults } = await visit(browser, app, member.userId);
    const [{ id }] = body.data.patients;
    assert.notEqual(id.slice(0, 2), 'P-');
    await page.goto(`${app.address}/projects/${study}/subjects/${id}`);
    await page.getByText('Masked values').waitFor();
    await page.getByRole('img', { name: 'Genome', exact: true }).waitFor();
    assert.equal(await page.getByText(/P-\d+-T\d/).count(), 0);
    assert.deepEqual(faults, []);
  });

  test('tables are folded and ask for their rows when they are opened', async () => {
    const { page, faults } = await visit(browser, app, await firstUser(app));
    await page.goto(`${app.address}/projects/${project}/subjects/syn-0001`);
    await page.getByRole('region', { name: 'Summary' }).waitFor();
    assert.equal(await page.getByRole('table', { name: 'Procedures' }).count(), 0);
    await page.getByRole('heading', { name: 'Procedures' }).click();
    await page.getByRole('table', { name: 'Procedures' }).waitFor();
    await page.goto(`${app.address}/projects/${project}/subjects/nobody`);
    await page.getByText('Subject not found').waitFor();
    assert.deepEqual(faults, []);
  });
});
