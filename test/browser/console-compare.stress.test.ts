/** Groups of a study are compared in a real browser: overlap, survival, one table of tests, methods. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { tarGz } from '../../packages/converters/src/study/archives.fixture.ts';
import { studyFolder } from '../../packages/converters/src/study/study-folder.fixture.ts';
import { firstUser } from '../../packages/server/src/domains/authentication/sign-in/tests/signed-in.fixture.ts';
import { describePages, openChromium } from './chromium.ts';
import { ingest, visit, withoutBarriers } from './console-people.ts';

const group = (name: string, is: object) => ({ name, is });
const women = group('Women', { attribute: 'SEX', in: ['Female'] });
const men = group('Men', { attribute: 'SEX', in: ['Male'] });
const early = group('شجرة', { attribute: 'AGE', ranges: [{ lte: 45 }] });

describePages('a comparison in the console', (app) => {
  let browser: Browser;
  let project: string;

  before(async () => {
    browser = await openChromium();
    project = (await app.call('POST', '/v1/projects', { body: { name: 'Compared' } })).body.id;
    await ingest(app, project, 'study.tar.gz', tarGz(studyFolder(150).files), { type: 'cbioportal' });
  });
  after(() => browser?.close());

  const open = async (page: Page, groups: object[], more: Record<string, string> = {}): Promise<void> => {
    const search = new URLSearchParams({ groups: JSON.stringify(groups), ...more });
    await page.goto(`${app.address}/projects/${project}/compare?${search}`);
  };

  test('groups that share subjects are tested once these are left out, and the address keeps the choice', async () => {
    const { page, faults } = await visit(browser, app, await firstUser(app));
    await open(page, [women, men, early]);
    await page.getByText(/^\d+ subjects are in several groups$/).waitFor();
    await page.getByText(/^Not tested: \d+ subjects are in several groups\.$/).waitFor();
    await page.getByRole('img', { name: /^Survival: / }).waitFor();
    await withoutBarriers(page, 'compare-overlap');
    await page.getByText('Leave out', { exact: true }).click();
    await page.getByText(/^Log-rank test: χ² = [\d.]+ with 2 degrees of freedom, p = /).waitFor();
    await page
      .getByText(/hazard ratio/)
      .first()
      .waitFor();
    assert.equal(new URL(page.url()).searchParams.get('overlap'), 'exclude');
    await page.getByLabel('Read curves at').fill('12, 24');
    await page.keyboard.press('Enter');
    await page.getByText('At 12 months').waitFor();
    await withoutBarriers(page, 'compare-survival');
    await page.reload();
    await page.getByText(/^Log-rank test: /).waitFor();
    await page.getByRole('tab', { name: 'Overlap' }).click();
    await page.getByRole('img', { name: /^Overlap of groups\. / }).waitFor();
    await withoutBarriers(page, 'compare-venn');
    assert.deepEqual(faults, []);
  });

  test('all tests are one table that can be kept, with a volcano and a text on methods', async () => {
    const { page, faults } = await visit(browser, app, await firstUser(app));
    await open(page, [women, men], { tab: 'tests' });
    const table = page.getByRole('table', { name: 'Tests of groups' });
    await page.getByText(/^q: corrected for all \d+ tests/).waitFor();
    await page.getByLabel('Filter Tests of groups').fill('TP53');
    await table.getByText('TP53').first().waitFor();
    await page.getByLabel('Filter Tests of groups').fill('');
    await page.getByRole('img', { name: 'Altered genes' }).waitFor();
    await withoutBarriers(page, 'compare-tests');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'CSV', exact: true }).click(),
    ]);
    const [head = '', ...lines] = readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\n');
    assert.match(head, /^compared,kind,Women,Men,test,p,q,effect/);
    assert.equal(String(lines.length), String(Number(await table.getAttribute('aria-rowcount')) - 1));
    await page.getByRole('tab', { name: 'Methods' }).click();
    await page
      .getByText(/^Compared subjects: Women \(n = \d+\); Men \(n = \d+\)\. No subject is in several/)
      .waitFor();
    await page.getByText(/tests are compared with R, SciPy and lifelines\.$/).waitFor();
    await withoutBarriers(page, 'compare-methods');
    assert.deepEqual(faults, []);
  });

  test('groups are made of quartiles, of a gene and of a list, and more than three are drawn by combination', async () => {
    const { page, faults } = await visit(browser, app, await firstUser(app));
    await open(page, []);
    const dialogue = page.getByRole('dialog', { name: 'Add groups' });
    const add = async (tab: string): Promise<void> => {
      await page.getByRole('button', { name: 'Add groups' }).click();
      await dialogue.getByRole('tab', { name: tab }).click();
    };
    await page.getByText('Choose two groups or more').waitFor();
    await add('Attribute');
    await dialogue.getByRole('combobox', { name: 'Attribute' }).fill('Overall survival (months)');
    await page.getByRole('option').first().click();
    await dialogue.getByRole('button', { name: 'Add 4 groups' }).click();
    await add('Genes');
    await dialogue.getByLabel('Gene, and its changes').fill('TP53: MUT');
    await dialogue.getByRole('button', { name: 'Add 2 groups' }).click();
    await add('List');
    await dialogue.getByLabel('Name of the group').fill('Pasted');
    await dialogue.getByLabel('Ids of subjects').fill('P-0, P-1\nP-2');
    await withoutBarriers(page, 'compare-add');
    await dialogue.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('(3)', { exact: true }).waitFor();
    await page.getByRole('tab', { name: 'Overlap' }).click();
    await page.getByRole('img', { name: /^Overlap of groups\. .*TP53: MUT: altered/ }).waitFor();
    await withoutBarriers(page, 'compare-combinations');
    assert.deepEqual(faults, []);
  });
});
