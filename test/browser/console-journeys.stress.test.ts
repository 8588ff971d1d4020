/** Longer ways through the console: the sample project, keyboard alone, a tablet, an interrupted upload, access by name. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import AxeBuilder from '@axe-core/playwright';
import type { Browser, Page } from 'playwright-core';
import { firstUser } from '../../packages/server/src/domains/authentication/sign-in/tests/signed-in.fixture.ts';
import { until } from '../support/until.ts';
import { describeJourneys, openChromium, picture } from './chromium.ts';
import {
  alternateColour,
  type Drawn,
  drawnColours,
  narrow,
  pagesOfConsole,
  pageWidth,
  tabTo,
} from './console-looks.ts';
import { visit } from './console-people.ts';

/** The sample has 29 files, each with an upload and an ingestion. */
const loadedMaxMs = 540_000;

// Workers that stay spare each of the 29 ingestions the start of a process.
const settings = { PLOIDY_IDLE_WORKERS: '2' };

describeJourneys(
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

    test('an empty installation loads the sample project by one click, and shows what to do with it', async () => {
      const { page, faults } = await visit(browser, app, await firstUser(app));
      await page.goto(app.address);
      await page.getByText('No project yet').waitFor();
      await page.setViewportSize(narrow);
      assert.equal(await pageWidth(page), narrow.width);
      await page.getByRole('button', { name: 'Load the sample project' }).click();
      await page.getByText(/Uploading files: \d+ of \d+/).waitFor();
      assert.equal(await pageWidth(page), narrow.width);
      await page.setViewportSize({ width: 1280, height: 850 });
      await page.waitForURL(/\/projects\/[^/]+\?tour=sample/, { timeout: loadedMaxMs });
      project = /projects\/([^/?]+)/.exec(page.url())?.[1] ?? '';
      await page.getByRole('heading', { level: 1, name: 'Sample project' }).waitFor();
      const steps = page.getByRole('region', { name: 'Next steps' });
      await steps.getByRole('link', { name: 'Subjects with melanoma' }).click();
      await page.getByText(/^8 of 20 subjects/).waitFor();
      await page.goBack();
      await steps.getByRole('link', { name: 'Variants of BRAF' }).click();
      await page.getByRole('heading', { level: 1, name: 'Variants in BRAF' }).waitFor();
      await page.goBack();
      await withoutBarriers(page);
      await steps.getByRole('link', { name: 'A question in SQL' }).click();
      await page.getByRole('button', { name: 'Run', exact: true }).click();
      const table = page.getByRole('table', { name: 'Result' });
      await table.getByRole('cell', { name: 'p.Val600Glu' }).first().waitFor({ timeout: 60_000 });
      assert.equal(await table.getAttribute('aria-rowcount'), '8');
      await picture(page, 'sql');
      await page.goto(`${app.address}/projects/${project}?view=data`);
      await steps.getByRole('link', { name: 'Find subjects' }).waitFor();
      assert.deepEqual(faults, []);
    });

    test('reads of the sample project are drawn with their variants and the bases of the reference', async () => {
      const { page, faults } = await visit(browser, app, await firstUser(app));
      const failed: string[] = [];
      page.on('response', (response) => {
        // A VCF without compression is read as a whole.
        const isRefused = response.status() === 400 && response.url().includes('/htsget/variants/');
        if (response.status() >= 400 && !isRefused) failed.push(`${response.status()} ${response.url()}`);
      });
      const track = page.locator('.igv-track-label');
      // A region without an example is the first one with bases.
      for (const [step, region] of [
        ['Reads of BRAF V600E', 'chr7:140,753,286-140,753,386'],
        ['Genome', 'chr7:140,752,836-140,753,836'],
      ] as const) {
        await page.goto(`${app.address}/projects/${project}?tour=sample`);
        await page.getByRole('link', { name: step }).click();
        await track.getByText('SYN0001', { exact: true }).waitFor();
        await track.getByText('vcf/SYN0001.vcf').waitFor();
        assert.equal(await page.locator('.igv-search-input').inputValue(), region);
        const drawn = async (): Promise<Drawn> => page.evaluate<Drawn>(drawnColours);
        await until(async () => (await drawn()).reads.includes(alternateColour), 'reads with a T are drawn');
        await until(async () => (await drawn()).bases.length > 4, 'the bases are drawn');
      }
      await picture(page, 'genome');
      await page.getByText(/Reference: .*it has the bases of chr7:140752836-140753836/).waitFor();
      assert.deepEqual(failed, []);
      assert.deepEqual(faults, []);
    });

    test('a researcher compares the survival of two cohorts', async () => {
      const ids = [await cohort('Women', 'female'), await cohort('Men', 'male')];
      const { page, faults } = await visit(browser, app, await firstUser(app));
      await page.goto(`${app.address}/projects/${project}/cohorts`);
      const choice = page.getByRole('combobox', { name: 'Compare cohorts' });
      await choice.click();
      for (const name of [/^Women/, /^Men/]) await page.getByRole('option', { name }).click();
      await page.keyboard.press('Escape');
      await page.getByRole('link', { name: 'Compare these' }).click();
      const figure = page.getByRole('img', { name: 'Survival: Death, from the first diagnosis' });
      await figure.waitFor();
      assert.ok(ids.every((id) => page.url().includes(id)));
      const followed = page
        .getByRole('table', { name: 'Survival by group' })
        .getByRole('row', { name: /^Men/ });
      await followed.getByRole('cell', { name: '8', exact: true }).waitFor();
      await page.getByText(/^Log-rank test: χ² = [\d.]+ with 1 degree of freedom, p = 0\.\d+/).waitFor();
      await page
        .getByRole('combobox', { name: 'Time begins with the first diagnosis of' })
        .fill('Malignant mel');
      await page.getByRole('option', { name: 'Malignant melanoma (disorder)' }).click();
      await followed.getByRole('cell', { name: '5', exact: true }).waitFor();
      await withoutBarriers(page);
      await figure.scrollIntoViewIfNeeded();
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
      await editor.getByRole('button', { name: 'Gains and losses' }).click();
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

    test('no page scrolls sideways on a telephone or a tablet', async () => {
      const name = `${'Long'.repeat(40)} with words`;
      const { body: long } = await app.call('POST', '/v1/projects', { body: { name, description: name } });
      const { page, faults } = await visit(browser, app, await firstUser(app));
      const wide: string[] = [];
      const tabs = ['people', 'invitations', 'groups', 'policies', 'explain', 'clients', 'saml'];
      const ends = [
        '',
        '?tour=sample',
        '/subjects',
        '?filter=[{"is":{"attribute":"condition.code","in":["372244006"]}}]',
        '?view=data',
        '/subjects/syn-0001',
        '/variants',
        '/variants?gene=BRAF',
        '/oncoprint?genes=BRAF+TP53&tracks=["patient.gender"]',
        ...['/cohorts', '/timed', '/plots', '/reports', '/connect'],
        '/compare?groups=[{"name":"All","is":{"and":[]}},{"name":"None","is":{"or":[]}}]',
        '/sql',
        ...['/files', '/files?tab=ingestions'],
        '/genome',
      ];
      const paths = [
        '/',
        ...ends.map((end) => `/projects/${project}${end}`),
        `/projects/${long.id}`,
        ...tabs.map((tab) => `/account/people?tab=${tab}`),
        ...['/account/connections', '/account/work', '/account/audit', '/account/health', '/me'],
      ];
      assert.deepEqual(
        pagesOfConsole().filter((page) => !paths.some((path) => page.test(path))),
        [],
        'a page is not looked at',
      );
      for (const path of paths) {
        await page.setViewportSize({ width: 768, height: 1024 });
        await page.goto(app.address + path);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.waitForLoadState('networkidle');
        for (const size of [{ width: 768, height: 1024 }, narrow]) {
          await page.setViewportSize(size);
          const width = await pageWidth(page);
          if (width > size.width) wide.push(`${path} at ${size.width}: ${width}`);
        }
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
        await page.getByLabel('Files to upload').setInputFiles(path);
        const kept = 'Object.values(localStorage).some((text) => /"parts":\\[[13],[13]\\]/.test(text))';
        await until(() => page.evaluate<boolean>(kept), 'the other parts have arrived');
        await page.unrouteAll({ behavior: 'ignoreErrors' });
        // The browser asks whether to leave a page that uploads.
        page.removeAllListeners('dialog').on('dialog', (dialog) => void dialog.accept());
        await page.reload();
        await page.getByLabel('Ingest when complete').uncheck();
        await page.getByLabel('Files to upload').setInputFiles(path);
        await page.getByText('1 of 1 files uploaded').waitFor({ timeout: 60_000 });
        assert.deepEqual(sent.sort(), ['1', '2', '3']);
      } finally {
        rmSync(folder, { recursive: true });
      }
    });

    test('pictures of the guides show the sample project', async () => {
      const { page, faults } = await visit(browser, app, await firstUser(app));
      for (const [name, path] of [
        ['overview', ''],
        ['subjects', '?view=subjects&filter=[{"is":{"attribute":"condition.code","in":["372244006"]}}]'],
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
