/** An account of a thousand projects: what each page asks of the service before it shows its content. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { newId } from '../../packages/server/src/base/ids.ts';
import { firstUser } from '../../packages/server/src/domains/authentication/sign-in/tests/signed-in.fixture.ts';
import { until } from '../support/until.ts';
import { describePages, openChromium } from './chromium.ts';
import { visit, withoutBarriers } from './console-people.ts';

const projectsCount = 1000;
const requestsMax = 12;

describePages('the console at a thousand projects', (app) => {
  let browser: Browser;
  let project: string;
  let limited: string;
  before(async () => {
    browser = await openChromium();
    project = (await app.call('POST', '/v1/projects', { body: { name: 'Project 0000' } })).body.id;
    const rows = Array.from({ length: projectsCount }, (_, at) => {
      const name = `Project ${String(at + 1).padStart(4, '0')}`;
      return { id: newId(), account_id: app.account, name, name_key: name.toLowerCase(), description: '' };
    }).map((row) => ({ ...row, deletion_at: null, created_at: Date.now() }));
    await app.people.records.transact(async (tx) => {
      for (let from = 0; from < rows.length; from += 100)
        await tx
          .insertInto('projects')
          .values(rows.slice(from, from + 100))
          .execute();
    });
    const rule = { 'resource.dataset': { comparison: 'equals', value: project } };
    limited = (await app.people.member(app.account, ['readMaskedData'], rule)).userId;
  });
  after(() => browser?.close());

  const pages = (): [string, RegExp][] => [
    ['/', /Projects/],
    [`/projects/${project}`, /Project 0000/],
    [`/projects/${project}/variants`, /Variants/],
    [`/projects/${project}/cohorts`, /Cohorts/],
    [`/projects/${project}/sql`, /SQL/],
    [`/projects/${project}/files`, /Files/],
    [`/projects/${project}/genome?tracks=none`, /Genome/],
    ['/account/people', /People and access/],
    ['/account/people?tab=explain', /People and access/],
    ['/account/connections', /Connections/],
    ['/account/work', /Work and storage/],
    ['/account/health', /Health/],
    ['/account/audit', /Audit/],
    ['/me', /Me/],
  ];

  test('no page makes more than twelve requests for its first content', async () => {
    const { page, faults } = await visit(browser, app, await firstUser(app));
    for (const [path, title] of pages()) {
      const asked = await requestsOf(page, `${app.address}${path}`, title);
      assert.ok(asked.length <= requestsMax, `${path}: ${asked.length} requests\n${asked.join('\n')}`);
    }
    assert.deepEqual(faults, []);
  });

  test('a favourite is the first row, and a project is found by its name', async () => {
    const { page, faults } = await visit(browser, app, await firstUser(app));
    await page.goto(app.address);
    await page.getByLabel('Filter Projects').fill('0777');
    await page.getByRole('button', { name: 'Favourite Project 0777' }).click();
    await page.reload();
    const table = page.getByRole('table', { name: 'Projects' });
    await table.getByRole('row').nth(1).getByRole('link', { name: 'Project 0777' }).waitFor();
    await withoutBarriers(page, 'home-thousand');
    await page.goto(`${app.address}/account/work`);
    await page.getByRole('table', { name: 'Storage' }).waitFor();
    await withoutBarriers(page, 'work-thousand');
    assert.deepEqual(faults, []);
  });

  test('a reader of one project sees that project alone', async () => {
    const { page, faults } = await visit(browser, app, limited);
    await page.goto(app.address);
    const table = page.getByRole('table', { name: 'Projects' });
    await table.getByRole('link', { name: 'Project 0000' }).waitFor();
    assert.equal(await table.getByRole('link').count(), 1);
    await table.getByText('read masked').waitFor();
    assert.equal(await page.getByText('Project 0777').count(), 0);
    assert.deepEqual(faults, []);
  });
});

/** Opens a page, and returns the requests to the API until it shows no wait. */
async function requestsOf(page: Page, url: string, title: RegExp): Promise<string[]> {
  const asked: string[] = [];
  const note = (request: { url: () => string; method: () => string }): void => {
    const { pathname } = new URL(request.url());
    if (/^\/(?:api\/)?v1\//.test(pathname)) asked.push(`${request.method()} ${pathname}`);
  };
  page.on('request', note);
  await page.goto(url);
  await page.getByRole('heading', { level: 1, name: title }).waitFor();
  const waiting = page.getByLabel('Loading', { exact: true }).filter({ visible: true });
  await page.waitForLoadState('networkidle');
  await until(async () => (await waiting.count()) === 0, `${url} is loaded`);
  page.off('request', note);
  return asked;
}
