/** Two values of subjects are plotted in a real browser, and a rectangle over them becomes a condition. */
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

  test('two numbers have correlations, and a rectangle over them opens as many subjects', async () => {
    const { page, faults } = await visit(browser, app, await firstUser(app));
    await page.goto(`${app.address}/projects/${project}/plots?x=AGE&y=OS_MONTHS&colour=SEX`);
    const figure = page.getByRole('img', { name: 'Overall survival (months) by Age' });
    await figure.waitFor();
    await page.getByText(/^n = \d+\. Pearson r = .*Spearman ρ = .*Slope /).waitFor();
    await withoutBarriers(page, 'plots-numbers');
    const box = await figure.boundingBox();
    assert.ok(box);
    await page.mouse.move(box.x + 120, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height - 120, { steps: 4 });
    await page.mouse.up();
    const link = page.getByRole('link', { name: / in the rectangle: open in the study$/ });
    const [inside] = (await link.innerText()).split(' ');
    assert.ok(Number(inside) > 0);
    await link.click();
    await page.getByText(new RegExp(`^${inside} of \\d+ subjects`)).waitFor();
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
