/** The console below a path of a host with another site: signing in, files, questions, deep links, signing out. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import {
  makePerson,
  password,
} from '../../packages/server/src/domains/authentication/sign-in/tests/form-browser.fixture.ts';
import { openPathProxy } from '../support/path-proxy.ts';
import { until } from '../support/until.ts';
import { describePages, openChromium, photograph } from './chromium.ts';
import { visit } from './console-people.ts';

const proxy = await openPathProxy();
const patient = '{"resourceType":"Patient","id":"one","gender":"female"}\n';

describePages(
  'the console below a path',
  (app) => {
    let browser: Browser;
    let project: string;
    before(async () => {
      proxy.leadTo(app);
      browser = await openChromium();
      project = (await app.call('POST', '/v1/projects', { body: { name: 'Study' } })).body.id;
      const fileId = await app.put(project, 'patient.ndjson', patient);
      const body = { datasetId: project, fileId, type: 'fhir' };
      const { id } = (await app.call('POST', '/v1/ingestions', { body })).body;
      await until(
        async () => (await app.call('GET', `/v1/ingestions/${id}`)).body.state === 'succeeded',
        'the patient is ingested',
      );
    });
    after(async () => {
      await browser?.close();
      await proxy.stop();
    });

    for (const removesPath of [false, true])
      test(`a person works behind a proxy that ${removesPath ? 'removes the path' : 'passes the path on'}`, async () => {
        proxy.removesPath = removesPath;
        const { page, faults } = await visit(browser, app, undefined);
        const email = `${removesPath}@example.test`;
        await makePerson(app, email);
        const deep = `${app.address}/projects/${project}/subjects/one`;
        await page.goto(deep);
        await page.getByLabel('E-mail address').fill(email);
        await page.getByLabel('Password').fill(password);
        await page.getByRole('button', { name: 'Sign in' }).click();
        await page.getByRole('heading', { name: 'one' }).waitFor();
        assert.ok(page.url().startsWith(deep), page.url());
        await photograph(page, 'console-path');
        await page.reload();
        await page.getByRole('heading', { name: 'one' }).waitFor();
        await page.getByRole('link', { name: 'Files', exact: true }).click();
        await page.getByText('patient.ndjson').first().waitFor();
        assert.ok(page.url().startsWith(`${app.address}/projects/${project}/files`), page.url());
        await page.getByRole('button', { name: email }).click();
        await page.getByRole('menuitem', { name: 'Sign out' }).click();
        await page.getByLabel('Password').waitFor();
        assert.equal(page.url(), `${app.address}/v1/oauth/sign-in`);
        const cookies = await page.context().cookies();
        assert.deepEqual([...new Set(cookies.map(({ path }) => path))], ['/ploidy']);
        assert.deepEqual([faults, proxy.strays], [[], []]);
      });
  },
  { PLOIDY_PUBLIC_URL: proxy.address },
);
