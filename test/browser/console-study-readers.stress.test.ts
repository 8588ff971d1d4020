/** Numbers of a study in a real browser: each opens a list of as many, and readers of masked data see the same pages. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import { firstUser } from '../../packages/server/src/domains/authentication/sign-in/tests/signed-in.fixture.ts';
import { describePages, openChromium } from './chromium.ts';
import { fitsAndHasNoBarriers, ingest, visit } from './console-people.ts';

const samples = join(import.meta.dirname, '../../samples/data');
const clinical = ['Patient.ndjson', 'Condition.ndjson', 'Specimen.ndjson', 'syn-0007.bundle.json'];
const smallest = 3;

describePages(
  'the numbers of a study',
  (app) => {
    let browser: Browser;
    let project: string;
    before(async () => {
      browser = await openChromium();
      project = (await app.call('POST', '/v1/projects', { body: { name: 'Study' } })).body.id;
      const calls = readdirSync(join(samples, 'vcf')).map((name) => `vcf/${name}`);
      for (const name of [...clinical.map((one) => `fhir/${one}`), ...calls])
        await ingest(app, project, name, readFileSync(join(samples, name)));
    });
    after(() => browser?.close());

    const listed = async (page: Page): Promise<number> => {
      const table = page.getByRole('table', { name: 'Subjects' });
      await table.waitFor();
      return Number(await table.getAttribute('aria-rowcount')) - 1;
    };
    /** Waits for the number of chosen subjects; `all` where nothing is left out. */
    const counted = (page: Page, number: number, all: number) =>
      page
        .getByText(new RegExp(number === all ? `^${all} subjects` : `^${number} of ${all} subjects`))
        .waitFor();
    /** Numbers of subjects on buttons and links of a part of a page. */
    const numbersIn = async (part: Locator): Promise<[Locator, number][]> => {
      const found: [Locator, number][] = [];
      for (const one of await part.all()) {
        const text = (await one.getAttribute('aria-label')) ?? (await one.innerText());
        const [, number] =
          /(?:, subjects |: |\n|^)(\d[\d,]*)(?: · [\d.]+%| subjects?| carriers?)?$/.exec(text.trim()) ?? [];
        if (number !== undefined) found.push([one, Number(number.replaceAll(',', ''))]);
      }
      return found;
    };

    test('each bar and number of a chart chooses as many subjects as it shows, and their list has them', async () => {
      const { page, faults } = await visit(browser, app, await firstUser(app));
      await page.goto(`${app.address}/projects/${project}`);
      await counted(page, 20, 20);
      const cards = page.getByRole('region').filter({ has: page.getByRole('button', { name: /^Chart / }) });
      const charts = await cards.count();
      let tried = 0;
      for (let at = 0; at < charts; at += 1) {
        const card = cards.nth(at);
        const name = await card.getAttribute('aria-label');
        const buttons = card.locator('[aria-pressed], svg [role="button"]');
        const numbers = await numbersIn(buttons);
        // Two of each chart: further ones of a chart are made by the same lines.
        for (const [button, number] of [numbers[0], numbers.at(-1)].flatMap((one) => (one ? [one] : []))) {
          await button.focus();
          await button.press('Enter');
          await counted(page, number, 20);
          await page.getByRole('tab', { name: 'Subjects' }).click();
          assert.equal(await listed(page), number, `${name}`);
          await page.goto(`${app.address}/projects/${project}`);
          await counted(page, 20, 20);
          tried += 1;
        }
      }
      assert.ok(tried > 10, `${tried} numbers`);
      assert.deepEqual(faults, []);
    });

    test('each number of subjects on the pages of variants opens a list of as many', async () => {
      const { page, faults } = await visit(browser, app, await firstUser(app));
      const variants = `${app.address}/projects/${project}/variants`;
      let tried = 0;
      for (const address of [
        variants,
        `${variants}?gene=BRAF`,
        `${variants}?gene=BRAF&change=V600E`,
        `${variants}?gene=TP53&view=rows`,
        `${variants}?region=chr7:140753336-140753336&view=genes`,
      ]) {
        const open = async (): Promise<[Locator, number][]> => {
          await page.goto(address);
          await page.waitForLoadState('networkidle');
          await page
            .getByText(/\d (?:subjects?|carriers)$/)
            .first()
            .waitFor();
          return numbersIn(page.locator('main a[href*="filter="]'));
        };
        const numbers = await open();
        assert.ok(numbers.length > 0, address);
        for (let at = 0; at < numbers.length; at += 1) {
          const [link, number] = (await open())[at] ?? assert.fail(`${address} has fewer numbers`);
          await link.click();
          await counted(page, number, 20);
          assert.equal(await listed(page), number, address);
          tried += 1;
        }
      }
      assert.ok(tried > 6, `${tried} numbers`);
      assert.deepEqual(faults, []);
    });

    test('a gene behind the most frequent ones is found by its letters, and its number opens as many', async () => {
      const { page, faults } = await visit(browser, app, await firstUser(app));
      const genes = { id: 'g', kind: 'genes', alteration: 'mutation', top: 500 };
      const body = { datasetId: project, unit: 'patient', filter: { and: [] }, aggregates: [genes] };
      const { results } = (await app.call('POST', '/v1/analytics/study/query', { body })).body;
      const { gene, altered } = results.g.genes.items.at(-1);
      assert.ok(results.g.genes.items.length > 200);
      await page.goto(`${app.address}/projects/${project}`);
      const search = page.getByRole('textbox', { name: 'Search Mutated genes' });
      await search.fill('no such gene');
      await page.getByText('No altered gene begins with "no such gene".').waitFor();
      await search.fill(gene.toLowerCase());
      await page
        .getByRole('button', { name: `Subjects with ${gene} altered: ${altered}`, exact: true })
        .click();
      await counted(page, altered, 20);
      assert.deepEqual(faults, []);
    });

    test('a choice without a subject draws no bar, and its words name the reason', async () => {
      const { page, faults } = await visit(browser, app, await firstUser(app));
      const nobody = JSON.stringify([{ is: { patients: ['nobody'] } }]);
      await page.goto(`${app.address}/projects/${project}?filter=${encodeURIComponent(nobody)}`);
      await page.getByText('No subject passes the conditions.').first().waitFor();
      assert.equal(await page.getByText('not examined').count(), 0);
      const bars = page.getByRole('region', { name: 'Year of birth' }).locator('svg g rect');
      await bars.first().waitFor({ state: 'attached' });
      for (const bar of await bars.all()) assert.equal(Number(await bar.getAttribute('height')), 0);
      await page.goto(
        `${app.address}/projects/${project}/plots?x=patient.age&y=patient.gender&filter=${nobody}`,
      );
      await page.getByText('No subject that you may see has both values.').waitFor();
      assert.deepEqual(faults, []);
    });

    test('numbers and list of an open page follow rights that become narrower', async () => {
      const rule = (ids: string[]) => ({ 'resource.subject': { comparison: 'in', value: ids } });
      const { userId } = await app.people.member(
        app.account,
        ['readData'],
        rule(['syn-0001', 'syn-0002', 'syn-0012']),
      );
      const { page, faults } = await visit(browser, app, userId);
      await page.goto(`${app.address}/projects/${project}`);
      await page.getByText(/^3 subjects/).waitFor();
      const { items } = (await app.call('GET', '/v1/policies')).body;
      const own = items.find(({ policy }: { policy: unknown }) => JSON.stringify(policy).includes(userId));
      const document = structuredClone(own.policy);
      for (const grant of document.rules.readData) Object.assign(grant, rule(['syn-0002']));
      const body = { name: own.name, policy: document };
      const changed = await app.call('PUT', `/v1/policies/${encodeURIComponent(own.name)}`, { body });
      assert.equal(changed.status, 200);
      await page.getByRole('tab', { name: 'Subjects' }).click();
      await page.getByText(/^1 subject/).waitFor();
      assert.equal(await listed(page), 1);
      assert.deepEqual(faults, []);
    });

    test('a reader of some subjects sees the same pages with these only', async () => {
      const ids = ['syn-0001', 'syn-0002', 'syn-0012'];
      const rule = { 'resource.subject': { comparison: 'in', value: ids } };
      const { userId } = await app.people.member(app.account, ['readData'], rule);
      const { page, faults } = await visit(browser, app, userId);
      await page.goto(`${app.address}/projects/${project}`);
      await page.getByText(/^3 subjects/).waitFor();
      await page.getByRole('tab', { name: 'Subjects' }).click();
      assert.equal(await listed(page), ids.length);
      await page.goto(`${app.address}/projects/${project}/variants?gene=BRAF`);
      await page.getByRole('group', { name: /^Changes of the protein of BRAF/ }).waitFor();
      const carriers = page.getByRole('link', { name: /^\d subjects?$/ });
      await carriers.waitFor();
      const number = Number.parseInt(await carriers.innerText(), 10);
      await carriers.click();
      assert.equal(await listed(page), number);
      await page.getByRole('link', { name: 'syn-0012' }).click();
      await page.getByRole('heading', { level: 1, name: 'Subject syn-0012' }).waitFor();
      assert.equal(await page.getByRole('alert').count(), 0);
      assert.deepEqual(faults, []);
    });

    test('a reader of masked data sees the same pages, without names, small counts and values of single subjects', async () => {
      const { userId } = await app.people.member(app.account, ['readMaskedData']);
      const { page, faults } = await visit(browser, app, userId);
      const seen: string[] = [];
      page.on('response', async (response) => {
        if (response.url().includes('/v1/analytics/')) seen.push(await response.text().catch(() => ''));
      });
      await page.goto(`${app.address}/projects/${project}`);
      await page.getByText('You may see the data of this project only masked').waitFor();
      await page.getByRole('group', { name: 'Diagnosis' }).getByRole('button').first().waitFor();
      for (const text of await page.locator('.value-bar-count, .gene-choice').allInnerTexts()) {
        const number = Number.parseInt(text, 10);
        assert.ok(text === 'few' || number === 0 || number >= smallest, text);
      }
      await fitsAndHasNoBarriers(page, 'study-masked');
      await page.getByRole('tab', { name: 'Subjects' }).click();
      await page
        .getByText('You may see the data of this project as counts over many subjects only.')
        .waitFor();
      await page.goto(`${app.address}/projects/${project}/variants?gene=BRAF`);
      await page.getByText(/^Mutated in \w+ of \w+ profiled subjects/).waitFor();
      await fitsAndHasNoBarriers(page, 'gene-masked');
      assert.ok(seen.length > 2);
      for (const text of seen) assert.doesNotMatch(text, /syn-\d{4}|SYN\d{4}/);
      assert.deepEqual(faults, []);
    });
  },
  { PLOIDY_SMALL_COUNTS_MIN: String(smallest) },
);
