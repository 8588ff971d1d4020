/** The SQL page: several statements, parameters, plans, drafts, charts, in a real browser. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import {
  firstUser,
  signedIn,
} from '../../packages/server/src/domains/authentication/sign-in/tests/signed-in.fixture.ts';
import { describePages, openChromium } from './chromium.ts';
import { fitsAndHasNoBarriers, ingest, visit } from './console-people.ts';

const patients = join(import.meta.dirname, '../../samples/data/fhir/Patient.ndjson');

describePages('the SQL page', (app) => {
  let browser: Browser;
  let project: string;
  before(async () => {
    browser = await openChromium();
    project = (await app.call('POST', '/v1/projects', { body: { name: 'Study' } })).body.id;
    await ingest(app, project, 'patients.ndjson', readFileSync(patients));
  });
  after(() => browser?.close());

  const open = async (sql: string) => {
    const visitor = await visit(browser, app, await firstUser(app));
    await visitor.page.goto(`${app.address}/projects/${project}/sql?sql=${encodeURIComponent(sql)}`);
    await visitor.page.getByLabel('SQL statement').waitFor();
    return visitor;
  };
  const cell = (page: Page, name: string) =>
    page.getByRole('table', { name: 'Result' }).getByRole('cell', { name, exact: true });

  test('the statement at the cursor runs, or all of them, each into a tab of its own', async () => {
    const { page, faults } = await open("SELECT 'one;1' AS a; -- first\nSELECT 22 AS b;\nSELECT 333 AS c");
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('Control+Enter');
    await cell(page, 'one;1').waitFor();
    await page.getByLabel('SQL statement').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Control+Enter');
    await cell(page, '22').waitFor();
    await page.getByRole('button', { name: 'Run all 3' }).click();
    await page.getByRole('tab', { name: 'Result 5' }).waitFor();
    await cell(page, '333').waitFor();
    await page.getByRole('tab', { name: 'Result 4' }).click();
    await cell(page, '22').waitFor();
    await page.getByLabel('SQL statement').fill('SELECT 1 AS a;\nSELECT nothing FROM patient');
    await page.getByRole('button', { name: 'Run all 2' }).click();
    await page
      .getByRole('alert')
      .getByText(/no column "nothing"/)
      .waitFor();
    assert.equal(await page.evaluate('getSelection().toString()'), 'nothing');
    assert.deepEqual(faults, []);
  });

  test('parameters are values; a statement is laid out and explained before it runs', async () => {
    const { page, faults } = await open(
      'select $note as note, count(*) as n from patient where dob > $born group by all',
    );
    await page.getByRole('button', { name: 'Format' }).click();
    await page.getByLabel('SQL statement').getByText('WHERE').waitFor();
    await page.getByLabel('$note', { exact: true }).fill("it's; -- $born");
    await page.getByLabel('$born', { exact: true }).fill('1900-01-01');
    await page.getByLabel('Type of $born').click();
    await page.getByRole('option', { name: 'date' }).click();
    await page.getByRole('button', { name: 'Explain' }).click();
    const plan = page.getByLabel('Steps, the last one first');
    await plan.getByText('Reads patient').waitFor();
    await fitsAndHasNoBarriers(page, 'sql-plan');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await cell(page, "it's; -- $born").waitFor();
    await page.getByLabel('Type of $born').click();
    await page.getByRole('option', { name: 'number' }).click();
    await page.getByText('It must be a number such as 12 or 0.5.').waitFor();
    assert.deepEqual(faults, []);
  });

  test('columns of every table are proposed before a table is named', async () => {
    const { page, faults } = await open('SELECT 1');
    await page.getByLabel('SQL statement').fill('');
    await page.getByLabel('SQL statement').pressSequentially('SELECT p.gend');
    await page.getByRole('option', { name: /^gender/ }).waitFor();
    assert.deepEqual(faults, []);
  });

  test('a draft is kept through a reload, and through a session that ends; the page goes on after the sign-in', async () => {
    const { page, faults } = await open('SELECT 1 AS a');
    await page.getByLabel('SQL statement').fill("SELECT 'draft' AS b, $x AS c");
    await page.getByLabel('$x', { exact: true }).fill('kept');
    await page.reload();
    await page.getByLabel('SQL statement').getByText("'draft'").waitFor();
    assert.equal(await page.getByLabel('$x', { exact: true }).inputValue(), 'kept');
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    const dialogue = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialogue.waitFor();
    await fitsAndHasNoBarriers(page, 'sql-signed-out');
    const [beside] = await Promise.all([
      page.waitForEvent('popup'),
      dialogue.getByRole('button', { name: 'Sign in' }).click(),
    ]);
    await beside.waitForLoadState();
    const [name = '', value = ''] = (await signedIn(app, await firstUser(app))).split('=');
    await page.context().addCookies([{ name, value, url: app.address }]);
    const closed = beside.waitForEvent('close');
    await beside.goto(app.address).catch(() => undefined);
    await closed;
    await cell(page, 'draft').waitFor();
    await cell(page, 'kept').waitFor();
    assert.equal(await dialogue.count(), 0);
    assert.deepEqual(faults, []);
  });

  test('a result is drawn with colours and a measure, in every kind of chart', async () => {
    const rows = ['missense', 'nonsense', 'splice']
      .flatMap((kind, at) =>
        ['BRAF', 'TP53', 'KRAS', 'a gene with a long name'].map((gene, n) => [gene, kind, at + n]),
      )
      .map(([gene, kind, n]) => `('${gene}', '${kind}', ${n})`);
    const { page, faults } = await open(`SELECT * FROM (VALUES ${rows}) AS v(gene, class, n)`);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('table', { name: 'Result' }).getByRole('cell').first().waitFor();
    await page.getByRole('button', { name: 'Chart', exact: true }).click();
    await page.getByRole('img', { name: 'n by gene, by class' }).first().waitFor();
    await fitsAndHasNoBarriers(page, 'sql-chart');
    const choose = async (label: string, option: string): Promise<void> => {
      await page.getByRole('combobox', { name: label, exact: true }).click();
      await page.getByRole('option', { name: option, exact: true }).click();
    };
    for (const layout of ['beside', 'share']) await choose('Bars', layout);
    await choose('Measure', 'mean');
    await page.getByRole('img', { name: 'mean of n by gene, by class' }).first().waitFor();
    for (const kind of ['line', 'scatter', 'box', 'histogram']) await choose('Chart', kind);
    await choose('Across', 'gene');
    await choose('Chart', 'heat map');
    await choose('Upwards', 'class');
    await choose('Value', 'n');
    await page.getByRole('img', { name: 'mean of n by gene and class' }).first().waitFor();
    await fitsAndHasNoBarriers(page, 'sql-heat-map');
    assert.deepEqual(faults, []);
  });
});
