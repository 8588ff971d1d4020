/** Figures are kept in a report in a real browser, drawn anew for each reader, and written to one document. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { tarGz } from '../../packages/converters/src/study/archives.fixture.ts';
import { studyFolder } from '../../packages/converters/src/study/study-folder.fixture.ts';
import { firstUser } from '../../packages/server/src/domains/authentication/sign-in/tests/signed-in.fixture.ts';
import { describePages, openChromium } from './chromium.ts';
import { ingest, visit, withoutBarriers } from './console-people.ts';

describePages('reports in the console', (app) => {
  let browser: Browser;
  let project: string;

  before(async () => {
    browser = await openChromium();
    project = (await app.call('POST', '/v1/projects', { body: { name: 'Reported' } })).body.id;
    await ingest(app, project, 'study.tar.gz', tarGz(studyFolder(120).files), { type: 'cbioportal' });
  });
  after(() => browser?.close());

  async function keep(page: Page, chart: string, fill: () => Promise<void>): Promise<void> {
    await page
      .getByRole('button', { name: `Save ${chart}` })
      .first()
      .click();
    await page.getByRole('menuitem', { name: 'Keep in a report…' }).click();
    const dialogue = page.getByRole('dialog', { name: 'Keep in a report' });
    await dialogue.waitFor();
    await fill();
    await dialogue.getByRole('button', { name: 'Keep', exact: true }).click();
    await page.getByText('The figure is in the report.').first().waitFor();
    await dialogue.waitFor({ state: 'hidden' });
  }

  test('a chart, a plot and curves are kept, drawn anew, moved, and written as HTML', async () => {
    const { page, faults } = await visit(browser, app, await firstUser(app));
    const filter = encodeURIComponent(JSON.stringify([{ is: { attribute: 'SEX', in: ['Female'] } }]));
    await page.goto(`${app.address}/projects/${project}?filter=${filter}`);
    await keep(page, 'Age', async () => {
      await page.getByLabel('Name of the report').fill('Findings');
      await page.getByLabel('Caption').fill('Age of women.');
    });
    const choose = async (): Promise<void> => {
      await page.getByRole('combobox', { name: 'Report' }).click();
      await page.getByRole('option', { name: 'Findings' }).click();
    };
    await page.goto(`${app.address}/projects/${project}/plots?x=AGE&y=OS_MONTHS`);
    await keep(page, 'Overall survival (months) by Age', choose);
    const groups = ['Female', 'Male'].map((sex) => ({ name: sex, is: { attribute: 'SEX', in: [sex] } }));
    const written = encodeURIComponent(JSON.stringify(groups));
    await page.goto(`${app.address}/projects/${project}/compare?groups=${written}&overlap=exclude`);
    await keep(page, 'Survival: ', choose);
    const sql = 'SELECT gene, count(*) AS alterations FROM alteration GROUP BY gene ORDER BY gene';
    await page.goto(`${app.address}/projects/${project}/sql?sql=${encodeURIComponent(sql)}`);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('button', { name: 'Chart', exact: true }).click();
    await keep(page, 'alterations by gene', choose);

    await page.goto(`${app.address}/projects/${project}/oncoprint?filter=${filter}&gap=SEX&tracks=["SEX"]`);
    await keep(page, 'the oncoprint', choose);

    await page.goto(`${app.address}/projects/${project}/reports`);
    await page.getByRole('link', { name: 'Findings' }).click();
    const sections = page.getByRole('region').filter({ hasText: /Kept by you on/ });
    const print = page.getByRole('img', { name: 'Oncoprint' });
    await print.getByText('TP53', { exact: true }).waitFor();
    await print.getByText(/^not profiled$/).waitFor();
    await page.getByText('Samples: Sex: Female.').waitFor();
    await page.getByText(/^Altered in \d+ /).waitFor();
    await page.getByText('Age of women.').waitFor();
    await page.getByText('Subjects: Sex: Female.').waitFor();
    await page.getByText(/^n = \d+, mean /).waitFor();
    await page.getByText(/Spearman/).waitFor();
    await page
      .getByRole('img', { name: /^Survival/ })
      .last()
      .waitFor();
    await page.getByText('Statement: SELECT gene, count(*)').waitFor();
    await page.getByRole('img', { name: 'alterations by gene' }).waitFor();
    assert.equal(await sections.count(), 5);
    await withoutBarriers(page, 'report');
    await page.getByRole('button', { name: 'Add text' }).click();
    await page.getByLabel('Text').last().fill('Women live longer.');
    await page.getByLabel('Text').last().blur();
    await page.getByRole('button', { name: 'Move Age down' }).click();
    await page
      .locator('[data-part]')
      .first()
      .getByText(/Spearman/)
      .waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download HTML' }).click();
    const path = await (await download).path();
    const text = await readFile(path, 'utf8');
    for (const words of [
      'Project Reported, version',
      'Women live longer.',
      'Age of women.',
      'Subjects: Sex: Female.',
      'Statement: SELECT gene',
      'Spearman',
      'Samples: Sex: Female.',
      '>TP53</text>',
      'Kept by you on ',
      '<svg',
    ])
      assert.ok(text.includes(words), words);
    assert.equal(text.match(/<figure>/g)?.length, 5);
    assert.deepEqual(faults, []);
  });

  test('a reader of masked values sees a shared report in own values, and changes nothing', async () => {
    const { items } = (await app.call('GET', `/v1/projects/${project}/reports`)).body;
    const one = `/v1/projects/${project}/reports/${items[0].id}`;
    const { name, parts } = (await app.call('GET', one)).body;
    assert.equal((await app.call('PUT', one, { body: { name, parts, shared: true } })).status, 200);
    const reader = await app.people.member(app.account, ['readMaskedData']);
    const { page, faults } = await visit(browser, app, reader.userId);
    await page.goto(`${app.address}/projects/${project}/reports?report=${items[0].id}`);
    await page.getByText('Masked values').waitFor();
    await page.getByText(/^n = \d+, mean /).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Add text' }).count(), 0);
    assert.deepEqual(faults, []);
  });
});
