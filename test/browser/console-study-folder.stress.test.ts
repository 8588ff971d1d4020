/** A study folder of cBioPortal is dropped on the files of a project in a real browser, and explored. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { zip } from '../../packages/converters/src/study/archives.fixture.ts';
import { studyFolder } from '../../packages/converters/src/study/study-folder.fixture.ts';
import { firstUser } from '../../packages/server/src/domains/authentication/sign-in/tests/signed-in.fixture.ts';
import { describePages, openChromium } from './chromium.ts';
import { fitsAndHasNoBarriers, visit } from './console-people.ts';

const made = studyFolder(500);
const folder = mkdtempSync(join(tmpdir(), 'ploidy-study-'));
const source = join(folder, 'lung study');

/** Patients of the study with a value of an attribute. */
const patientsWith = (attribute: string, value: string): Set<string> =>
  new Set(
    made.truth.values
      .map((line) => line.split('|'))
      .filter(([id, , , text]) => id === attribute && text === value)
      .map(([, patient = '']) => patient),
  );

describePages('a study folder in the console', (app) => {
  let browser: Browser;
  let project: string;
  before(async () => {
    browser = await openChromium();
    project = (await app.call('POST', '/v1/projects', { body: { name: 'Lung study' } })).body.id;
    for (const [name, text] of Object.entries(made.files)) {
      mkdirSync(dirname(join(source, name)), { recursive: true });
      writeFileSync(join(source, name), text);
    }
    writeFileSync(join(folder, 'study.zip'), zip(studyFolder(20).files));
  });
  after(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const found = (page: Page, number: number) =>
    page.getByText(new RegExp(`^${number} of \\d+ subjects`)).waitFor();

  test('a folder of 500 samples is recognised, ingested and opened as a study', async () => {
    const { page, faults } = await visit(browser, app, await firstUser(app));
    await page.goto(`${app.address}/projects/${project}`);
    await page.getByRole('link', { name: 'Add files' }).click();
    await page.getByLabel('Folder to upload').setInputFiles(source);
    await page.getByText('1 of 1 files uploaded').waitFor();
    const open = page.getByRole('link', { name: 'Open study' });
    await open.waitFor();
    await fitsAndHasNoBarriers(page, 'study-folder-files');
    await open.click();
    const patients = new Set(made.truth.samples.map((line) => line.split('|')[1]));
    await page.getByText(`${patients.size} subjects · 500 samples`).waitFor();
    const deceased = patientsWith('OS_STATUS', '1:DECEASED').size;
    await page
      .getByRole('region', { name: 'Overall survival', exact: true })
      .getByText(new RegExp(`, ${deceased} events, median \\d+`))
      .waitFor();
    await page
      .getByRole('region', { name: 'Copy-number genes' })
      .getByText('Deep deletion')
      .first()
      .waitFor();
    await fitsAndHasNoBarriers(page, 'study-folder');
    assert.deepEqual(faults, []);
  });

  test('conditions are joined to a group by the keyboard, negated and taken apart', async () => {
    const { page, faults } = await visit(browser, app, await firstUser(app));
    await page.goto(`${app.address}/projects/${project}`);
    const women = patientsWith('SEX', 'Female');
    const deceased = patientsWith('OS_STATUS', '1:DECEASED');
    const all = new Set(made.truth.samples.map((line) => line.split('|')[1] ?? ''));
    await page
      .getByRole('group', { name: 'Sex' })
      .getByRole('button', { name: /^Female/ })
      .click();
    await found(page, women.size);
    await page
      .getByRole('group', { name: 'Overall survival status' })
      .getByRole('button', { name: /^Deceased/ })
      .click();
    const both = women.intersection(deceased);
    await found(page, both.size);
    await page.getByRole('button', { name: 'Groups of Sex: Female' }).press('Enter');
    await page.keyboard.press('ArrowDown');
    await page.getByRole('menuitem', { name: 'Group with the next condition' }).press('Enter');
    const group = 'Sex: Female and Overall survival status: Deceased';
    await page.getByRole('button', { name: `Not: ${group}` }).press('Enter');
    await found(page, all.difference(both).size);
    await page.reload();
    await found(page, all.difference(both).size);
    await page.getByRole('button', { name: `Not: ${group}` }).press('Enter');
    await page.getByRole('button', { name: `Groups of ${group}` }).click();
    await page.getByRole('menuitem', { name: 'Take the group apart' }).click();
    await page.getByRole('group', { name: 'Sex: Female', exact: true }).waitFor();
    await found(page, both.size);
    await page.getByRole('tab', { name: 'Subjects' }).click();
    const table = page.getByRole('table', { name: 'Subjects' });
    await table.getByRole('columnheader', { name: 'Mutation Count' }).waitFor();
    assert.equal(Number(await table.getAttribute('aria-rowcount')) - 1, both.size);
    assert.deepEqual(faults, []);
  });

  test('a layout is kept for its person and shared with other readers', async () => {
    const { page, faults } = await visit(browser, app, await firstUser(app));
    await page.goto(`${app.address}/projects/${project}`);
    const age = page.getByRole('region', { name: 'Age', exact: true });
    await age.getByRole('button', { name: 'Chart Age' }).click();
    await page.getByRole('menuitemradio', { name: 'Quartiles' }).click();
    await page.getByRole('menuitem', { name: 'Taller' }).click();
    await page.keyboard.press('Escape');
    const saved = page.waitForResponse(
      (one) => one.url().includes('/study/layout') && one.request().method() === 'PUT',
    );
    await page.getByRole('button', { name: 'Layout' }).click();
    await page.getByRole('menuitem', { name: 'Share with the project' }).click();
    await saved;
    await page.getByText('All readers of this project see these charts first.').waitFor();
    const { userId } = await app.people.member(app.account, ['readData']);
    const { page: other } = await visit(browser, app, userId);
    await other.goto(`${app.address}/projects/${project}`);
    const same = other.getByRole('region', { name: 'Age', exact: true });
    await same.waitFor();
    assert.match((await same.getAttribute('style')) ?? '', /span 2 \/ span 2/);
    assert.equal(await same.getByRole('group', { name: 'Age' }).getByRole('button').count(), 4);
    await other.getByRole('button', { name: 'Layout' }).click();
    await other.getByRole('menuitem', { name: 'Start again' }).waitFor();
    assert.equal(await other.getByRole('menuitem', { name: 'Share with the project' }).count(), 0);
    assert.deepEqual(faults, []);
  });

  test('an archive is a study too, and a study is exported as one', async () => {
    const { body } = await app.call('POST', '/v1/projects', { body: { name: 'Archive' } });
    const { page, faults } = await visit(browser, app, await firstUser(app));
    await page.goto(`${app.address}/projects/${body.id}/files`);
    await page.getByLabel('Files to upload').setInputFiles(join(folder, 'study.zip'));
    await page.getByRole('link', { name: 'Open study' }).click();
    await page.getByText(/^\d+ subjects · 20 samples/).waitFor();
    await page.getByRole('button', { name: 'Export' }).click();
    const dialogue = page.getByRole('dialog', { name: /^Export/ });
    await dialogue.getByRole('radio', { name: /^Study/ }).check();
    await dialogue.getByRole('button', { name: 'Export', exact: true }).click();
    await dialogue.getByRole('button', { name: 'data_clinical_patient.txt' }).waitFor();
    assert.deepEqual(faults, []);
  });
});
