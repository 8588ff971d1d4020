/** The oncoprint of a study in a real browser: cells, shares, order, groups, selection, pictures, keyboard. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { tarGz } from '../../packages/converters/src/study/archives.fixture.ts';
import { studyFolder } from '../../packages/converters/src/study/study-folder.fixture.ts';
import { firstUser } from '../../packages/server/src/domains/authentication/sign-in/tests/signed-in.fixture.ts';
import { until } from '../support/until.ts';
import { describePages, openChromium } from './chromium.ts';
import { ingest, visit, withoutBarriers } from './console-people.ts';

const samplesCount = 90;

/** Reads the colours of the cells as a number of pixels by colour. A text: the test's types know no browser. */
const coloursDrawn = `(() => {
  const canvas = document.querySelector('.print-cells canvas');
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  const found = {};
  for (let at = 0; at < data.length; at += 4)
    if (data[at + 3] === 255) {
      const name = [data[at], data[at + 1], data[at + 2]].join();
      found[name] = (found[name] ?? 0) + 1;
    }
  return found;
})()`;

describePages('an oncoprint in the console', (app) => {
  let browser: Browser;
  let project: string;

  before(async () => {
    browser = await openChromium();
    project = (await app.call('POST', '/v1/projects', { body: { name: 'Oncoprint' } })).body.id;
    await ingest(app, project, 'study.tar.gz', tarGz(studyFolder(samplesCount).files));
  });
  after(() => browser?.close());

  const open = async (search: Record<string, string> = {}): Promise<{ page: Page; faults: string[] }> => {
    const { page, faults } = await visit(browser, app, await firstUser(app));
    await page.setViewportSize({ width: 1440, height: 950 });
    await page.goto(`${app.address}/projects/${project}/oncoprint?${new URLSearchParams(search)}`);
    await page.getByText(/^Altered in \d+/).waitFor();
    return { page, faults };
  };
  const cells = (page: Page) => page.getByRole('application', { name: /^Oncoprint of/ });

  test('the study leads to its oncoprint, whose shares are those of the table of genes', async () => {
    const { page, faults } = await visit(browser, app, await firstUser(app));
    await page.goto(`${app.address}/projects/${project}?unit=sample`);
    await page.getByRole('link', { name: 'Oncoprint' }).click();
    await page.getByText(/^Altered in \d+ \(\d+%\) of 90 profiled samples \(90 in all\)/).waitFor();
    const body = {
      ...{ datasetId: project, unit: 'sample', filter: { and: [] } },
      aggregates: [{ id: 'x', kind: 'genes', alteration: 'fusion' }],
    };
    const { results } = (await app.call('POST', '/v1/analytics/study/query', { body })).body;
    const [{ onPanel, profiled }] = results.x.genes.items;
    await page.getByText('Table of the genes').click();
    const row = page
      .getByRole('table', { name: 'Genes of the oncoprint' })
      .getByRole('row', { name: /^EML4/ });
    assert.match(await row.innerText(), new RegExp(`EML4\\s+${onPanel}\\s+${profiled}\\s`));
    await page.getByText('Table of the genes').click();
    const pairs = page.getByRole('table', { name: 'Pairs of genes' });
    await pairs.getByRole('row', { name: /^ALK EML4 together/ }).waitFor();
    await withoutBarriers(page, 'oncoprint');
    assert.deepEqual(faults, []);
  });

  test('cells have the colours of their classes, and others for every kind of colour vision', async () => {
    const { page, faults } = await open({ genes: 'TP53 KRAS EML4' });
    const usual = await page.evaluate<Record<string, number>>(coloursDrawn);
    for (const colour of ['190,190,190', '255,0,0', '0,0,255', '0,128,0'])
      assert.ok((usual[colour] ?? 0) > 0, colour);
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page.getByLabel('Colours for every kind of colour vision').check();
    await page.keyboard.press('Escape');
    assert.match(page.url(), /palette=distinct/);
    const distinct = await page.evaluate<Record<string, number>>(coloursDrawn);
    assert.equal(distinct['255,0,0'] ?? 0, 0);
    assert.ok((distinct['213,94,0'] ?? 0) > 0);
    assert.deepEqual(faults, []);
  });

  test('tracks, groups, expression and order are in the address, and back undoes them', async () => {
    const { page, faults } = await open({ genes: 'TP53 KRAS BRAF' });
    await page.getByRole('button', { name: 'Tracks' }).click();
    await page.getByRole('combobox', { name: 'Properties' }).fill('Sex');
    await page.getByRole('option', { name: 'Sex', exact: true }).first().click();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Sex', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Groups with gaps' }).click();
    await page
      .getByText(/No value/)
      .first()
      .waitFor({ state: 'attached', timeout: 3000 })
      .catch(() => undefined);
    assert.match(page.url(), /gap=SEX/);
    await page.getByRole('button', { name: 'TP53', exact: true }).focus();
    await page.keyboard.press('Alt+ArrowDown');
    await page.waitForURL(/genes=KRAS\+TP53\+BRAF/);
    await page
      .getByRole('button', { name: 'BRAF', exact: true })
      .dragTo(page.getByRole('button', { name: 'KRAS', exact: true }));
    await page.waitForURL(/genes=BRAF\+KRAS\+TP53/);
    await page.goBack();
    await page.waitForURL(/genes=KRAS\+TP53\+BRAF/);
    await page.goto(`${page.url()}&heat=TP53+MYC+PTEN&by=cluster&hide=unaltered&tracks=["SEX","AGE"]`);
    await page.getByRole('button', { name: 'MYC expression' }).waitFor();
    await withoutBarriers(page, 'oncoprint-tracks');
    assert.deepEqual(faults, []);
  });

  test('the keyboard reads a cell, chooses subjects, and makes them a condition', async () => {
    const { page, faults } = await open({ genes: 'TP53 KRAS' });
    await cells(page).focus();
    await page.keyboard.press('ArrowDown');
    await page.getByText(/· KRAS: /).waitFor();
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    await page.getByText('1 samples chosen').waitFor();
    await page.keyboard.press('Shift+ArrowRight');
    await page.getByText('2 samples chosen').waitFor();
    await page.getByRole('button', { name: 'Only these' }).click();
    await page.getByText(/\(2 in all\)/).waitFor();
    await page.getByRole('link', { name: 'Study (1 condition)' }).click();
    await page.getByText(/2 of 90 samples/).waitFor();
    assert.deepEqual(faults, []);
  });

  test('ten genes lead over their pairs and the chosen samples to survival', async () => {
    const { page, faults } = await open();
    await page.getByRole('button', { name: 'Genes and order' }).click();
    await page.getByLabel('Genes', { exact: true }).fill('TP53 KRAS BRAF EGFR MYC TERT PTEN EML4 ALK RB1');
    await page.getByRole('dialog').getByRole('button', { name: 'Show', exact: true }).click();
    await page.getByRole('button', { name: 'RB1', exact: true }).waitFor();
    const pairs = page.getByRole('table', { name: 'Pairs of genes' });
    await pairs.getByRole('row', { name: /^ALK EML4 together/ }).waitFor();
    await page.getByRole('button', { name: 'TP53', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Choose the altered' }).click();
    const chosen = Number.parseInt(await page.getByText(/^\d+ samples chosen$/).innerText(), 10);
    assert.ok(chosen > 5, `${chosen}`);
    await page.getByRole('link', { name: 'Compare survival with the others' }).click();
    await page.getByText(/^Not tested: \d+ subjects are in several groups\.$/).waitFor();
    await page.getByText('Leave out', { exact: true }).click();
    await page.getByText(/^Log-rank test: χ² = [\d.]+ with 1 degree/).waitFor();
    for (const name of ['Chosen', 'Others']) await page.getByText(name, { exact: true }).first().waitFor();
    assert.deepEqual(faults, []);
  });

  test('the mouse chooses a range of columns, which is saved as a cohort', async () => {
    const { page, faults } = await open({ genes: 'TP53 KRAS' });
    const box = await cells(page).locator('canvas').boundingBox();
    assert.ok(box);
    await page.mouse.move(box.x + 3, box.y + 5);
    await page.mouse.down();
    await page.mouse.move(box.x + 150, box.y + 5);
    await page.mouse.up();
    const text = await page.getByText(/^\d+ samples chosen$/).innerText();
    assert.ok(Number.parseInt(text, 10) > 3, text);
    await page.getByRole('button', { name: 'Save as cohort' }).click();
    await page.getByLabel('Name').fill('Of the oncoprint');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('The cohort Of the oncoprint is saved.').waitFor();
    const { body } = await app.call('GET', `/v1/cohorts?projectId=${project}`);
    assert.ok(body.items[0].resultCount > 1);
    assert.deepEqual(faults, []);
  });

  test('wheel and buttons change the size, and a map shows where the part in view is', async () => {
    const { page, faults } = await open({ genes: 'TP53 KRAS', wide: '10' });
    await page.getByRole('button', { name: 'Wider columns' }).click();
    await page.waitForURL(/wide=15(?:&|$)/);
    const map = page.getByRole('scrollbar', { name: 'Part in view' });
    await map.waitFor();
    const left = async (): Promise<number> => Number(await map.getAttribute('aria-valuenow'));
    const start = await left();
    await map.focus();
    await page.keyboard.press('ArrowRight');
    await until(async () => (await left()) !== start, 'another part is in view');
    await cells(page).locator('canvas').hover();
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, 100);
    await page.keyboard.up('Control');
    await page.waitForURL(/wide=12\.5(?:&|$)/);
    await page.getByRole('button', { name: 'Fit', exact: true }).click();
    await page.waitForURL((url) => !url.searchParams.has('wide'));
    await page.getByRole('button', { name: 'Higher rows' }).click();
    await page.waitForURL(/tall=26/);
    assert.deepEqual(faults, []);
  });

  test('an oncoprint is kept as SVG, PDF, PNG, order and table', async () => {
    const { page, faults } = await open({ genes: 'TP53 KRAS EML4', tracks: '["SEX"]', gap: 'SEX' });
    const keep = async (name: string): Promise<Buffer> => {
      await page.getByRole('button', { name: 'Save the oncoprint' }).click();
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('menuitem', { name }).click(),
      ]);
      return readFileSync(await download.path());
    };
    const svg = String(await keep('SVG'));
    assert.match(svg, /<path fill="#ff0000" d="M/);
    assert.match(svg, />EML4<\/text>/);
    assert.equal(
      await page.evaluate(
        `new DOMParser().parseFromString(${JSON.stringify(svg)}, 'image/svg+xml').querySelector('parsererror')`,
      ),
      null,
    );
    assert.match((await keep('PDF')).toString('latin1'), /^%PDF-1\.7\n[\s\S]+%%EOF\n$/);
    assert.equal((await keep('PNG')).subarray(1, 4).toString(), 'PNG');
    const order = String(await keep('Order of the samples'))
      .trimEnd()
      .split('\n');
    assert.equal(new Set(order).size, samplesCount);
    const table = String(await keep('Table (CSV)'))
      .trimEnd()
      .split('\r\n');
    assert.equal(table[0], 'sample,subject,Sex,TP53,KRAS,EML4');
    assert.deepEqual(
      table.slice(1).map((line) => line.split(',')[0]),
      order,
    );
    assert.deepEqual(faults, []);
  });

  test('an address with rubbish and unknown genes draws what there is', async () => {
    const { page, faults } = await visit(browser, app, await firstUser(app));
    const search = {
      genes: 'NOGENE <img src=x onerror=alert(1)>',
      filter: '[{',
      tracks: '["nothing"]',
      wide: 'x',
    };
    await page.goto(`${app.address}/projects/${project}/oncoprint?${new URLSearchParams(search)}`);
    await page.getByText('Altered in 0 (0%) of 90 profiled samples').waitFor();
    assert.deepEqual(faults, []);
  });
});

describePages(
  'an oncoprint for readers from whom small counts are hidden',
  (app) => {
    test('single subjects are not shown, and the page has the reason', async () => {
      const browser = await openChromium();
      try {
        const { id } = (await app.call('POST', '/v1/projects', { body: { name: 'Small' } })).body;
        await ingest(app, id, 'study.tar.gz', tarGz(studyFolder(30).files));
        const { userId } = await app.people.member(app.account, ['readMaskedData']);
        const { page, faults } = await visit(browser, app, userId);
        await page.goto(`${app.address}/projects/${id}/oncoprint?genes=TP53+KRAS`);
        await page.getByText('Single subjects are hidden').waitFor();
        await page.getByText('so nothing is tested').waitFor();
        await page.getByRole('row', { name: /^KRAS TP53 not tested/ }).waitFor();
        assert.deepEqual(faults, []);
      } finally {
        await browser.close();
      }
    });
  },
  { PLOIDY_SMALL_COUNTS_MIN: '5' },
);
