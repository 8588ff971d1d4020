/**
 * Writes what is generated from the code: the API document, the tables of docs/ (access, settings, masks, fields of analytics)
 * and the client's types.
 * `--check` writes nothing and fails when a file is not what it would write.
 */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { tables } from '@ploidy/formats';
import { routeCatalogue } from '../app.ts';
import { readConfig, settings } from '../config.ts';
import { describeAccess, describeMasks, describeSettings } from '../describe.ts';
import { fieldsDocument } from '../domains/analytics/index.ts';
import { hasCode } from '../error-code.ts';
import { describeApi } from '../http/describe-api.ts';

const root = dirname(dirname(dirname(dirname(import.meta.dirname))));

/** What each generated file should hold. */
async function generated(): Promise<Map<string, string>> {
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-generate-'));
  try {
    const routes = routeCatalogue(readConfig({ PLOIDY_DATA_DIR: folder }));
    const openapi = await describeApi(routes);
    const { clientTypes } = await import('../../../client/src/generate-types.ts');
    return new Map([
      ['docs/openapi.json', `${JSON.stringify(openapi, null, 2)}\n`],
      ['docs/access.md', describeAccess(routes)],
      ['docs/analytics-fields.md', fieldsDocument()],
      ['docs/configuration.md', describeSettings(settings)],
      ['docs/masks.md', describeMasks(tables)],
      ['packages/client/src/generated/openapi.ts', await clientTypes(openapi)],
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function differs(path: string, text: string): boolean {
  try {
    return readFileSync(path, 'utf8') !== text;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return true;
    throw error;
  }
}

const check = process.argv.includes('--check');
let stale = false;
for (const [name, text] of await generated()) {
  const path = join(root, name);
  if (!differs(path, text)) continue;
  stale = true;
  if (!check) writeFileSync(path, text);
  process.stdout.write(`${check ? 'out of date' : 'written'}: ${relative(root, path)}\n`);
}
if (check && stale) {
  process.stderr.write(
    'Generated files are not in sync with the code: run "npm run generate" and commit the result.\n',
  );
  process.exitCode = 1;
}
