/** Addresses of the service in the console: below its path on the host. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const source = join(import.meta.dirname, '..');
/** Strings of code and attributes of JSX, but not those of programs that a page shows. */
const literal = /(['`]|(?<==)")\/(?:v1|docs|healthz|readyz|metrics|assets)\b[^'"`\n]*\1/g;

/** Returns the addresses in a text that leave out the path: those of the typed client have it, as those that `at` returns. */
function bare(text: string): string[] {
  const code = text.replaceAll(/\/\*[\s\S]*?\*\//g, '');
  return [...code.matchAll(literal)]
    .filter(({ index }) => !/(?:\bat|\.(?:GET|POST|PUT|PATCH|DELETE))\(\s*$/.test(code.slice(0, index)))
    .map(([found]) => found)
    .filter((found) => !/\{\w+\}/.test(found.replaceAll('${', '')));
}

test('no page names an address of the service without its path', () => {
  const good = "at('/v1/user'); api.GET(\n  '/v1/user'); x = '/v1/a/{id}'; text = `queries = \"/v1/b\"`";
  assert.deepEqual(bare(good), []);
  assert.deepEqual(bare(`fetch('/v1/user'); <a href="/docs">`), ["'/v1/user'", '"/docs"']);
  const files = globSync('**/*.{ts,tsx}', { cwd: source }).filter((path) => !/\.test\./.test(path));
  assert.ok(files.length > 200);
  for (const path of files) {
    const text = readFileSync(join(source, path), 'utf8');
    assert.deepEqual(bare(text), [], path);
    assert.doesNotMatch(text, /\blocation\.origin\b/, path);
  }
});
