/** A file that becomes a table of the project's own: preview, proposed columns, masks, in a real browser. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { firstUser } from '../../packages/server/src/domains/authentication/sign-in/tests/signed-in.fixture.ts';
import { until } from '../support/until.ts';
import { describePages, openChromium } from './chromium.ts';
import { fitsAndHasNoBarriers, visit } from './console-people.ts';

describePages('tables of a project in the console', (app) => {
  let browser: Browser;
  let project: string;
  before(async () => {
    browser = await openChromium();
    project = (await app.call('POST', '/v1/projects', { body: { name: 'Study' } })).body.id;
  });
  after(() => browser?.close());

  test('a plain file is previewed with types, its column of patients is proposed, and it becomes a table', async () => {
    const rows = Array.from(
      { length: 30 },
      (_, at) => `S-${at};"arm; ${at % 2}";${at}.5;2026-01-${String(at + 1).padStart(2, '0')}`,
    );
    await app.put(project, 'visits.csv', ['Subject ID;arm;crp;seen', ...rows].join('\n'));
    const { page, faults } = await visit(browser, app, await firstUser(app));
    await page.goto(`${app.address}/projects/${project}/files`);
    await page.getByRole('button', { name: 'Actions for visits.csv' }).click();
    await page.getByRole('menuitem', { name: 'Ingest' }).click();
    const dialogue = page.getByRole('dialog', { name: 'Ingest visits.csv' });
    await dialogue.getByRole('button', { name: 'Make it a table' }).click();
    const preview = dialogue.getByRole('table', { name: 'First rows' });
    await preview.getByRole('cell', { name: 'arm; 1' }).first().waitFor();
    assert.equal(await preview.getByRole('row').count(), 21);
    const headings = await preview.getByRole('columnheader').allInnerTexts();
    assert.deepEqual(
      headings.map((text) => text.replace(/\s+/g, ' ').trim()),
      ['Subject ID string', 'arm string', 'crp float', 'seen date'],
    );
    const patient = dialogue.getByRole('combobox', { name: 'Column with the patient' });
    assert.equal(await patient.inputValue(), 'Subject ID');
    await dialogue.getByLabel('arm', { exact: true }).check();
    await fitsAndHasNoBarriers(page, 'ingest-table');
    await dialogue.getByRole('button', { name: 'Ingest', exact: true }).click();
    await page.getByRole('tab', { name: 'Ingestions', selected: true }).waitFor();
    await until(async () => {
      const { items } = (await app.call('GET', `/v1/ingestions?datasetId=${project}`)).body;
      return items[0]?.state === 'succeeded';
    }, 'the table is ingested');
    const { schemas } = (await app.call('GET', `/v1/analytics/data-lake/schema?datasetId=${project}`)).body;
    const table = schemas.find((one: { table: string }) => one.table === 'visits');
    assert.deepEqual(
      table.columns.map(({ name, type }: { name: string; type: string }) => `${name} ${type}`),
      ['patient_id string', 'arm string', 'crp float', 'seen date'],
    );
    const body = { query: 'SELECT arm, crp FROM visits LIMIT 1', datasetId: project };
    const { key } = await app.people.member('main', ['readMaskedData']);
    const masked = await app.call('POST', '/v1/analytics/data-lake/rows', { body, key });
    assert.match(JSON.stringify(masked.body.rows), /\["arm; [01]",null\]/);
    assert.deepEqual(faults, []);
  });

  test('a preview reads titles, separators and types as the ingestion does, and shows why it cannot', async () => {
    const files: [name: string, text: string | Uint8Array, shown: RegExp][] = [
      [
        'clinical.txt',
        '#Id\tAge\n#id\tage\n#STRING\tSTRING\n#1\t1\nPATIENT_ID\tAGE\nP1\t61\n',
        /^PATIENT_ID string,AGE string$/,
      ],
      [
        'hint.csv',
        'sep=;\r\n"Participant";"Weight, kg"\r\nP1;61.5\r\n',
        /^Participant string,Weight, kg float$/,
      ],
      ['bars.txt', 'patient_id|age\nP1|61\n', /separated by vertical bars/],
      ['both.csv', 'age, years;weight, kg\n61,5;70,5\n', /may be a comma or a semicolon/],
      ['packed.csv', gzipSync('patient_id,age\nP1,61\n'), /Only plain CSV and TSV files/],
      ['objects.txt', '{"patient_id":"P1"}\n', /Only plain CSV and TSV files/],
    ];
    for (const [name, text] of files) await app.put(project, name, text);
    const { page } = await visit(browser, app, await firstUser(app));
    for (const [name, , shown] of files) {
      await page.goto(`${app.address}/projects/${project}/files`);
      await page.getByRole('button', { name: `Actions for ${name}` }).click();
      await page.getByRole('menuitem', { name: 'Ingest' }).click();
      const dialogue = page.getByRole('dialog', { name: `Ingest ${name}` });
      await dialogue.getByRole('button', { name: 'Make it a table' }).click();
      const seen = dialogue.getByRole('table', { name: 'First rows' });
      const words = async () => {
        const titles = await seen.getByRole('columnheader').allInnerTexts();
        const texts = titles.length > 0 ? titles : [await dialogue.innerText()];
        return texts.map((one) => one.replace(/\s+/g, ' ').trim()).join();
      };
      await until(async () => shown.test(await words()), `${name} is shown`);
    }
  });
});
