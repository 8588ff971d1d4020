/** Two values of subjects are plotted in a real browser, and a line around them becomes a condition. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { tarGz } from '../../packages/converters/src/study/archives.fixture.ts';
import { studyFolder } from '../../packages/converters/src/study/study-folder.fixture.ts';
import { firstUser } from '../../packages/server/src/domains/authentication/sign-in/tests/signed-in.fixture.ts';
import { describePages, openChromium } from './chromium.ts';
import { ingest, visit, withoutBarriers } from './console-people.ts';

describePages('plots in the console', (app) => {
  let browser: Browser;
  let project: string;

  before(async () => {
    browser = await openChromium();
    project = (await app.call('POST', '/v1/projects', { body: { name: 'Plotted' } })).body.id;
    await ingest(app, project, 'study.tar.gz', tarGz(studyFolder(120).files), { type: 'cbioportal' });
  });
  after(() => browser?.close());

  test('two numbers have correlations, and a line around them opens as many subjects, which become a cohort', async () => {
    const { page, faults } = await visit(browser, app, await firstUser(app));
    await page.goto(`${app.address}/projects/${project}/plots?x=AGE&y=OS_MONTHS&colour=SEX`);
    const figure = page.getByRole('img', { name: 'Overall survival (months) by Age' });
    await figure.waitFor();
    await page.getByText(/^n = \d+\. Pearson r = .*Spearman ρ = .*Slope /).waitFor();
    await withoutBarriers(page, 'plots-numbers');
    const box = await figure.boundingBox();
    assert.ok(box);
    const corners = [
      [90, 60],
      [box.width / 2, 40],
      [box.width - 80, box.height / 2],
      [box.width / 3, box.height - 80],
    ] as const;
    await page.mouse.move(box.x + corners[0][0], box.y + corners[0][1]);
    await page.mouse.down();
    for (const [x, y] of corners) await page.mouse.move(box.x + x, box.y + y, { steps: 6 });
    await page.mouse.up();
    const link = page.getByRole('link', { name: / in the region: open in the study$/ });
    const [inside] = (await link.innerText()).split(' ');
    assert.ok(Number(inside) > 0);
    await link.click();
    await page.getByText(new RegExp(`^${inside} of \\d+ subjects`)).waitFor();
    await page.getByText(/^Region of Overall survival \(months\) by Age, \d+ corners$/).waitFor();
    await page.getByRole('button', { name: 'Save as cohort' }).click();
    await page.getByLabel('Name').fill('Of the plot');
    await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('The cohort Of the plot is saved.').waitFor();
    const { body } = await app.call('GET', `/v1/cohorts?projectId=${project}`);
    assert.equal(body.items[0].resultCount, Number(inside));
    assert.deepEqual(faults, []);
  });

  test('the region is drawn on a logarithmic scale too, and of samples', async () => {
    const { page, faults } = await visit(browser, app, await firstUser(app));
    await page.goto(`${app.address}/projects/${project}/plots?x=expression:TP53&y=TMB&logs=xy&unit=sample`);
    const figure = page.getByRole('img', { name: 'TMB by Expression of TP53' });
    const box = await figure.boundingBox();
    assert.ok(box);
    await page.mouse.move(box.x + 100, box.y + 40);
    await page.mouse.down();
    for (const [x, y] of [
      [box.width - 60, 80],
      [box.width / 2, 250],
      [120, 150],
    ] as const)
      await page.mouse.move(box.x + x, box.y + y, { steps: 5 });
    await page.mouse.up();
    const link = page.getByRole('link', { name: / in the region: open in the study$/ });
    const [inside] = (await link.innerText()).split(' ');
    assert.ok(Number(inside) > 3);
    await link.click();
    await page.getByText(new RegExp(`\\b${inside} of \\d+ samples`)).waitFor();
    assert.deepEqual(faults, []);
  });

  test('a gene has its expression and the states of profiled subjects as axes', async () => {
    const { page, faults } = await visit(browser, app, await firstUser(app));
    await page.goto(`${app.address}/projects/${project}/plots`);
    await page.getByText('Choose two axes').waitFor();
    await page.getByRole('combobox', { name: 'Horizontal' }).fill('TP53');
    await page.getByRole('option', { name: 'Mutations of TP53' }).click();
    await page.getByRole('combobox', { name: 'Vertical' }).fill('TP53');
    await page.getByRole('option', { name: 'Expression of TP53' }).click();
    await page.getByRole('img', { name: 'Expression of TP53 by Mutations of TP53' }).waitFor();
    await page.getByText(/(?:Kruskal–Wallis|Wilcoxon) p = /).waitFor();
    await withoutBarriers(page, 'plots-boxes');
    await page.goto(`${app.address}/projects/${project}/plots?x=SEX&y=copy_number:MYC`);
    // The legend of the colours has the same name.
    await page.getByRole('img', { name: 'Copy number of MYC by SEX' }).last().waitFor();
    await page.getByText(/χ² = /).waitFor();
    await withoutBarriers(page, 'plots-bars');
    assert.deepEqual(faults, []);
  });
});
