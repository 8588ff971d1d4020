import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { expectedDemoRows } from '../../samples/expected.ts';
import { blocksFor } from '../documentation/claims.ts';
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
  const [warning, ...progress] = stderr.trimEnd().split('\n');
  assert.equal(
    warning,
    'The demo takes PLOIDY_PORT only; it does not use PLOIDY_DATA_DIR, PLOIDY_DATABASE_URL.',
  );
  for (const line of progress) assert.match(line, /^Ingestion +\d+ % {2}\S+, \d+ rows$/);
  assert.match(stdout, new RegExp(`ready at http://127\\.0\\.0\\.1:${port} `));
  const lines = stdout.split('\n');
  const rule = lines.findIndex((line) => line.startsWith('─'));
  const printed = lines.slice(rule + 1, lines.indexOf('', rule)).map((line) => line.split(/ {2,}/));
  const expected = expectedDemoRows(join(root, 'samples/data')).map((row) => Object.values(row));
  assert.ok(expected.length > 0);
  assert.deepEqual(printed, expected);
  // README shows the same lines, but for times, the port, and rows that it leaves out.
  const [{ code: shown } = { code: '' }] = blocksFor(import.meta.filename);
  assert.notEqual(shown, '');
  const plain = (text: string) =>
    text
      .replaceAll(/ *[\d.]+ s\b/g, ' s')
      .replace(/:\d+/, '')
      .split('\n');
  const left = plain(stdout);
  for (const line of plain(shown).filter((one) => one !== '…')) {
    assert.ok(left.includes(line), `README: ${line}`);
    left.splice(0, left.indexOf(line) + 1);
  }
  for (const step of ['Project', 'Upload', 'Ingestion', 'Query'])
    assert.match(stdout, new RegExp(`^${step} +[\\d.]+ s`, 'm'));
});

test('without --once the demo shows a key, commands and addresses that work until Ctrl-C', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-demo-test-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const env = { ...cleanEnvironment(), PLOIDY_PORT: String(await freePort()) };
  const child = spawn(process.execPath, [join(root, 'samples/demo/main.ts')], { cwd: folder, env });
  let output = '';
  for await (const chunk of child.stdout) {
    output += chunk;
    if (output.includes('GROUP BY gene')) break;
  }
  const [, address = ''] = /^ {2}address {3}(\S+)\/v1 /m.exec(output) ?? [];
  const [, key = ''] = /^ {2}API key {3}(\S+)$/m.exec(output) ?? [];
  const { status } = await fetch(`${address}/v1/user`, { headers: { authorization: `Bearer ${key}` } });
  assert.equal(status, 200);
  child.kill('SIGINT');
  assert.deepEqual(await once(child, 'exit'), [0, null]);
  await assert.rejects(fetch(`${address}/readyz`));
});

test('an unknown word is refused', async () => {
  await assert.rejects(run(process.execPath, ['samples/demo/main.ts', '--twice'], { cwd: root }), {
    code: 2,
  });
});
