import type { Page, Route } from 'playwright-core';
import { operationAt, type Schema } from '../fuzz/document.ts';

/** Texts that do harm wherever they are more than text: markup, addresses, styles, turned writing, length. */
export const hostileTexts: Readonly<Record<string, string>> = {
  markup: `"'><img src=x onerror="window.harmed=1"><svg onload="window.harmed=1"><script>window.harmed=1</script>`,
  address: 'javascript:window.harmed=1',
  style: `</style><style>*{display:none!important}@import url(http://harm.example/a.css);</style>" style="background:url(http://harm.example/b)`,
  turned: `\u202e\u2066exe.${'\u0300'.repeat(50)}\ufeff\u200b\u2028`,
  template: '{{constructor.constructor("window.harmed=1")()}}<%= window.harmed=1 %>',
  long: 'W'.repeat(2000),
};

/** Texts that the service alone chooses: ids, times, addresses, words of a list. */
const chosen =
  /^(?:id|.*Ids?|ids|account|owner|user|self|next|.*[uU]rl|created|.*Time|expires|.*Seen|date|from|to|role)$/;

/** Answers of the service as they would be if each text that people choose were a hostile one. `count`: texts replaced. */
export async function answerWith(
  page: Page,
  address: string,
  text: string,
): Promise<{ count: number; paths: Set<string> }> {
  const replaced = { count: 0, paths: new Set<string>() };
  await page.route(`${address}/**`, async (route: Route) => {
    const request = route.request();
    const url = new URL(request.url());
    const operation = operationAt(request.method(), url.pathname);
    const schema = operation?.answers['200']?.content?.['application/json']?.schema;
    if (schema === undefined) return route.continue();
    const response = await route.fetch();
    if (response.status() !== 200 || !/json/.test(response.headers()['content-type'] ?? ''))
      return route.fulfill({ response });
    const before = replaced.count;
    const json = withTexts(await response.json(), schema, '');
    if (replaced.count > before) replaced.paths.add(operation?.path ?? '');
    return route.fulfill({ response, json });
  });
  const withTexts = (value: unknown, schema: Schema | undefined, key: string): unknown => {
    const kinds = schema?.anyOf ?? (schema ? [schema] : []);
    if (typeof value === 'string') {
      const isFree = kinds.some(
        (one) =>
          one.type === 'string' && !one.enum && !one.pattern && !('format' in one) && !('const' in one),
      );
      if (!isFree || chosen.test(key)) return value;
      replaced.count += 1;
      return text;
    }
    if (Array.isArray(value)) {
      const items = kinds.find((one) => one.items)?.items;
      return value.map((one) => withTexts(one, items, key));
    }
    if (typeof value !== 'object' || value === null) return value;
    const object = kinds.find((one) => Object.keys(value).some((name) => one.properties?.[name])) ?? kinds[0];
    const rest = typeof object?.additionalProperties === 'object' ? object.additionalProperties : undefined;
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [
        name,
        withTexts(one, object?.properties?.[name] ?? rest, name),
      ]),
    );
  };
  return replaced;
}
