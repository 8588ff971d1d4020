/** Unmodified clients of the Trino protocol, installed from their registries, against a whole service. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import {
  FormBrowser,
  makePerson,
  signInTo,
} from '../../packages/server/src/domains/authentication/sign-in/tests/form-browser.fixture.ts';
import { TestProject } from '../inputs/project.ts';
import { fhirText } from '../inputs/texts.ts';
import { policyOf } from '../kept-rows/readers.ts';
import { openTestApp, type TestApp } from '../support/app.ts';
import { missing } from './missing.ts';
import { openTlsProxy, type TlsProxy } from './tls-proxy.ts';

const run = promisify(execFile);
const versions = {
  python: ['trino==0.340.0', 'sqlalchemy==2.0.44', 'pandas==2.3.3'],
  node: 'trino-client@0.2.9',
  go: 'github.com/trinodb/trino-go-client/trino@v0.333.0',
  java: 'io.trino:trino-jdbc:476',
};

const missingPython = await missing('python3');
const missingNode = await missing('npm');
const missingGo = await missing('go');
const missingJava = await missing('java', 'mvn');

describe('clients of the Trino protocol', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-clients-'));
  let app: TestApp;
  let proxy: TlsProxy;
  let environment: NodeJS.ProcessEnv;

  before(async () => {
    app = await openTestApp({ PLOIDY_IDLE_WORKERS: '2' });
    const project = await TestProject.make(app.call, 'Clients');
    await project.take('p.ndjson', fhirText('p', 5, 1));
    await makePerson(app, 'analyst@example.test');
    proxy = await openTlsProxy(app.address, folder);
    environment = { ...process.env, ADDRESS: app.address, KEY: app.key, PROJECT: 'clients', ROWS: '300000' };
  });
  after(async () => {
    await proxy?.stop();
    await app?.stop();
    // Modules of Go are written without the right to remove them.
    await run('chmod', ['-R', 'u+w', folder]);
    rmSync(folder, { recursive: true, force: true });
  });

  const here = (name: string): string => join(import.meta.dirname, name);
  const place = (name: string): string => {
    const path = join(folder, name);
    mkdirSync(path);
    return path;
  };

  /** Returns the browser of a user who allows the program that opens a page in it. */
  async function allowingBrowser(): Promise<{ address: string; stop(): void }> {
    const server = createServer(async (request, response) => {
      const browser = new FormBrowser(app.address);
      await signInTo(browser, 'analyst@example.test');
      const { pathname, search } = new URL(decodeURIComponent(request.url?.slice(1) ?? ''));
      const { location = '' } = await browser.open(`${pathname}${search}`);
      const shown = await browser.open(location);
      response.end((await browser.submit(shown, '/v1/device', { decision: 'allow' })).text);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    return { address: `http://127.0.0.1:${port}/`, stop: () => void server.close() };
  }

  /** Makes a reader of two patients, who reads only one of them once an address is requested. */
  async function narrowedReader(): Promise<{ variables: Record<string, string>; stop(): void }> {
    const { key, userId } = await app.people.member(app.account, []);
    const body = { name: `Of ${userId}`, policy: policyOf('some', userId) };
    const { id } = (await app.call('POST', '/v1/policies', { body })).body;
    const server = createServer(async (_request, response) => {
      const body = { policy: policyOf('fewer', userId) };
      response.statusCode = (await app.call('PUT', `/v1/policies/${id}`, { body })).status;
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const variables = { NARROWED_KEY: key, NARROW: `http://127.0.0.1:${port}/` };
    return { variables, stop: () => void server.close() };
  }

  test('Python: DB-API, SQLAlchemy and pandas read values, tables and a frame by browser sign-in, and nothing with narrowed rights', {
    skip: missingPython,
  }, async (context) => {
    const python = place('python');
    await run('python3', ['-m', 'venv', python]);
    await run(join(python, 'bin/pip'), ['install', '--quiet', '--no-compile', ...versions.python]);
    const [browser, reader] = [await allowingBrowser(), await narrowedReader()];
    const { stdout } = await run(join(python, 'bin/python'), [here('python_client.py')], {
      env: { ...environment, ...reader.variables, BROWSER_OF_USER: browser.address },
    })
      .finally(browser.stop)
      .finally(reader.stop);
    context.diagnostic(stdout.trim());
  });

  test('Node: the client reads rows, prepares, changes its session and shows errors', {
    skip: missingNode,
  }, async () => {
    const node = place('node');
    writeFileSync(join(node, 'package.json'), '{"private": true}');
    await run('npm', ['install', '--no-audit', '--no-fund', versions.node], { cwd: node });
    await run(process.execPath, [here('node-client.mjs')], { env: { ...environment, CLIENT: node } });
  });

  test('Go: the driver reads rows with parameters, and a deadline ends the query', {
    skip: missingGo,
  }, async () => {
    const go = place('go');
    copyFileSync(here('go/main.go'), join(go, 'main.go'));
    await run('go', ['mod', 'init', 'clients'], { cwd: go });
    await run('go', ['get', versions.go], { cwd: go });
    await run('go', ['run', '.'], { cwd: go, env: environment });
  });

  test('JDBC: the driver browses, reads, prepares and keeps limits as DBeaver; signs in by a browser; reads nothing with narrowed rights', {
    skip: missingJava,
  }, async (context) => {
    const java = place('java');
    await run('mvn', [
      '-q',
      '-B',
      'dependency:copy',
      `-Dartifact=${versions.java}`,
      `-DoutputDirectory=${java}`,
    ]);
    const [jar = ''] = readdirSync(java);
    const [browser, reader] = [await allowingBrowser(), await narrowedReader()];
    const env = { ...environment, ADDRESS: proxy.address, CERTIFICATE: proxy.certificate };
    const { stdout } = await run('java', ['-cp', join(java, jar), here('java/JdbcClient.java')], {
      env: { ...env, ...reader.variables, BROWSER_OF_USER: browser.address },
    })
      .finally(browser.stop)
      .finally(reader.stop);
    context.diagnostic(stdout.trim());
    assert.match(stdout, /at the median/);
  });
});
