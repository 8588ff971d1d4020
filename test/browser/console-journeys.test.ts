/** Longer ways through the console: the sample project, keyboard alone, a tablet, an interrupted upload, access by name. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import AxeBuilder from '@axe-core/playwright';
import type { Browser, Page } from 'playwright-core';
import { firstUser } from '../../packages/server/src/domains/identity/sign-in/tests/signed-in.fixture.ts';
import { until } from '../support/until.ts';
import { describeInBrowser, openChromium, picture } from './chromium.ts';
import { visit } from './console-people.ts';

/** The sample has 27 files, each with an upload and an ingestion. */
const loadedMaxMs = 540_000;

// Workers that stay spare each of the 27 ingestions the start of a process.
const settings = { PLOIDY_IDLE_WORKERS: '2' };

describeInBrowser(
  'journeys through the console',
  (app) => {
    let browser: Browser;
    /** The sample project, from the first journey on. */
    let project = '';
    before(async () => {
      browser = await openChromium();
    });
    after(() => browser?.close());

    const withoutBarriers = async (page: Page): Promise<void> => {
      const { violations } = await new AxeBuilder({ page })
        .withTags(['wcag2a', 'wcag2aa', 'wcag22aa'])
        .analyze();
      assert.deepEqual(
        violations.map(
          ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`,
        ),
        [],
      );
    };
    const cohort = async (name: string, gender: string): Promise<string> => {
      const query = {
        target: 'patient',
        where: { patient: { demographics: { gender: [{ operator: 'in', value: [gender] }] } } },
      };
      const body = { name, ownerProject: project, queries: [{ project, queryType: 'dsl', query }] };
      const made = await app.call('POST', '/v1/cohorts', { body });
      assert.equal(made.status, 200, made.text);
      return made.body.id;
    };

    test('an empty installation loads the sample project by one click, and answers its first question', async () => {
      const { page, faults } = await visit(browser, app, await firstUser(app));
      await page.goto(app.address);
      await page.getByText('No project yet').waitFor();
      await page.getByRole('button', { name: 'Load the sample project' }).click();
      await page.getByText(/Uploading files: \d+ of \d+/).waitFor();
      await page.waitForURL(/\/projects\/[^/]+\/sql/, { timeout: loadedMaxMs });
      project = /projects\/([^/]+)/.exec(page.url())?.[1] ?? '';
      await page.getByRole('button', { name: 'Run' }).click();
      const table = page.getByRole('table', { name: 'Result' });
      await table.getByRole('cell', { name: 'p.Val600Glu' }).first().waitFor({ timeout: 60_000 });
      assert.equal(await table.getAttribute('aria-rowcount'), '8');
      await picture(page, 'sql');
      assert.deepEqual(faults, []);
    });

    test('a researcher compares the survival of two cohorts', async () => {
      const ids = [await cohort('Women', 'female'), await cohort('Men', 'male')];
      const { page, faults } = await visit(browser, app, await firstUser(app));
      await page.goto(`${app.address}/projects/${project}/cohorts?compare=${ids.join(',')}`);
      await page.getByRole('img', { name: 'Survival by cohort' }).waitFor({ timeout: 60_000 });
      await page.getByText(/Men: 8 followed, \d died/).waitFor();
      await page.getByText(/Log-rank test: p = 0\.\d+/).waitFor();
      await page
        .getByRole('combobox', { name: 'Time begins with the first diagnosis of' })
        .fill('Malignant melanoma (disorder)');
      await page.getByText(/Men: 5 followed, \d died/).waitFor();
      await withoutBarriers(page);
      await page.keyboard.press('Escape');
      await page.getByRole('img', { name: 'Survival by cohort' }).scrollIntoViewIfNeeded();
      await picture(page, 'cohorts');
      assert.deepEqual(faults, []);
    });

    test('an administrator gives a group masked data of a project by names, and sees who gains', async () => {
      await app.call('POST', '/v1/account/groups', { body: { name: 'Radiology', description: '' } });
      const { page, faults } = await visit(browser, app, await firstUser(app));
      await page.goto(`${app.address}/account/people?tab=policies`);
      const choose = async (label: string, option: string): Promise<void> => {
        await page.getByLabel(label, { exact: true }).first().click();
        await page.getByRole('option', { name: option, exact: true }).click();
      };
      await choose('Let the group', 'Radiology');
      await choose('in the project', 'Sample project');
      await page.getByRole('button', { name: 'Propose a policy' }).click();
      const editor = page.getByRole('dialog');
      await editor.getByRole('button', { name: 'Add a condition' }).click();
      await editor.getByPlaceholder('Choose').last().click();
      await page.getByRole('option', { name: 'Administrator' }).click();
      await editor.getByRole('button', { name: 'Remove the condition on the person', exact: true }).click();
      await withoutBarriers(page);
      await editor.getByRole('button', { name: 'Who gains, who loses' }).click();
      await editor.getByText(/people are concerned/).waitFor();
      await picture(page, 'policies');
      await editor.getByRole('button', { name: 'Save' }).click();
      await page
        .getByText(
          'readMaskedData where groups of the person include Radiology and project is Sample project',
        )
        .waitFor();
      assert.deepEqual(faults, []);
    });

    test('the keyboard alone leads from home to the rows of a statement', async () => {
      const { page, faults } = await visit(browser, app, await firstUser(app));
      await page.goto(app.address);
      await page.getByRole('link', { name: 'Sample project' }).waitFor();
      await tabTo(page, 'Sample project');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Sample project' }).waitFor();
      await tabTo(page, 'SQL');
      await page.keyboard.press('Enter');
      await page.getByLabel('SQL statement').waitFor();
      await tabTo(page, 'SQL statement');
      await page.keyboard.press('Control+a');
      await page.keyboard.type('SELECT 6 * 7 AS answer');
      await page.keyboard.press('Control+Enter');
      await page.getByRole('cell', { name: '42' }).waitFor();
      await tabTo(page, 'Close tab');
      await page.keyboard.press('Enter');
      await page.getByRole('cell', { name: '42' }).waitFor({ state: 'detached' });
      assert.deepEqual(faults, []);
    });

    test('no page scrolls sideways on a tablet', async () => {
      const { page, faults } = await visit(browser, app, await firstUser(app));
      await page.setViewportSize({ width: 768, height: 1024 });
      const wide: string[] = [];
      const paths = [
        '',
        '/subjects',
        '/subjects/syn-0001',
        '/variants?gene=BRAF',
        '/cohorts',
        '/sql',
        '/files',
      ];
      for (const path of [
        '/',
        ...paths.map((end) => `/projects/${project}${end}`),
        '/account/people?tab=policies',
        '/account/connections',
        '/account/audit',
        '/me',
      ]) {
        await page.goto(app.address + path);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.waitForLoadState('networkidle');
        const width = await page.evaluate('document.documentElement.scrollWidth');
        if (Number(width) > 768) wide.push(`${path}: ${width}`);
      }
      assert.deepEqual(wide, []);
      assert.deepEqual(faults, []);
    });

    test('an upload that a closed page cut off goes on where it stopped', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'ploidy-upload-'));
      const path = join(folder, 'large.bin');
      writeFileSync(path, Buffer.alloc(40 * 1024 * 1024, 'ploidy'));
      try {
        const { page } = await visit(browser, app, await firstUser(app));
        const sent: string[] = [];
        page.on('requestfinished', (request) => {
          const [, number] = /\/parts\/(\d+)\?/.exec(request.url()) ?? [];
          if (request.method() === 'PUT' && number !== undefined) sent.push(number);
        });
        // The second part never arrives.
        await page.route(/\/parts\/2\?/, () => undefined);
        await page.goto(`${app.address}/projects/${project}/files`);
        await page.getByLabel('Ingest when complete').uncheck();
        const kept = page.waitForRequest(/\/parts\/2\?/);
        await page.locator('input[type=file]').setInputFiles(path);
        await kept;
        await page.unrouteAll({ behavior: 'ignoreErrors' });
        await page.reload();
        await page.getByLabel('Ingest when complete').uncheck();
        await page.locator('input[type=file]').setInputFiles(path);
        await page.getByText('1 of 1 files uploaded').waitFor({ timeout: 60_000 });
        assert.deepEqual(sent, ['1', '2', '3']);
      } finally {
        rmSync(folder, { recursive: true });
      }
    });

    test('pictures of the guides show the sample project', async () => {
      const { page, faults } = await visit(browser, app, await firstUser(app));
      for (const [name, path] of [
        ['overview', ''],
        ['subjects', '/subjects?filter={"condition":["Malignant melanoma (disorder)"]}'],
        ['variants', '/variants?gene=BRAF'],
        ['files', '/files?tab=ingestions'],
      ] as const) {
        await page.goto(`${app.address}/projects/${project}${path}`);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.waitForLoadState('networkidle');
        const loading = page.getByLabel('Loading', { exact: true }).filter({ visible: true });
        await until(async () => (await loading.count()) === 0, `${name} is loaded`);
        await picture(page, name);
      }
      assert.deepEqual(faults, []);
    });
  },
  settings,
);

/** Presses Tab until the focus is on something with a name. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let press = 0; press < 120; press++) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate(
      '(document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent ?? "").trim()',
    );
    if (focused === name) return;
  }
  assert.fail(`Tab does not reach "${name}"`);
}
