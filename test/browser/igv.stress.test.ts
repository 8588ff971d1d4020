/** igv.js on a third-party page: reads are fetched by tickets and blocks from another origin, and are drawn. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { openTestApp, type TestApp } from '../support/app.ts';
import { bamBytes } from '../support/bam.ts';
import { addReads } from '../support/genomics.ts';
import { browserSkip, openChromium } from './chromium.ts';

const library = join(import.meta.dirname, '../../node_modules/igv/dist/igv.esm.min.js');
const sequence = 'ACGTTGCAGGTACCAT'.repeat(4000);
const readLength = 100;
const bam = bamBytes({
  references: [['chr1', sequence.length]],
  reads: Array.from({ length: 2000 }, (_, at) => ({
    name: `read${at}`,
    reference: 0,
    position: at * 25,
    bases: sequence.slice(at * 25, at * 25 + readLength),
  })),
  blockBytes: 3001,
});

/** The page's report of its drawn track. */
interface Drawn {
  reads: number;
  colours: number;
}

describe('igv.js', { skip: browserSkip }, () => {
  let app: TestApp;
  let browser: Browser;
  let server: Server;
  let origin: string;

  before(async () => {
    app = await openTestApp();
    browser = await openChromium();
    server = createServer((request, response) => {
      const [type, body] =
        request.url === '/igv.js'
          ? ['text/javascript', readFileSync(library)]
          : request.url === '/chr1.fa'
            ? ['text/plain', `>chr1\n${sequence}\n`]
            : ['text/html', '<!doctype html><meta charset="utf-8"><div id="igv"></div>'];
      response.setHeader('content-type', type).end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
    origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  });
  after(async () => {
    await browser?.close();
    server?.closeAllConnections();
    server?.close();
    await app?.stop();
  });

  test('igv.js draws the reads of a read group set, with a key, from a page of another origin', async () => {
    const project = (await app.call('POST', '/v1/projects', { body: { name: 'Browser' } })).body.id;
    const id = await addReads(app, project, 'reads.bam', bam);
    const page = await browser.newPage({ viewport: { width: 1000, height: 600 } });
    const failed: string[] = [];
    const asked: string[] = [];
    page.on('response', (response) => {
      if (!response.url().startsWith(app.address)) return;
      asked.push(new URL(response.url()).search.slice(0, 20));
      if (response.status() >= 400) failed.push(`${response.status()} ${response.url()}`);
    });
    await page.goto(origin);
    const url = `${app.address}/${app.account}/v1/htsget/reads/${id}`;
    // A text, because the test's own types know nothing of a browser.
    const drawn: Drawn = await page.evaluate(`(async () => {
      const { default: igv } = await import('/igv.js');
      const browser = await igv.createBrowser(document.getElementById('igv'), {
        reference: { id: 'small', fastaURL: '/chr1.fa', indexed: false },
        locus: 'chr1:10,001-10,800',
        tracks: [{
          type: 'alignment', sourceType: 'htsget', format: 'bam', name: 'Reads', height: 300,
          url: ${JSON.stringify(url)}, oauthToken: ${JSON.stringify(app.key)},
        }],
      });
      const view = browser.trackViews.find(({ track }) => track.name === 'Reads');
      const [viewport] = view.viewports;
      const packed = viewport.featureCache?.features ?? viewport.cachedFeatures;
      const canvas = viewport.canvas;
      const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
      const colours = new Set(new Uint32Array(pixels.buffer)).size;
      return { reads: packed.allAlignments().length, colours };
    })()`);
    if (process.env['PLOIDY_TEST_SCREENSHOTS']) {
      await page.screenshot({ path: `${process.env['PLOIDY_TEST_SCREENSHOTS']}/igv.png` });
    }
    assert.deepEqual(failed, []);
    assert.ok(asked.some((query) => query.startsWith('?class=header')));
    // Those that overlap 800 bases: a read each 25 bases, each 100 long.
    assert.ok(drawn.reads >= 800 / 25, `${drawn.reads} reads`);
    assert.ok(drawn.colours > 2, `${drawn.colours} colours`);
  });
});
