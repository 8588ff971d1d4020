import assert from 'node:assert/strict';
import AxeBuilder from '@axe-core/playwright';
import type { Browser, Page } from 'playwright-core';
import { signedIn } from '../../packages/server/src/domains/authentication/sign-in/tests/signed-in.fixture.ts';
import type { TestApp } from '../support/app.ts';
import { until } from '../support/until.ts';
import { photograph } from './chromium.ts';

/** A browser in which a user is signed in, with everything that went wrong in it. */
export interface Visitor {
  page: Page;
  /** Errors of scripts and of the content security policy, and requests that left the service. */
  faults: string[];
}

/** Opens a browser of its own for a user. */
export async function visit(browser: Browser, app: TestApp, userId: string | undefined): Promise<Visitor> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 850 },
    reducedMotion: 'reduce',
  });
  if (userId !== undefined) {
    const [name = '', value = ''] = (await signedIn(app, userId)).split('=');
    await context.addCookies([{ name, value, url: app.address }]);
  }
  const page = await context.newPage();
  // The service and the browser share the machine with other tests.
  page.setDefaultTimeout(120_000);
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' && /Content Security Policy/i.test(message.text()))
      faults.push(message.text());
  });
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(app.address) && !/^(?:data|blob):/.test(url)) faults.push(`left the service: ${url}`);
  });
  return { page, faults };
}

/** Shows a page in light or dark, and waits until its colours have changed. */
export async function showIn(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme });
  const hasChanged = `document.documentElement.dataset.mantineColorScheme === '${colorScheme}' &&
    document.getAnimations().every((one) => !(one instanceof CSSTransition))`;
  await until(() => page.evaluate<boolean>(hasChanged), `the page is ${colorScheme}`);
}

/** Takes pictures of a page; looks for barriers in light and dark, and whether it fits on a tablet. */
export async function withoutBarriers(page: Page, name: string): Promise<void> {
  await photograph(page, `console-${name}`);
  const tablet = { width: 768, height: 1024 };
  const size = page.viewportSize() ?? tablet;
  await page.setViewportSize(tablet);
  const width = () => page.evaluate('document.documentElement.scrollWidth');
  // A panel beside its button follows a moment later.
  await until(async () => (await width()) === tablet.width, `${name} fits on a tablet`);
  await page.setViewportSize(size);
  const look = async (words: string, axe: AxeBuilder): Promise<void> => {
    const { violations } = await axe.analyze();
    const found = violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`,
    );
    assert.deepEqual(found, [], `${name} ${words}`);
  };
  await showIn(page, 'dark');
  // Only colours differ in the dark.
  await look('dark', new AxeBuilder({ page }).withRules(['color-contrast', 'link-in-text-block']));
  await showIn(page, 'light');
  await look(
    'light',
    new AxeBuilder({ page }).withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']),
  );
}

/** Widths of a desk, a tablet and a telephone, in pixels. */
const widths = [1440, 1024, 390];

/** Requires that a page fits each width, and that axe finds no barrier there, in light and dark; takes pictures of each. */
export async function fitsAndHasNoBarriers(page: Page, name: string): Promise<void> {
  const folder = process.env['PLOIDY_TEST_SCREENSHOTS'];
  const size = page.viewportSize() ?? { width: 1280, height: 850 };
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 });
    for (const scheme of ['dark', 'light'] as const) {
      await showIn(page, scheme);
      const taken = await page.evaluate('document.documentElement.scrollWidth');
      assert.equal(taken, width, `${name} is as wide as the page`);
      const { violations } = await new AxeBuilder({ page })
        .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'])
        .analyze();
      const found = violations.map(
        ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`,
      );
      assert.deepEqual(found, [], `${name} ${scheme} at ${width}`);
      if (folder !== undefined)
        await page.screenshot({ path: `${folder}/${name}-${scheme}-${width}.png`, fullPage: true });
    }
  }
  await page.setViewportSize(size);
}

/** Uploads a file into a project and ingests it. */
export async function ingest(
  app: TestApp,
  datasetId: string,
  name: string,
  bytes: string | Uint8Array,
  options = {},
): Promise<void> {
  const fileId = await app.put(datasetId, name, bytes);
  const body = { datasetId, fileId, ...options };
  const { body: begun } = await app.call('POST', '/v1/ingestions', { body });
  await until(async () => {
    const { state } = (await app.call('GET', `/v1/ingestions/${begun.id}`)).body;
    return state === 'succeeded';
  }, `${name} is ingested`);
}
