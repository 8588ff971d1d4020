/** A result of ten million rows in a real browser: the page holds what is in view, and the service does the rest. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { firstUser } from '../../packages/server/src/domains/authentication/sign-in/tests/signed-in.fixture.ts';
import { until } from '../support/until.ts';
import { describePages, openChromium } from './chromium.ts';
import { visit, withoutBarriers } from './console-people.ts';

const statement = `SELECT a * 1000 + b AS n, 'syn-' || CAST(b AS VARCHAR) AS subject_id,
  CASE WHEN b % 10 = 0 THEN NULL ELSE CAST(b AS DOUBLE) / 4 END AS value
FROM (SELECT unnest(sequence(0, 9999)) AS a) CROSS JOIN (SELECT unnest(sequence(0, 999)) AS b)
ORDER BY n`;
/** Bytes of answers for all that the test shows. */
const answersMaxBytes = 2_000_000;
const rowsMax = 60;

/** Notes tasks that block the page for more than 50 ms, with the long ones that begin a page. */
const observe = `window.blocked = [];
  new PerformanceObserver((list) => window.blocked.push(...list.getEntries().map(({ duration }) => duration)))
    .observe({ type: 'longtask' });`;

describePages('results of any size in the console', (app) => {
  let browser: Browser;
  let project: string;
  before(async () => {
    browser = await openChromium();
    project = (await app.call('POST', '/v1/projects', { body: { name: 'Large' } })).body.id;
  });
  after(() => browser?.close());

  test('ten million rows are scrolled, sorted, searched, measured, selected and kept', async (context) => {
    const { page, faults } = await visit(browser, app, await firstUser(app));
    await page.addInitScript(observe);
    const answers = bytesOfAnswers(page);
    await page.goto(`${app.address}/projects/${project}/sql?sql=${encodeURIComponent(statement)}`);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    const table = page.getByRole('table', { name: 'Result' });
    const status = page.getByRole('status').filter({ hasText: /row/ });
    await table.getByRole('cell', { name: 'syn-1', exact: true }).waitFor();
    await status.getByText('10,000,000 rows').waitFor();
    await page.evaluate('window.blocked.length = 0');

    await page.evaluate(`document.querySelector('.grid').scrollTop = 1e9`);
    await table.getByRole('cell', { name: '9999999', exact: true }).waitFor();
    await table.getByRole('button', { name: 'value', exact: true }).click();
    await page.evaluate(`document.querySelector('.grid').scrollTop = 0`);
    await table.getByRole('cell', { name: '0.25', exact: true }).first().waitFor();
    await table.getByRole('button', { name: /^value ↑/ }).click();
    await table.getByRole('cell', { name: '249.75', exact: true }).first().waitFor();
    await page.getByLabel('Search Result').fill('4321');
    await status.getByText(/^[\d,]+ rows of 10,000,000$/).waitFor();
    await page.getByLabel('Search Result').fill('');

    await page.getByRole('button', { name: 'About value' }).click();
    const measures = page.getByRole('table', { name: 'Measures' });
    await measures.getByRole('row', { name: 'Distinct 900' }).waitFor();
    await measures.getByRole('row', { name: 'Missing 1,000,000' }).waitFor();
    await measures.getByRole('row', { name: 'Largest 249.75' }).waitFor();
    const blocked = (await page.evaluate('window.blocked')) as number[];
    await withoutBarriers(page, 'large-measures');
    await page.getByRole('combobox', { name: 'Keep rows where the value' }).click();
    await page.getByRole('option', { name: '=', exact: true }).click();
    await page.getByRole('textbox', { name: 'Value', exact: true }).fill('0.25');
    await page.getByRole('button', { name: 'Add filter' }).click();
    await status.getByText('10,000 rows of 10,000,000').waitFor();
    await withoutBarriers(page, 'large-filtered');

    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await table.getByRole('row').nth(1).click();
    await table
      .getByRole('row')
      .nth(3)
      .click({ modifiers: ['Shift'] });
    await page.getByRole('button', { name: 'Copy selection' }).click();
    const copied = async () => String(await page.evaluate('navigator.clipboard.readText()'));
    await until(async () => (await copied()).startsWith('n\t'), 'rows are copied');
    assert.deepEqual((await copied()).split('\n'), [
      'n\tsubject_id\tvalue',
      ...[1, 1001, 2001].map((n) => `${n}\tsyn-1\t0.25`),
    ]);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'CSV', exact: true }).click(),
    ]);
    const lines = readFileSync(await file.path(), 'utf8')
      .trimEnd()
      .split('\n');
    assert.deepEqual([lines.length, lines[1]], [10_001, '1,syn-1,0.25']);

    context.diagnostic(`tasks over 50 ms: ${blocked.map((ms) => Math.round(ms)).join(', ') || 'none'}`);
    context.diagnostic(`bytes of answers: ${answers.bytes}`);
    assert.ok(answers.bytes < answersMaxBytes, `${answers.bytes} bytes of answers`);
    assert.ok((await table.getByRole('row').count()) < rowsMax);
    assert.deepEqual(faults, []);
  });
});

/** Counts the bytes of the answers of the API. */
function bytesOfAnswers(page: Page): { bytes: number } {
  const counted = { bytes: 0 };
  page.on('response', async (response) => {
    if (!/^\/(?:api\/)?v1\//.test(new URL(response.url()).pathname)) return;
    counted.bytes += (await response.body().catch(() => Buffer.alloc(0))).length;
  });
  return counted;
}
