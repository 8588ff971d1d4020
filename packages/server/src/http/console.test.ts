import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import fastify, { type FastifyInstance } from 'fastify';
import { describeOnSqlite } from '../../../../test/support/app.ts';
import { openLog } from '../platform/log/log.ts';
import { addConsole } from './console.ts';

const dist = join(import.meta.dirname, '../../../console/dist');
/** First load: scripts of the frame and of the first page. */
const scriptMaxBytes = 200_000;
const built = existsSync(join(dist, 'index.html'));
const skip = built || process.env['CI'] === 'true' ? false : 'The console is not built: npm run prepare';

describeOnSqlite('the console', (app) => {
  const page = (path: string) => fetch(`${app.address}${path}`, { redirect: 'manual' });
  const scriptOf = (html: string): string => /<script type="module"[^>]* src="([^"]+)"/.exec(html)?.[1] ?? '';

  // asvs: 3.4.3
  test('every page shows the console, with a policy that allows its own scripts only', {
    skip,
  }, async () => {
    for (const path of ['/', '/projects/p/sql', '/projects/p/subjects/a%2Fb', '/account/people', '/me']) {
      const reply = await page(path);
      const html = await reply.text();
      assert.equal(reply.status, 200, path);
      const policy = reply.headers.get('content-security-policy') ?? '';
      assert.match(policy, /default-src 'none'; script-src 'self';/);
      assert.doesNotMatch(policy, /unsafe-eval|https?:/);
      assert.equal(reply.headers.get('cache-control'), 'no-store');
      assert.doesNotMatch(html, /<script(?![^>]* src=)|\son\w+=/, 'no inline script');
    }
  });

  // asvs: 13.4.3
  test('other addresses remain 404, and no address leaves the folder', { skip }, async () => {
    for (const path of [
      '/project',
      '/v1/nothing',
      '/assets/',
      '/assets/nothing.js',
      '/assets/..%2fpackage.json',
      '/assets/%2e%2e/index.html',
    ])
      assert.equal((await page(path)).status, 404, path);
  });

  test('assets are cached forever, in a coding that the browser accepts', { skip }, async () => {
    const path = scriptOf(await (await page('/')).text());
    const plain = readFileSync(join(dist, path));
    const received = (accepted: string) =>
      new Promise<{ coding: string | undefined; bytes: Buffer; caching: string | undefined }>(
        (resolve, reject) => {
          get(`${app.address}${path}`, { headers: { 'accept-encoding': accepted } }, async (answer) => {
            const bytes = Buffer.concat(await answer.toArray());
            const { 'content-encoding': coding, 'cache-control': caching } = answer.headers;
            resolve({ coding, bytes, caching });
          }).on('error', reject);
        },
      );
    const brotli = await received('gzip, deflate, br');
    assert.equal(brotli.caching, 'public, max-age=31536000, immutable');
    assert.deepEqual([brotli.coding, brotliDecompressSync(brotli.bytes)], ['br', plain]);
    const gzip = await received('gzip');
    assert.deepEqual([gzip.coding, gunzipSync(gzip.bytes)], ['gzip', plain]);
    assert.deepEqual(await received('identity').then(({ coding, bytes }) => [coding, bytes]), [
      undefined,
      plain,
    ]);
  });

  test('the first page loads at most 200 kB of compressed script', { skip }, () => {
    const html = readFileSync(join(dist, 'index.html'), 'utf8');
    const found = new Set(
      [...html.matchAll(/(?:src|href)="\/(assets\/[^"]+\.js)"/g)].map(([, name]) => name ?? ''),
    );
    const entry = readFileSync(join(dist, scriptOf(html)), 'utf8');
    const [, home] = /"?(assets\/Home-[\w-]+\.js)"?/.exec(entry) ?? /\.\/(Home-[\w-]+\.js)/.exec(entry) ?? [];
    assert.ok(home, 'the page of projects is loaded by its name');
    found.add(home.startsWith('assets/') ? home : `assets/${home}`);
    for (const name of found)
      for (const [, imported] of readFileSync(join(dist, name), 'utf8').matchAll(
        /(?:from|import)\s*"\.\/([^"]+\.js)"/g,
      ))
        found.add(`assets/${imported}`);
    const bytes = [...found].reduce((sum, name) => sum + gzipSync(readFileSync(join(dist, name))).length, 0);
    assert.ok(bytes <= scriptMaxBytes, `${bytes} bytes in ${[...found].join(', ')}`);
  });
});

describeOnSqlite(
  'a service without the console',
  (app) => {
    test('redirects / to the API document, and has no console pages', async () => {
      const reply = await fetch(app.address, { redirect: 'manual' });
      assert.deepEqual([reply.status, reply.headers.get('location')], [302, '/docs']);
      assert.equal((await fetch(`${app.address}/projects/p`)).status, 404);
    });
  },
  { PLOIDY_CONSOLE: 'false' },
);

test('a build that is replaced beside a running service leaves its pages whole until the next start', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-console-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const build = (script: string): void => {
    rmSync(join(folder, 'assets'), { recursive: true, force: true });
    mkdirSync(join(folder, 'assets'));
    writeFileSync(join(folder, 'assets', script), `show('${script}');`);
    writeFileSync(join(folder, 'index.html'), `<script type="module" src="./assets/${script}"></script>`);
  };
  const start = (): FastifyInstance => {
    const server = fastify();
    addConsole(server, { folder, storeOrigins: [] }, openLog('silent'));
    return server;
  };
  const shown = async (server: FastifyInstance): Promise<string> => {
    const [, script = ''] = / src="([^"]+)"/.exec((await server.inject('/')).body) ?? [];
    return (await server.inject(script)).body;
  };
  build('old.js');
  const running = start();
  build('new.js');
  assert.equal(await shown(running), "show('old.js');");
  assert.equal(await shown(start()), "show('new.js');");
});
