/** The console shows whatever people have chosen as text: each text of each answer is a hostile one, on every page. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { firstUser } from '../../packages/server/src/domains/authentication/sign-in/tests/signed-in.fixture.ts';
import { until } from '../support/until.ts';
import { describePages, openChromium } from './chromium.ts';
import { pagesOfConsole } from './console-looks.ts';
import { ingest, visit } from './console-people.ts';
import { answerWith, hostileTexts } from './hostile-answers.ts';

const samples = join(import.meta.dirname, '../../samples/data');
const files = ['fhir/Patient.ndjson', 'fhir/Condition.ndjson', 'vcf/SYN0001.vcf', 'omic/fusion.csv'];
const markup = hostileTexts['markup'] ?? '';
/** Markup without slashes, for names of files and texts in quotes of SQL. */
const named = markup.replaceAll('/', '');

describePages('the console with hostile data', (app) => {
  let browser: Browser;
  let project: string;
  before(async () => {
    browser = await openChromium();
    const post = async (path: string, body: unknown) => {
      const reply = await app.call('POST', path, { body });
      assert.ok(reply.status < 300, reply.text);
      return reply.body;
    };
    project = (await post('/v1/projects', { name: named, description: markup })).id;
    for (const name of files) await ingest(app, project, name, readFileSync(join(samples, name)));
    const table = { type: 'table', table: { name: 'odd' } };
    await ingest(
      app,
      project,
      `${named.slice(0, 60)}.csv`,
      `patient_id,"${markup.replaceAll('"', '""')}"\nsyn-0001,"${markup.replaceAll('"', '""')}"\n`,
      table,
    );
    const where = { patient: { demographics: { gender: [{ operator: 'eq', value: 'female' }] } } };
    const queries = [{ project, queryType: 'dsl', query: { target: 'patient', where } }];
    await post('/v1/cohorts', { name: named, description: markup, ownerProject: project, queries });
    await post('/v1/account/groups', { name: named, description: markup });
    await post('/v1/policies', {
      name: named,
      policy: { rules: { readData: [{ 'user.id': { comparison: 'equals', value: markup } }] } },
    });
    await post('/v1/clients', { name: named, callbackUrls: ['https://app.example/callback'] });
    await post(`/v1/projects/${project}/saved-queries`, {
      name: named,
      description: markup,
      statement: `SELECT '${named.replaceAll("'", "''")}'`,
      shared: true,
    });
    await post('/v1/api-keys', { name: named.slice(0, 60), expireInDays: 1 });
    await post('/v1/analytics/data-lake/query', {
      datasetId: project,
      query: 'SELECT 1',
      outputFileName: `${named.slice(0, 60)}.csv`,
    });
  });
  after(() => browser?.close());

  const pages = (): string[] => [
    '/',
    `/projects/${project}`,
    `/projects/${project}/subjects`,
    `/projects/${project}/subjects/syn-0001`,
    `/projects/${project}/variants?gene=TP53`,
    `/projects/${project}/oncoprint?genes=TP53+KRAS&tracks=["patient.gender"]&gap=patient.gender`,
    `/projects/${project}/cohorts`,
    `/projects/${project}/timed`,
    `/projects/${project}/reports`,
    `/projects/${project}/connect`,
    `/projects/${project}/plots?x=patient.gender&y=patient.birth_year`,
    `/projects/${project}/compare?groups=${encodeURIComponent(JSON.stringify([named, markup].map((name) => ({ name, is: { and: [] } }))))}`,
    `/projects/${project}/sql`,
    `/projects/${project}/files`,
    `/projects/${project}/files?tab=ingestions`,
    `/projects/${project}/genome?tracks=none`,
    '/account/people',
    '/account/people?tab=groups',
    '/account/people?tab=policies',
    '/account/people?tab=explain',
    '/account/connections',
    '/account/work',
    '/account/health',
    '/account/audit',
    '/me',
  ];
  const works = async (page: Page, path: string): Promise<void> => {
    await page.goto(app.address + path);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await until(
      async () => (await page.getByLabel('Loading', { exact: true }).filter({ visible: true }).count()) === 0,
      `${page.url()} is loaded`,
    );
    const harm = await page.evaluate(`({
      harmed: window.harmed ?? null,
      elements: document.querySelectorAll('img[src=x], svg[onload], [onerror], script:not([src]), a[href^="javascript:" i], link[href*="harm.example"]').length,
    })`);
    assert.deepEqual(harm, { harmed: null, elements: 0 }, path);
  };

  test('every page is looked at', () => {
    const missed = pagesOfConsole().filter((pattern) => !pages().some((path) => pattern.test(path)));
    assert.deepEqual(missed, []);
  });

  for (const [kind, text] of Object.entries(hostileTexts)) {
    // asvs: 3.2.2
    test(`pages work, run nothing and ask no other host where every text of every answer is hostile: ${kind}`, async () => {
      const { page, faults } = await visit(browser, app, await firstUser(app));
      const replaced = await answerWith(page, app.address, text);
      for (const path of pages()) await works(page, path);
      assert.ok(
        replaced.count > 100 && replaced.paths.size > 12,
        `${replaced.count}, ${[...replaced.paths]}`,
      );
      assert.deepEqual(faults, []);
      await page.context().close();
    });
  }

  // asvs: 14.3.3
  test('stored names, results, errors and files are text, and do not stay in the browser', async () => {
    const { page, faults } = await visit(browser, app, await firstUser(app));
    for (const path of pages()) await works(page, path);
    for (const statement of [
      `SELECT '${named.replaceAll("'", "''")}' AS "${named.replaceAll('"', '""')}"`,
      `SELECT "${named.replaceAll('"', '""')}" FROM odd`,
    ]) {
      await works(page, `/projects/${project}/sql?sql=${encodeURIComponent(statement)}`);
      await page.getByRole('button', { name: 'Run', exact: true }).click();
      const cell = page.getByRole('table', { name: 'Result' }).getByRole('cell');
      const shown = cell.or(page.getByRole('alert')).filter({ hasText: 'img src=x' }).first();
      await shown.waitFor();
      assert.equal(await page.locator('img[src=x]').count(), 0, statement);
    }
    await works(page, `/projects/${project}/files?q=${encodeURIComponent(named.slice(0, 20))}`);
    assert.deepEqual(faults, []);
    const kept = JSON.stringify(await page.evaluate('[{ ...localStorage }, { ...sessionStorage }]'));
    assert.doesNotMatch(kept, /harmed|img src|syn-|TP53/);
    await page.context().close();
  });
});
