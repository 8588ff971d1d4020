import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { describeOnPostgres, describeOnSqlite, type TestApp } from '../support/app.ts';

/** Debian's; another one by its path. */
const program = process.env['PLOIDY_TEST_CHROMIUM'] ?? '/usr/bin/chromium';

/** Reason why tests in a browser are skipped, or `false`. With `CI=true` they fail instead. */
export const browserSkip: string | false =
  existsSync(program) || process.env['CI'] === 'true'
    ? false
    : `There is no ${program}: apt-get install chromium, or set PLOIDY_TEST_CHROMIUM.`;

/** Registers journeys in a browser, on PostgreSQL only: pages are tried on SQLite. */
export function describeJourneys(
  name: string,
  body: (app: TestApp) => void,
  settings: Record<string, string> = {},
): void {
  if (browserSkip) test(name, { skip: browserSkip }, () => undefined);
  else describeOnPostgres(name, body, settings);
}

/** Registers tests of pages, on SQLite only: pages ask the same routes on both stores; journeys are on PostgreSQL. */
export function describePages(
  name: string,
  body: (app: TestApp) => void,
  settings: Record<string, string> = {},
): void {
  if (browserSkip) test(name, { skip: browserSkip }, () => undefined);
  else describeOnSqlite(name, body, settings);
}

/** `settings`: further ones, as on its command line. */
export function openChromium(settings: string[] = []): Promise<Browser> {
  // Containers have no user namespaces for its sandbox; what it visits here is ours.
  const args = ['--no-sandbox', '--disable-dev-shm-usage', ...settings];
  return chromium.launch({ executablePath: program, args });
}

/** Another user's browser, with its own cookies. */
export async function openContext(browser: Browser): Promise<{ context: BrowserContext; page: Page }> {
  // Pages work without a script, so they are tried without.
  const context = await browser.newContext({ javaScriptEnabled: false });
  return { context, page: await context.newPage() };
}

/** Pictures of a page for people to look at: light and dark, wide and narrow. Only where a folder for them is named. */
export async function photograph(page: Page, name: string): Promise<void> {
  const folder = process.env['PLOIDY_TEST_SCREENSHOTS'];
  if (folder === undefined) return;
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    for (const [width, word] of [
      [1280, 'wide'],
      [360, 'narrow'],
    ] as const) {
      await page.setViewportSize({ width, height: 800 });
      await page.screenshot({ path: `${folder}/${name}-${colorScheme}-${word}.png`, fullPage: true });
    }
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 1280, height: 800 });
}

/** Takes a picture for the guides, where a folder for them is named (docs/guides/pictures). */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env['PLOIDY_GUIDE_PICTURES'];
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png` });
}
