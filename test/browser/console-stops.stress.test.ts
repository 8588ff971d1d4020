/** Places where people stopped in the console: the way on is there, and nothing is offered that is refused. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { firstUser } from '../../packages/server/src/domains/authentication/sign-in/tests/signed-in.fixture.ts';
import { bamBytes } from '../support/bam.ts';
import { addReads } from '../support/genomics.ts';
import { until } from '../support/until.ts';
import { describePages, openChromium, photograph } from './chromium.ts';
import { visit } from './console-people.ts';

const samples = join(import.meta.dirname, '../../samples/data');
const reads = bamBytes({
  references: [['chr7', 159_345_973]],
  reads: [{ name: 'read', reference: 0, position: 140_753_300, bases: 'ACGT'.repeat(25) }],
});

describePages('ways on in the console', (app) => {
  let browser: Browser;
  let project: string;
  before(async () => {
    browser = await openChromium();
    project = (await app.call('POST', '/v1/projects', { body: { name: 'Study' } })).body.id;
    for (const name of ['fhir/Patient.ndjson', 'fhir/Condition.ndjson', 'vcf/SYN0001.vcf']) {
      const fileId = await app.put(project, name, readFileSync(join(samples, name)));
      const { body } = await app.call('POST', '/v1/ingestions', { body: { datasetId: project, fileId } });
      await until(async () => {
        const { state } = (await app.call('GET', `/v1/ingestions/${body.id}`)).body;
        return state === 'succeeded';
      }, `${name} is ingested`);
    }
    await addReads(app, project, 'SYN0001.bam', reads);
  });
  after(() => browser?.close());

  test('reads without a reference and variants without compression are drawn; another track leaves the region', async () => {
    const { page, faults } = await visit(browser, app, await firstUser(app));
    await page.goto(`${app.address}/projects/${project}/genome?locus=chr7:140753286-140753386&tracks=none`);
    const region = page.locator('.igv-search-input');
    await until(async () => (await region.inputValue()) === 'chr7:140,753,286-140,753,386', 'the region');
    const label = page.locator('.igv-track-label');
    await page.getByLabel('SYN0001.bam (reads)').check();
    await label.getByText('SYN0001.bam').waitFor();
    await page.getByLabel('vcf/SYN0001.vcf (variants)').check();
    await label.getByText('vcf/SYN0001.vcf').waitFor();
    await page.getByLabel('SYN0001.bam (reads)').uncheck();
    await label.getByText('SYN0001.bam').waitFor({ state: 'detached' });
    assert.equal(await region.inputValue(), 'chr7:140,753,286-140,753,386');
    assert.equal(await page.getByRole('alert').count(), 0);
    assert.deepEqual(faults, []);
  });

  test('genes are found in letters of any case', async () => {
    const { page, faults } = await visit(browser, app, await firstUser(app));
    await page.goto(`${app.address}/projects/${project}/variants`);
    await page.getByRole('link', { name: /\d carriers/ }).waitFor();
    await page.getByRole('textbox', { name: 'Genes', exact: true }).fill('braf');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('heading', { level: 1, name: 'Variants in BRAF' }).waitFor();
    await page.getByRole('group', { name: /^Changes of the protein of BRAF/ }).waitFor();
    assert.deepEqual(faults, []);
  });

  test('an upload goes on by itself when the service can be reached again', async () => {
    const { page, faults } = await visit(browser, app, await firstUser(app));
    await page.goto(`${app.address}/projects/${project}/files`);
    await page.route('**/v1/files', (route) => route.abort('connectionrefused'));
    const file = {
      name: 'notes.bam.bai',
      mimeType: 'application/octet-stream',
      buffer: Buffer.from('index'),
    };
    await page.getByLabel('Files to upload').setInputFiles(file);
    await page.getByText('the service cannot be reached: trying again').waitFor();
    await page.unroute('**/v1/files');
    await page.getByText('1 of 1 files uploaded').waitFor();
    await page.getByRole('tab', { name: 'Ingestions' }).click();
    await page.getByRole('row').filter({ hasText: 'SYN0001.vcf' }).waitFor();
    // An index holds nothing to ingest.
    assert.equal(await page.getByRole('row').filter({ hasText: 'notes.bam.bai' }).count(), 0);
    assert.deepEqual(faults, []);
  });

  test('a file whose ingestion failed is ingested again with what was missing', async () => {
    await app.put(project, 'counts.tsv', 'ENSG00000141510\t7\nENSG00000012048\t9\n');
    const { page, faults } = await visit(browser, app, await firstUser(app));
    await page.goto(`${app.address}/projects/${project}/files`);
    await page.getByLabel('Actions for counts.tsv').click();
    await page.getByRole('menuitem', { name: 'Ingest' }).click();
    const ingestAsExpression = async (): Promise<void> => {
      await page.getByRole('combobox', { name: 'Type' }).click();
      await page.getByRole('option', { name: 'expression' }).click();
      await page.getByRole('button', { name: 'Ingest', exact: true }).click();
    };
    await ingestAsExpression();
    const failed = page.getByRole('row').filter({ hasText: 'failed' });
    await failed.getByRole('button', { name: 'Details' }).click();
    await page.getByRole('button', { name: 'Ingest again, with other options' }).click();
    await page.getByLabel('Sample (if the file names none)').fill('S1');
    await ingestAsExpression();
    await page.getByRole('row', { name: /counts\.tsv .*succeeded/ }).waitFor();
    assert.deepEqual(faults, []);
  });

  test('samples that a program gave its own names are named when their file is ingested', async () => {
    const columns = '#CHROM POS ID REF ALT QUAL FILTER INFO FORMAT NORMAL TUMOR'.replaceAll(' ', '\t');
    const record = 'chr1 5 . A C . PASS . GT 0/0 0/1'.replaceAll(' ', '\t');
    await app.put(project, 'pair.vcf', `##fileformat=VCFv4.2\n${columns}\n${record}\n`);
    const { page, faults } = await visit(browser, app, await firstUser(app));
    await page.goto(`${app.address}/projects/${project}/files`);
    await page.getByLabel('Actions for pair.vcf').click();
    await page.getByRole('menuitem', { name: 'Ingest' }).click();
    const names = page.getByLabel('New names of samples');
    const start = page.getByRole('button', { name: 'Ingest', exact: true });
    await names.fill('TUMOR');
    await page.getByText('Each line needs two names').waitFor();
    assert.equal(await start.isDisabled(), true);
    await names.fill('TUMOR = P7-T\n\nNORMAL=P7-N');
    await photograph(page, 'ingest-dialogue');
    await start.click();
    const done = page.getByRole('row', { name: /pair\.vcf .*succeeded/ });
    await done.getByRole('button', { name: 'Details' }).click();
    await page.getByText('Sample TUMOR: P7-T').waitFor();
    assert.deepEqual(faults, []);
  });

  test('a result in another format is downloaded as soon as it is there', async () => {
    const { page, faults } = await visit(browser, app, await firstUser(app));
    await page.goto(`${app.address}/projects/${project}/sql?sql=SELECT 42 AS answer`);
    await page.getByRole('button', { name: 'Download as…' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'JSON lines' }).click(),
    ]);
    assert.equal(readFileSync(await download.path(), 'utf8').trim(), '{"answer":42}');
    assert.deepEqual(faults, []);
  });

  test('a cohort leaves as FHIR files, and a subject as a phenopacket; a closed export is found again', async () => {
    const { page, faults } = await visit(browser, app, await firstUser(app));
    const where = { patient: { id: [{ operator: 'eq', value: 'syn-0001' }] } };
    const queries = [{ project, queryType: 'dsl', query: { target: 'patient', where } }];
    const body = { name: 'One subject', ownerProject: project, queries };
    assert.equal((await app.call('POST', '/v1/cohorts', { body })).status, 200);
    await page.goto(`${app.address}/projects/${project}/cohorts`);
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    const dialogue = page.getByRole('dialog', { name: 'Export One subject' });
    await dialogue.getByRole('button', { name: 'Export', exact: true }).click();
    await dialogue.getByText(/^exports\//).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    const file = dialogue.getByRole('button', { name: /^Patient.*\.ndjson$/ });
    await file.waitFor();
    await photograph(page, 'export');
    const [patients] = await Promise.all([page.waitForEvent('download'), file.click()]);
    assert.equal(JSON.parse(readFileSync(await patients.path(), 'utf8')).id, 'syn-0001');
    await dialogue.getByRole('button', { name: 'Delete these files' }).click();
    await dialogue.getByRole('button', { name: 'Export', exact: true }).waitFor();
    await page.goto(`${app.address}/projects/${project}/subjects/syn-0001`);
    const [packet] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as phenopacket' }).click(),
    ]);
    assert.equal(JSON.parse(readFileSync(await packet.path(), 'utf8')).subject.id, 'syn-0001');
    assert.deepEqual(faults, []);
  });

  test('an invitation without a group is not sent', async () => {
    const { page, faults } = await visit(browser, app, await firstUser(app));
    await page.goto(`${app.address}/account/people?tab=invitations`);
    await page.getByRole('button', { name: 'Invite' }).click();
    const form = page.getByRole('dialog');
    await form.getByLabel('E-mail address').fill('ada@example.org');
    await page.keyboard.press('Enter');
    const group = form.getByRole('combobox', { name: 'Group' });
    assert.equal(await group.evaluate((input) => Object(input).validity.valueMissing), true);
    assert.equal(await page.getByRole('alert').count(), 0);
    assert.deepEqual((await app.call('GET', '/v1/invitations?account=main')).body.items, []);
    assert.deepEqual(faults, []);
  });

  test('a reader of masked data is offered no page and no key that the service refuses', async () => {
    const member = await app.people.member('main', ['readMaskedData']);
    const { page, faults } = await visit(browser, app, member.userId);
    const refused: string[] = [];
    page.on('response', (response) => {
      if (response.status() === 403) refused.push(response.url());
    });
    await page.goto(`${app.address}/projects/${project}`);
    await page.getByText('Masked values').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Export', exact: true }).count(), 0);
    await page.goto(`${app.address}/projects/${project}/genome`);
    await page.getByText('You may not see the files of this project').waitFor();
    for (const name of ['Connections', 'Audit'])
      assert.equal(await page.getByRole('link', { name, exact: true }).count(), 0, name);
    await app.people.withdraw(member);
    await page.goto(`${app.address}/me`);
    await page.getByText('You may not use API keys in this account').waitFor();
    assert.equal(await page.getByRole('button', { name: 'New key' }).count(), 0);
    assert.deepEqual(refused, []);
    assert.deepEqual(faults, []);
  });

  test('the keyboard skips the menus', async () => {
    const { page } = await visit(browser, app, await firstUser(app));
    await page.goto(`${app.address}/projects/${project}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    const focused = 'document.activeElement.closest("main") !== null';
    assert.equal(await page.evaluate(focused), true);
  });
});
