/**
 * Generates the API document and the types of the client from the code. `--check` writes
 * nothing and fails if a file differs.
 */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { referenceNames } from '../../app/reference/names.ts';
import { routeCatalogue } from '../../app/route-catalogue.ts';
import { hasCode } from '../../base/error-code.ts';
import { readConfig } from '../../config/config.ts';
import { describeApi } from '../../http/contract/describe-api.ts';
import { operationName } from '../../http/contract/operation-names.ts';

const root = join(import.meta.dirname, '../../../../..');

/** Returns the contents of each generated file; none when a route has no name. */
async function generated(): Promise<Map<string, string>> {
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-generate-'));
  try {
    const routes = routeCatalogue(readConfig({ PLOIDY_DATA_DIR: folder }));
    const unnamed = routes.filter((route) => operationName(route) === undefined);
    if (unnamed.length > 0) {
      const named = unnamed.map(({ method, path }) => `${method} ${path}`).join(', ');
      process.stderr.write(
        `Add names of ${named} to packages/server/src/http/contract/operation-names.ts.\n`,
      );
      process.exitCode = 1;
      return new Map();
    }
    const openapi = await describeApi(routes, referenceNames);
    const { answerShapes, clientTypes } = await import('../../../../client/src/generate-types.ts');
    return new Map([
      ['docs/openapi.json', `${JSON.stringify(openapi, null, 2)}\n`],
      ['packages/client/src/generated/openapi.ts', await clientTypes(openapi)],
      ['packages/client/src/generated/answer-shapes.ts', answerShapes(openapi)],
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
