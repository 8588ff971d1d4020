/** The console works in a real browser, from the first link to a result; `*.stress.test.ts` beside it hold its pages. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { describePages, openChromium } from './chromium.ts';
import { ingest, visit } from './console-people.ts';

const patients = join(import.meta.dirname, '../../samples/data/fhir/Patient.ndjson');

describePages('the console', (app) => {
  let browser: Browser;
  let project: string;
  before(async () => {
    browser = await openChromium();
    project = (await app.call('POST', '/v1/projects', { body: { name: 'Study' } })).body.id;
    await ingest(app, project, 'Patient.ndjson', readFileSync(patients));
  });
  after(() => browser?.close());

  test('the link of the first start leads to a project, and a statement to its rows', async () => {
    const { consoleUrl } = JSON.parse(readFileSync(join(app.folder, 'first-run.json'), 'utf8'));
    const { page, faults } = await visit(browser, app, undefined);
    await page.goto(consoleUrl);
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByRole('link', { name: 'Study' }).click();
    await page.getByRole('heading', { level: 1, name: /Study/ }).waitFor();
    const statement = encodeURIComponent('SELECT gender, count(*) AS n FROM demographic GROUP BY gender');
    await page.goto(`${app.address}/projects/${project}/sql?sql=${statement}`);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('table', { name: 'Result' }).getByRole('cell', { name: 'female' }).waitFor();
    assert.deepEqual(faults, []);
  });
});
