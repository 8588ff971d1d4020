import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

/** A telephone. */
export const narrow = { width: 360, height: 780 };

/** Width that a page takes, with what does not fit. */
export const pageWidth = async (page: Page): Promise<number> =>
  Number(await page.evaluate('document.documentElement.scrollWidth'));

/** Patterns of the addresses of all pages, by the routes of the console. */
export function pagesOfConsole(): RegExp[] {
  const routes = readFileSync(join(import.meta.dirname, '../../packages/console/src/router.tsx'), 'utf8');
  const found = [...routes.matchAll(/ page\(\s*'([^']+)'/g)].map(([, path = '']) => path);
  assert.ok(found.length > 10);
  return found.map((path) => new RegExp(`^${path.replace(/\$\w+/g, '[^/?]+')}(?:\\?|$)`));
}

/** Colours of the tracks of igv.js. */
export interface Drawn {
  reads: string[];
  bases: string[];
}

/** The T of BRAF V600E, as igv.js colours it. */
export const alternateColour = '255,0,0';

/** Colours in the tallest track, of reads, and in the lowest one, of bases. A text: the test's types know no browser. */
export const drawnColours = `(() => {
  const root = document.querySelector('[aria-label="Genome browser"]').shadowRoot ?? document;
  const coloursOf = (canvas) => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const found = new Set();
    for (let at = 0; at < data.length; at += 4)
      if (data[at + 3] === 255) found.add([data[at], data[at + 1], data[at + 2]].join());
    return [...found];
  };
  const canvases = [...root.querySelectorAll('.igv-viewport canvas')].filter((one) => one.width > 0 && one.height > 0);
  const isOf = (canvas, low, high) => canvas.offsetHeight >= low && canvas.offsetHeight < high;
  return {
    reads: canvases.filter((one) => isOf(one, 200, 2000)).flatMap(coloursOf),
    bases: canvases.filter((one) => isOf(one, 10, 30)).flatMap(coloursOf),
  };
})()`;

/** Presses Tab until the focus is on something with a name. */
export async function tabTo(page: Page, name: string): Promise<void> {
  for (let press = 0; press < 200; press++) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate(
      '(document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent ?? "").trim()',
    );
    if (focused === name) return;
  }
  assert.fail(`Tab does not reach "${name}"`);
}
