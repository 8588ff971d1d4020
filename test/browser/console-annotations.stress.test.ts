/** Releases of annotation sources and what they changed, in a real browser. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { firstUser } from '../../packages/server/src/domains/authentication/sign-in/tests/signed-in.fixture.ts';
import { vcfText } from '../inputs/texts.ts';
import { describePages, openChromium } from './chromium.ts';
import { ingest, visit, withoutBarriers } from './console-people.ts';

const clinvar = (date: string, significance: string): string =>
  [
    '##fileformat=VCFv4.1',
    `##fileDate=${date}`,
    '##source=ClinVar',
    '##INFO=<ID=CLNSIG,Number=.,Type=String,Description="x">',
    '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO',
    `1\t1000\t.\tA\tG\t.\t.\tCLNSIG=${significance}`,
    '',
  ].join('\n');

describePages('annotation sources in the console', (app) => {
  let browser: Browser;
  let project: string;

  before(async () => {
    browser = await openChromium();
    project = (await app.call('POST', '/v1/projects', { body: { name: 'Study' } })).body.id;
    await ingest(app, project, 's1.vcf', vcfText('s1', 3), { patientId: 'p-1' });
    const annotation = { type: 'annotation' };
    await ingest(app, project, 'october.vcf', clinvar('2026-10-01', 'Benign'), annotation);
    await ingest(app, project, 'november.vcf', clinvar('2026-11-01', 'Pathogenic'), annotation);
  });
  after(() => browser?.close());

  test('the release in use and a changed allele with its samples are listed', async () => {
    const { page, faults } = await visit(browser, app, await firstUser(app));
    await page.goto(`${app.address}/projects/${project}/files?tab=annotations`);
    await page.getByText('chr1:1000 A>G').waitFor();
    for (const text of ['2026-11-01', 'replaced', 'Pathogenic', '2026-10-01 → 2026-11-01'])
      await page.getByText(text, { exact: true }).first().waitFor();
    await withoutBarriers(page, 'annotations');
    assert.deepEqual(faults, []);
  });
});
