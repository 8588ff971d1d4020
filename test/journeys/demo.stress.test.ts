import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { expectedDemoRows } from '../../samples/expected.ts';
import { freePort } from '../support/free-port.ts';
import { cleanEnvironment } from '../support/server.ts';

const root = join(import.meta.dirname, '../..');
const run = promisify(execFile);

test('the demo, on its port and without other settings, prints exactly the expected rows of the sample files, and exits', async () => {
  const port = await freePort();
  const elsewhere = { PLOIDY_PORT: String(port), PLOIDY_DATA_DIR: '/nowhere', PLOIDY_DATABASE_URL: 'x' };
  const { stdout, stderr } = await run(process.execPath, ['samples/demo/main.ts', '--once'], {
    cwd: root,
    env: { ...cleanEnvironment(), ...elsewhere },
  });
  assert.equal(
    stderr,
    'The demo takes PLOIDY_PORT only; it does not use PLOIDY_DATA_DIR, PLOIDY_DATABASE_URL.\n',
  );
  assert.match(stdout, new RegExp(`ready at http://127\\.0\\.0\\.1:${port} `));
  const lines = stdout.split('\n');
  const rule = lines.findIndex((line) => line.startsWith('─'));
  const printed = lines.slice(rule + 1, lines.indexOf('', rule)).map((line) => line.split(/ {2,}/));
  const expected = expectedDemoRows(join(root, 'samples/data')).map((row) => Object.values(row));
  assert.ok(expected.length > 0);
  assert.deepEqual(printed, expected);
  for (const step of ['Project', 'Upload', 'Ingestion', 'Query'])
    assert.match(stdout, new RegExp(`^${step} +[\\d.]+ s`, 'm'));
});

test('an unknown word is refused', async () => {
  await assert.rejects(run(process.execPath, ['samples/demo/main.ts', '--twice'], { cwd: root }), {
    code: 2,
  });
});
