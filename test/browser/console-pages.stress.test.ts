/** People do their work in the console with a real browser: from the first link to a result. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import AxeBuilder from '@axe-core/playwright';
import type { Browser, Page } from 'playwright-core';
import { firstUser } from '../../packages/server/src/domains/authentication/sign-in/tests/signed-in.fixture.ts';
import { until } from '../support/until.ts';
import { describePages, openChromium, photograph } from './chromium.ts';
import { ingest, showIn, visit } from './console-people.ts';

const samples = join(import.meta.dirname, '../../samples/data');
const files = ['fhir/Patient.ndjson', 'fhir/Condition.ndjson', 'vcf/SYN0001.vcf'];
const wcagTags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
/** A name that runs as a script wherever it is not text. */
const hostile = '<img src=x onerror=alert(1)><script>alert(2)</script>"\'javascript:alert(3)';

describePages('the console in a browser', (app) => {
  let browser: Browser;
  let project: string;
  before(async () => {
    browser = await openChromium();
    project = (await app.call('POST', '/v1/projects', { body: { name: 'Study' } })).body.id;
    for (const name of files) await ingest(app, project, name, readFileSync(join(samples, name)));
  });
  after(() => browser?.close());

  const pages = (): [string, string, RegExp][] => [
    ['home', '/', /Projects/],
    ['overview', `/projects/${project}`, /Study/],
    ['subjects', `/projects/${project}/subjects`, /Study/],
    ['data', `/projects/${project}?view=data`, /Study/],
    ['subject', `/projects/${project}/subjects/syn-0001`, /Subject syn-0001/],
    [
      'oncoprint',
      `/projects/${project}/oncoprint?genes=BRAF+TP53+KRAS&tracks=["patient.gender"]`,
      /Oncoprint/,
    ],
    ['variants', `/projects/${project}/variants?gene=TP53`, /Variants in TP53/],
    ['cohorts', `/projects/${project}/cohorts`, /Cohorts/],
    ['plots', `/projects/${project}/plots`, /Plots/],
    ['compare', `/projects/${project}/compare`, /Compare groups/],
    ['sql', `/projects/${project}/sql`, /SQL/],
    ['files', `/projects/${project}/files`, /Files/],
    ['ingestions', `/projects/${project}/files?tab=ingestions`, /Files/],
    ['samples', `/projects/${project}/files?tab=samples`, /Files/],
    ['genome', `/projects/${project}/genome?tracks=none`, /Genome/],
    ['people', '/account/people', /People and access/],
    ['policies', '/account/people?tab=policies', /People and access/],
    ['explain', '/account/people?tab=explain', /People and access/],
    ['connections', '/account/connections', /Connections/],
    ['audit', '/account/audit', /Audit/],
    ['me', '/me', /Me/],
  ];
  const settled = async (page: Page, title: RegExp): Promise<void> => {
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
    await until(
      async () => (await page.getByLabel('Loading', { exact: true }).filter({ visible: true }).count()) === 0,
      `${page.url()} is loaded`,
    );
  };

  test('the link of the first start opens it signed in; a deep link survives a reload', async () => {
    const { consoleUrl } = JSON.parse(readFileSync(join(app.folder, 'first-run.json'), 'utf8'));
    const { page, faults } = await visit(browser, app, undefined);
    await page.goto(consoleUrl);
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByRole('link', { name: 'Study' }).click();
    await page.getByRole('link', { name: 'SQL', exact: true }).click();
    await page.reload();
    await settled(page, /SQL/);
    assert.match(page.url(), new RegExp(`/projects/${project}/sql`));
    assert.deepEqual(faults, []);
  });

  // asvs: 14.2.3
  test('every page has no barrier that axe finds, in light and dark, and asks no other host', async () => {
    const { page, faults } = await visit(browser, app, await firstUser(app));
    const found: string[] = [];
    const look = async (name: string, axe: AxeBuilder): Promise<void> => {
      const { violations } = await axe.analyze();
      for (const { id, nodes } of violations)
        found.push(`${name} ${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
    };
    for (const [name, path, title] of pages()) {
      await page.emulateMedia({ colorScheme: 'light' });
      await page.goto(app.address + path);
      await settled(page, title);
      await look(`${name} light`, new AxeBuilder({ page }).withTags(wcagTags));
      // Only colours differ in the dark.
      await showIn(page, 'dark');
      await look(
        `${name} dark`,
        new AxeBuilder({ page }).withRules(['color-contrast', 'link-in-text-block']),
      );
      await photograph(page, `console-${name}`);
    }
    assert.deepEqual(found, []);
    assert.deepEqual(faults, []);
  });

  test('an analyst runs SQL: the rows, the place of a fault, the history', async () => {
    const { page, faults } = await visit(browser, app, await firstUser(app));
    const statement = encodeURIComponent(
      'SELECT gender, count(*) AS n FROM demographic GROUP BY gender ORDER BY n DESC',
    );
    await page.goto(`${app.address}/projects/${project}/sql?sql=${statement}`);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    const table = page.getByRole('table', { name: 'Result' });
    await table.getByRole('cell', { name: 'female' }).waitFor();
    assert.equal(await table.getByRole('row').count(), 3);
    await page.getByLabel('SQL statement').fill('SELECT gender\nFROM demografic');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    assert.match(await page.getByRole('alert').innerText(), /demografic[\s\S]*Request/);
    assert.equal(await page.evaluate('getSelection().toString()'), 'demografic');
    await page.getByRole('tab', { name: 'History' }).click();
    await page.getByRole('table', { name: 'History' }).getByText('succeeded').first().waitFor();
    assert.deepEqual(faults, []);
  });

  test('a million rows scroll to the last one', async () => {
    const { page } = await visit(browser, app, await firstUser(app));
    const statement = encodeURIComponent(
      'SELECT i AS number, i * 2 AS twice FROM range(1000000) t(i) ORDER BY i',
    );
    await page.goto(`${app.address}/projects/${project}/sql?sql=${statement}`);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    const table = page.getByRole('table', { name: 'Result' });
    await table.waitFor({ timeout: 60_000 });
    assert.equal(await table.getAttribute('aria-rowcount'), '1000001');
    await table.evaluate((box) => {
      Object(box).scrollTop = Object(box).scrollHeight;
    });
    await table.getByRole('cell', { name: '999999', exact: true }).waitFor();
    assert.ok((await table.getByRole('row').count()) < 60, 'only visible rows are in the page');
  });

  test('a bioinformatician uploads files by choosing them; they are ingested', async () => {
    const { page, faults } = await visit(browser, app, await firstUser(app));
    await page.goto(`${app.address}/projects/${project}/files`);
    await page.getByLabel('Files to upload').setInputFiles(join(samples, 'vcf/SYN0002.vcf'));
    await page.getByText('1 of 1 files uploaded').waitFor();
    await page
      .getByRole('table', { name: 'Files' })
      .getByRole('button', { name: 'SYN0002.vcf', exact: true })
      .click();
    await page.getByText('##fileformat=VCFv4').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('tab', { name: 'Ingestions' }).click();
    const row = page.getByRole('row').filter({ hasText: 'SYN0002.vcf' });
    await row.getByText('succeeded').waitFor();
    assert.deepEqual(faults, []);
  });

  test('a researcher narrows subjects by a chart and saves them as a cohort', async () => {
    const { page, faults } = await visit(browser, app, await firstUser(app));
    await page.goto(`${app.address}/projects/${project}`);
    await page
      .getByRole('group', { name: 'Sex' })
      .getByRole('button', { name: /^Female/ })
      .click();
    await page.getByText(/^11 of 19 subjects/).waitFor();
    await page.getByRole('button', { name: 'Save as cohort' }).click();
    await page.getByLabel('Name').fill('Women');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('The cohort Women is saved.').waitFor();
    await page.getByRole('link', { name: 'Cohorts' }).click();
    await page.getByRole('link', { name: 'Women' }).click();
    await page.getByText(/^11 of 19 subjects/).waitFor();
    assert.deepEqual(faults, []);
  });

  test('an administrator makes a project, deletes it and restores it', async () => {
    const { page, faults } = await visit(browser, app, await firstUser(app));
    await page.goto(app.address);
    await page.getByRole('button', { name: 'New project' }).click();
    await page.getByLabel('Name').fill('Short lived');
    await page.getByRole('button', { name: 'Create' }).click();
    await settled(page, /Files/);
    await page.getByRole('link', { name: 'Home' }).click();
    await page.getByLabel('Actions for Short lived').click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByLabel('Type "Short lived" to confirm').fill('Short lived');
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByText(/Removed in \d+ days/).waitFor();
    await page.getByRole('button', { name: 'Restore' }).click();
    await page.getByText(/Removed in/).waitFor({ state: 'detached' });
    assert.deepEqual(faults, []);
  });

  test('a member who may see masked data only reads a note of it, and is offered no change', async () => {
    const member = await app.people.member('main', ['readMaskedData']);
    const { page, faults } = await visit(browser, app, member.userId);
    await page.goto(`${app.address}/projects/${project}/subjects`);
    await page.getByText('You may see the data of this project only masked').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Save as cohort' }).count(), 0);
    await page.goto(`${app.address}/account/audit`);
    await page.getByText('You may not read the audit log').waitFor();
    await page.goto(app.address);
    await page.getByRole('link', { name: 'Study' }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'New project' }).count(), 0);
    assert.deepEqual(faults, []);
  });

  // asvs: 3.2.2
  test('crafted names never run as script', async () => {
    const named = (await app.call('POST', '/v1/projects', { body: { name: hostile } })).body.id;
    const name = `${hostile.replaceAll('/', '')}.csv`;
    await app.put(named, name, `${JSON.stringify(hostile).replaceAll('\\"', '""')},b\n1,2\n`);
    const patient = { resourceType: 'Patient', id: 'p1', gender: 'female', address: [{ state: hostile }] };
    const condition = {
      resourceType: 'Condition',
      id: 'c1',
      subject: { reference: 'Patient/p1' },
      code: { text: hostile, coding: [{ code: 'x', display: hostile }] },
      onsetDateTime: '2020-01-01',
    };
    const lines = [patient, condition].map((one) => JSON.stringify(one)).join('\n');
    await ingest(app, project, 'hostile.ndjson', lines);
    await app.call('POST', '/v1/account/groups', { body: { name: hostile, description: hostile } });
    const { page, faults } = await visit(browser, app, await firstUser(app));
    const statement = encodeURIComponent(
      `SELECT '${hostile.replaceAll("'", "''")}' AS "${hostile.replaceAll('"', '""')}"`,
    );
    const places = [
      ...pages(),
      ['hostile', `/projects/${named}/files`, /Files/],
      ['hostile subject', `/projects/${project}/subjects/p1`, /Subject p1/],
      ['hostile groups', '/account/people?tab=groups', /People and access/],
      [
        'hostile subjects',
        `/projects/${project}?filter=${encodeURIComponent(JSON.stringify([{ is: { attribute: 'condition.code', in: [hostile] } }]))}`,
        /Study/,
      ],
      ['hostile address', `/projects/${project}/subjects/${encodeURIComponent(hostile)}`, /Subject/],
    ] as [string, string, RegExp][];
    for (const [, path, title] of places) {
      await page.goto(app.address + path);
      await settled(page, title);
    }
    await page.goto(`${app.address}/projects/${project}/sql?sql=${statement}`);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('table', { name: 'Result' }).getByRole('cell').first().waitFor();
    assert.equal(await page.locator('img[src=x]').count(), 0);
    assert.deepEqual(faults, []);
  });

  test('a session that has ended leads back to the same place after signing in', async () => {
    const { page } = await visit(browser, app, undefined);
    const men = [{ is: { attribute: 'patient.gender', in: ['male'] } }];
    const filter = new URLSearchParams({ filter: JSON.stringify(men) });
    const place = `${app.address}/projects/${project}?${filter}`;
    await page.goto(place);
    await page.getByLabel('E-mail address').waitFor();
    const { page: other } = await visit(browser, app, await firstUser(app));
    await page.context().addCookies(await other.context().cookies());
    await page.goto(`${app.address}/v1/oauth/sign-in`);
    await page.getByText(/^8 of \d+ subjects/).waitFor();
    assert.equal(page.url(), place);
  });

  // asvs: 7.4.4, 14.3.1
  test('signing out ends the session', async () => {
    const { page } = await visit(browser, app, await firstUser(app));
    await page.goto(app.address);
    const kept = (): Promise<string[]> =>
      page.evaluate(
        '[...Object.keys(localStorage), ...Object.keys(sessionStorage)].filter((key) => key.startsWith("ploidy-"))',
      );
    await until(async () => (await kept()).includes('ploidy-account'), 'the account is kept');
    await page.getByRole('button', { name: 'Administrator' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByLabel('E-mail address').waitFor();
    assert.deepEqual(await kept(), []);
    assert.equal((await page.request.get(`${app.address}/v1/accounts`)).status(), 401);
  });
});
