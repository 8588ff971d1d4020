import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

/** Debian's; another one by its path. */
const program = process.env['PLOIDY_TEST_CHROMIUM'] ?? '/usr/bin/chromium';

/** Why tests in a browser are skipped, or `false`. With `CI=true` they are not: they fail. */
export const browserSkip: string | false =
  existsSync(program) || process.env['CI'] === 'true'
    ? false
    : `There is no ${program}: apt-get install chromium, or set PLOIDY_TEST_CHROMIUM.`;

/** `settings`: further ones, as on its command line. */
export function openChromium(settings: string[] = []): Promise<Browser> {
  // Containers have no user namespaces for its sandbox; what it visits here is ours.
  const args = ['--no-sandbox', '--disable-dev-shm-usage', ...settings];
  return chromium.launch({ executablePath: program, args });
}

/** A browser of somebody else: cookies of its own. */
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
