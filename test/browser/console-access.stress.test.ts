/** The pages on which an administrator looks at the rights of others. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { firstUser } from '../../packages/server/src/domains/authentication/sign-in/tests/signed-in.fixture.ts';
import { TestProject } from '../inputs/project.ts';
import { fhirText } from '../inputs/texts.ts';
import { describePages, openChromium } from './chromium.ts';
import { visit, withoutBarriers } from './console-people.ts';

describePages('access in the console', (app) => {
  let browser: Browser;
  let project: TestProject;

  before(async () => {
    browser = await openChromium();
    project = await TestProject.make(app.call, 'Sighted');
    await project.take('p.ndjson', fhirText('p', 3, 1));
    const here = { 'resource.dataset': { comparison: 'equals', value: project.id } };
    const some = { ...here, 'resource.subject': { comparison: 'equals', value: 'p-1' } };
    await app.people.member(app.account, ['readMaskedData'], here);
    await app.people.member(app.account, ['readData'], some);
    await app.people.member(app.account, ['readData', 'createData'], here);
  });
  after(() => browser?.close());

  test('the rights of people in a project are a table, with the masked columns below', async () => {
    const { page, faults } = await visit(browser, app, await firstUser(app));
    await page.goto(`${app.address}/`);
    await page.getByRole('button', { name: 'Actions for Sighted' }).click();
    await page.getByRole('menuitem', { name: 'Access' }).click();
    const people = page.getByRole('table', { name: 'People with access' });
    await people.getByText(/^of some patients, by .+@/).waitFor();
    await people.getByText(/^masked, by .+@/).waitFor();
    await people.getByText('all, by Administrator Access').first().waitFor();
    const columns = page.getByRole('table', { name: 'Masked columns' });
    await page.getByLabel('Filter Masked columns').fill('dob');
    await columns.getByText('1 January of the year').waitFor();
    await withoutBarriers(page, 'access');
    assert.deepEqual(faults, []);
  });

  test('an administrator looks as a person, and ends that in the banner', async () => {
    const { page, faults } = await visit(browser, app, await firstUser(app));
    await page.goto(`${app.address}/account/people`);
    const people = page.getByRole('table', { name: 'People', exact: true });
    await people.getByRole('button', { name: 'See as' }).nth(1).click();
    const banner = page.getByLabel('View');
    await banner.getByText(/^You see this account as .+@/).waitFor();
    const projects = page.getByRole('table', { name: 'Projects' });
    await projects.getByText('read in part').waitFor();
    await projects.getByRole('link', { name: 'Sighted' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sighted' }).waitFor();
    await banner.waitFor();
    await withoutBarriers(page, 'view');
    await banner.getByRole('button', { name: 'End the view' }).click();
    await people.getByRole('button', { name: 'See as' }).first().waitFor();
    assert.equal(await banner.count(), 0);
    assert.deepEqual(faults, []);
  });

  test('taking the last group away asks before the person leaves, whose page then names the way back', async () => {
    const { userId } = await app.people.member(app.account, ['readData']);
    const { items } = (await app.call('GET', '/v1/account/users')).body;
    const email = items.find(({ id }: { id: string }) => id === userId).profile.email;
    const { page, faults } = await visit(browser, app, await firstUser(app));
    const { page: own } = await visit(browser, app, userId);
    await own.goto(`${app.address}/projects/${project.id}`);
    await own.getByText(/^3 subjects/).waitFor();
    await page.goto(`${app.address}/account/people`);
    await page.getByRole('row', { name: email }).getByRole('button', { name: 'Groups' }).click();
    await page.getByRole('checkbox', { name: 'Subjects' }).click();
    const dialogue = page.getByRole('dialog', { name: `Remove ${email} from the account` });
    await dialogue.getByText(/leaves the account/).waitFor();
    assert.equal(await page.getByRole('row', { name: email, includeHidden: true }).count(), 1);
    await dialogue.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('row', { name: email }).waitFor({ state: 'detached' });
    await own.getByRole('tab', { name: 'Subjects' }).click();
    await own.getByText('3 subjects').waitFor({ state: 'detached' });
    await own.goto(app.address);
    await own.getByText('You belong to no account').waitFor();
    assert.equal(await own.getByRole('alert').count(), 0);
    assert.deepEqual(faults, []);
  });

  test('a search for a patient in the log names what its events are about', async () => {
    const { page, faults } = await visit(browser, app, await firstUser(app));
    await page.goto(`${app.address}/account/audit?resource=p-1`);
    await page.getByText(/Events name files, projects, cohorts and the like, never patients/).waitFor();
    assert.deepEqual(faults, []);
  });

  test('a saved query is run by a schedule, which its owner ends', async () => {
    const body = { name: 'Patients', statement: 'SELECT patient_id FROM patient' };
    const queries = `/v1/projects/${project.id}/saved-queries`;
    assert.equal((await app.call('POST', queries, { body })).status, 200);
    const { page, faults } = await visit(browser, app, await firstUser(app));
    await page.goto(`${app.address}/projects/${project.id}/sql`);
    await page.getByRole('tab', { name: 'Saved' }).click();
    const saved = page.getByRole('table', { name: 'Saved queries' });
    await saved.getByRole('button', { name: 'Schedule' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Schedule', exact: true }).click();
    await saved.getByText('Every day at 02:00 UTC').waitFor();
    await saved.getByRole('button', { name: 'Schedule' }).click();
    await page.getByText(/^Next run /).waitFor();
    await withoutBarriers(page, 'schedule');
    await page.getByRole('button', { name: 'End the schedule' }).click();
    await saved.getByText('Every day at 02:00 UTC').waitFor({ state: 'detached' });
    assert.deepEqual(faults, []);
  });
});
