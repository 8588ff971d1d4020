/** Clients of npm and PyPI use the Model Context Protocol by a key, and by the consent of a user. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import {
  FormBrowser,
  makePerson,
  signInTo,
} from '../../packages/server/src/domains/authentication/sign-in/tests/form-browser.fixture.ts';
import { npmTool, pythonWith } from '../deploy/tools.ts';
import { TestProject } from '../inputs/project.ts';
import { fhirText } from '../inputs/texts.ts';
import { openTestApp, type TestApp } from '../support/app.ts';
import { missing } from './missing.ts';

const run = promisify(execFile);
const packages = {
  node: '@modelcontextprotocol/client@2.4.0',
  python: ['mcp==2.3.0'],
  inspector: '@modelcontextprotocol/inspector@2.12.0',
};
const missingPython = await missing('python3');

describe('clients of the Model Context Protocol', () => {
  let app: TestApp;
  let browser: Server;
  let environment: NodeJS.ProcessEnv;

  before(async () => {
    app = await openTestApp({ PLOIDY_IDLE_WORKERS: '2' });
    const project = await TestProject.make(app.call, 'Clients');
    await project.take('p.ndjson', fhirText('p', 5, 1));
    await app.call('PATCH', `/v1/accounts/${app.account}`, { body: { assistants: 'read' } });
    await makePerson(app, 'user@example.test');
    const person = new FormBrowser(app.address);
    await signInTo(person, 'user@example.test');
    // The browser of the user, who consents to what a program opens in it.
    browser = createServer(async (request, response) => {
      const { pathname, search } = new URL(await text(request));
      const page = await person.open(`${pathname}${search}`);
      const { location } = await person.submit(page, '/v1/oauth/command-line', {});
      response.end(location);
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => browser.once('listening', resolve));
    environment = {
      ...process.env,
      ...{ URL: `${app.address}/${app.account}/mcp`, KEY: app.key, PROJECT: project.id },
      BROWSER: `http://127.0.0.1:${(browser.address() as AddressInfo).port}/`,
    };
  });
  after(async () => {
    browser?.close();
    await app?.stop();
  });

  const program = (name: string): string => join(import.meta.dirname, 'assistants', name);

  test('Node, by the client of the protocol', async () => {
    const manifest = npmTool('../@modelcontextprotocol/client/package.json', packages.node);
    const env = { ...environment, MODULES: dirname(manifest) };
    const { stdout } = await run(process.execPath, [program('node-client.mjs')], { env });
    assert.equal(stdout, 'done\n');
  });

  test('Python, by the package mcp', { skip: missingPython }, async () => {
    await run(pythonWith(packages.python), [program('python_client.py')], { env: environment });
  });

  test('the inspector of the protocol, by its command line', async () => {
    const inspector = npmTool('mcp-inspector', packages.inspector);
    const { URL: url = '', KEY: key = '' } = environment;
    const words = ['--cli', url, '--transport', 'http', '--header', `Authorization: Bearer ${key}`];
    const inspect = async (...more: string[]) => {
      const { stdout } = await run(process.execPath, [inspector, ...words, ...more], { maxBuffer: 2 ** 24 });
      return JSON.parse(stdout);
    };
    const { tools } = await inspect('--method', 'tools/list');
    assert.ok(tools.length > 5);
    const call = ['--method', 'tools/call', '--tool-name', 'list_projects'];
    assert.equal((await inspect(...call)).structuredContent.data.items.length, 1);
  });
});
