/** A cohort with time in a real browser: its index event, rules, funnel, survival, and its way into the study and back. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { firstUser } from '../../packages/server/src/domains/authentication/sign-in/tests/signed-in.fixture.ts';
import { describePages, openChromium } from './chromium.ts';
import { ingest, visit, withoutBarriers } from './console-people.ts';

const samples = join(import.meta.dirname, '../../samples/data/fhir');
const files = ['Patient', 'Condition', 'MedicationRequest', 'Procedure', 'Encounter'];

describePages('cohorts with time in the console', (app) => {
  let browser: Browser;
  let project: string;

  before(async () => {
    browser = await openChromium();
    project = (await app.call('POST', '/v1/projects', { body: { name: 'Timed' } })).body.id;
    for (const name of files)
      await ingest(app, project, `${name}.ndjson`, readFileSync(join(samples, `${name}.ndjson`)));
  });
  after(() => browser?.close());

  test('a rule leaves fewer subjects, who are those of the study and of the kept cohort', async () => {
    const { page, faults } = await visit(browser, app, await firstUser(app));
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(`${app.address}/projects/${project}/cohorts`);
    await page.getByRole('link', { name: 'Cohort with time' }).first().click();
    const status = page.getByRole('status').filter({ hasText: 'in the cohort' });
    await status.waitFor();
    const members = async (): Promise<number> => Number((await status.innerText()).split(' ')[0]);
    const all = await members();
    await page.getByRole('combobox', { name: 'Of each subject' }).click();
    await page.getByRole('option', { name: /^every one/ }).click();
    await page.getByRole('button', { name: 'Add a rule' }).click();
    const rule = page.getByRole('group', { name: 'Rule 1' });
    await rule.getByRole('combobox', { name: 'Has' }).click();
    await page.getByRole('option', { name: 'Medication' }).click();
    await rule.getByRole('textbox', { name: 'from day' }).fill('0');
    await rule.getByRole('textbox', { name: 'to day' }).fill('60');
    await rule.getByRole('textbox', { name: 'to day' }).press('Enter');
    await page.getByRole('row', { name: /^3\. Rule 1/ }).waitFor();
    await page.waitForURL(/%22to%22%3A60/);
    await page.getByRole('img', { name: 'Attrition' }).waitFor();
    const event = page.getByRole('combobox', { name: 'Event' });
    await event.click();
    await page.getByRole('option', { name: 'Death' }).click();
    await page.getByRole('img', { name: 'Survival: time from the index event' }).waitFor();
    await withoutBarriers(page, 'timed');

    await page.getByRole('link', { name: 'Open in the study' }).click();
    await page.getByRole('group', { name: /^Every Diagnosis, Rule 1$/ }).waitFor();
    const counted = page.getByText(/^\d+ of \d+ subjects/);
    await counted.waitFor();
    const left = Number((await counted.innerText()).split(' ')[0]);
    assert.ok(left > 0 && left < all, `${left} of ${all}`);
    await page.goBack();
    await status.filter({ hasText: `${left} subjects` }).waitFor();
    await page.getByRole('button', { name: 'Save as cohort' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Treated soon');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('The cohort Treated soon is saved.').waitFor();

    await page.goto(`${app.address}/projects/${project}/cohorts`);
    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByRole('switch', { name: 'Apply Rule 1' }).click();
    await status.filter({ hasText: `${all} subjects` }).waitFor();
    await page.getByRole('button', { name: 'Save the cohort' }).click();
    await page.getByText('The cohort Treated soon is saved.').waitFor();
    assert.deepEqual(faults, []);
  });
});
