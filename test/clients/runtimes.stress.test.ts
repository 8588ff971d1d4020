/** @ploidy/client as it is published, in Node from 20.16 on, Deno, Bun, and in Chromium by three bundlers. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { build } from '../../release/build.ts';
import { browserSkip, openChromium } from '../browser/chromium.ts';
import { npmFolder, npmTool, root } from '../deploy/tools.ts';
import { startServer, type TestServer } from '../support/server.ts';

const run = promisify(execFile);
const platform = `${process.platform}-${process.arch}`;

/** Programs by their packages, at fixed versions. */
const runtimes: Record<string, () => { program: string; words?: string[] }> = {
  'Node 20.16': () => ({ program: npmTool('node', `node-${platform}@20.16.0`) }),
  'Node 22': () => ({ program: npmTool('node', `node-${platform}@22.23.3`) }),
  'Node 26': () => ({ program: process.execPath }),
  Deno: () => ({ program: npmTool('deno', 'deno@2.9.6'), words: ['run', '--allow-all', '--no-lock'] }),
  Bun: () => {
    const name = `@oven/bun-${platform.replace('arm64', 'aarch64')}`;
    return { program: join(npmFolder(`${name}@1.4.5`), 'node_modules', name, 'bin/bun') };
  },
};

describe('the client as it is published', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-runtimes-'));
  const at = (name: string): string => join(folder, name);
  let server: TestServer;
  let connection: string;

  before(async () => {
    server = await startServer();
    const { baseUrl: address, apiKey, account } = server;
    connection = JSON.stringify({ address, apiKey, account });
    const [client = ''] = build(at('build')).filter((path) => path.endsWith('/client'));
    mkdirSync(at('node_modules/@ploidy'), { recursive: true });
    symlinkSync(client, at('node_modules/@ploidy/client'));
    for (const name of ['openapi-fetch', 'openapi-typescript-helpers'])
      symlinkSync(join(root, 'node_modules', name), at(`node_modules/${name}`));
    copyFileSync(join(import.meta.dirname, 'ploidy-client.mjs'), at('ploidy-client.mjs'));
    writeFileSync(at('package.json'), '{ "type": "module" }\n');
    writeFileSync(
      at('in-runtime.js'),
      "import { complete } from './ploidy-client.mjs';\n" +
        `console.log(await complete(${connection}, process.argv[2], process.argv[3]));\n`,
    );
    writeFileSync(
      at('in-browser.js'),
      "import { complete } from './ploidy-client.mjs';\nglobalThis.complete = complete;\n",
    );
  });
  after(async () => {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  for (const [name, prepare] of Object.entries(runtimes))
    test(`programs work in ${name}`, async () => {
      const { program, words = [] } = prepare();
      // Large enough for an upload in parts.
      const large = at(name);
      writeFileSync(large, Buffer.alloc(70 * 1024 * 1024, name));
      const { stdout } = await run(program, [...words, at('in-runtime.js'), name, large], { cwd: folder });
      assert.equal(stdout, 'complete\n');
      assert.ok(readFileSync(large).equals(readFileSync(`${large}.saved`)));
      for (const path of [large, `${large}.saved`]) rmSync(path);
    });

  /** Bundles by a program; the result is one script of a page, without a warning. */
  const bundlers: Record<string, (bundle: string) => Promise<string>> = {
    esbuild: async (bundle) => {
      const words = ['--bundle', '--platform=browser', '--format=iife', '--log-level=warning'];
      const program = npmTool('esbuild', 'esbuild@0.28.2');
      return (await run(program, [at('in-browser.js'), ...words, `--outfile=${bundle}`])).stderr;
    },
    vite: async (bundle) => {
      const { build: bundleByVite } = await import('vite');
      const warnings: string[] = [];
      const onLog = (_level: string, { message = '' }: { message?: string }): void => {
        warnings.push(message);
      };
      await bundleByVite({
        root: folder,
        configFile: false,
        logLevel: 'silent',
        build: {
          outDir: dirname(bundle),
          emptyOutDir: false,
          lib: { entry: at('in-browser.js'), formats: ['iife'], name: 'bundle', fileName: () => 'vite.js' },
          rollupOptions: { onLog },
        },
      });
      return warnings.join('\n');
    },
    webpack: async (bundle) => {
      const library = join(npmFolder('webpack@5.113.0'), 'node_modules/webpack/lib/index.js');
      const options = {
        context: folder,
        mode: 'production',
        target: 'web',
        entry: at('in-browser.js'),
        output: { path: dirname(bundle), filename: 'webpack.js', chunkFormat: 'array-push' },
        optimization: { splitChunks: false, runtimeChunk: false },
        module: { parser: { javascript: { dynamicImportMode: 'eager' } } },
      };
      const script = `
        const webpack = require(${JSON.stringify(library)});
        webpack(${JSON.stringify(options)}, (error, stats) => {
          if (error) throw error;
          const { errors, warnings } = stats.toJson();
          for (const { message } of [...errors, ...warnings]) process.stderr.write(message);
        });`;
      return (await run(process.execPath, ['--input-type=commonjs', '--eval', script])).stderr;
    },
  };

  for (const [name, bundleBy] of Object.entries(bundlers))
    test(`${name} bundles the client for browsers, where it works`, { skip: browserSkip }, async () => {
      const bundle = at(`${name}.js`);
      assert.equal(await bundleBy(bundle), '');
      assert.doesNotMatch(readFileSync(bundle, 'utf8'), /["']node:/);
      const browser = await openChromium();
      try {
        const page = await (await browser.newContext({ bypassCSP: true })).newPage();
        await page.goto(`${server.baseUrl}/v1/version`);
        await page.addScriptTag({ path: bundle });
        assert.equal(await page.evaluate(`complete(${connection}, ${JSON.stringify(name)})`), 'complete');
      } finally {
        await browser.close();
      }
    });

  test('types need neither those of Node nor skipped checks', async () => {
    writeFileSync(
      at('types.ts'),
      `import { PloidyClient, type UploadSource } from '@ploidy/client';
      import type { paths } from '@ploidy/client/api';
      const source: UploadSource = new Blob(['a']);
      export const client = new PloidyClient({ address: 'http://127.0.0.1', apiKey: '', account: '' });
      export const uploaded: Promise<string> = client.upload('p', 'n', source);
      export type Paths = keyof paths;\n`,
    );
    const checks = '--noEmit --strict --exactOptionalPropertyTypes --skipLibCheck false --target es2022';
    const words = `${checks} --module nodenext --lib es2022,dom,dom.asynciterable --types`.split(' ');
    const compiler = join(root, 'node_modules/.bin/tsc');
    const { stdout } = await run(compiler, [...words, '', at('types.ts')], { cwd: folder }).catch(
      (error) => error,
    );
    assert.equal(stdout, '');
  });
});
