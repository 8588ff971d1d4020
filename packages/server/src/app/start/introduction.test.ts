import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { cleanEnvironment } from '../../../../../test/support/server.ts';
import { introductionOf } from './introduction.ts';

const names = ['apiKey', 'signInUrl', 'consoleUrl'] as const;

test('a terminal shows the key and the links of the first start, any other output the file that has them', () => {
  const firstRun = {
    ...{ baseUrl: 'the base', account: 'the account', user: 'the user' },
    ...{ apiKey: 'the key', signInUrl: 'the sign-in', consoleUrl: 'the console' },
  };
  const onTerminal = introductionOf(firstRun, true, '/data');
  const inLog = introductionOf(firstRun, false, '/data');
  for (const name of names)
    assert.deepEqual(
      [onTerminal.includes(firstRun[name]), inLog.includes(firstRun[name])],
      [true, false],
      name,
    );
  assert.ok(inLog.includes(join('/data', 'first-run.json')));
});

test('a service whose output is no terminal prints no secret at its first start', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-first-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const program = join(import.meta.dirname, '../../../../../bin/ploidy.js');
  const env = { ...cleanEnvironment(), PLOIDY_DATA_DIR: folder, PLOIDY_PORT: '0', PLOIDY_HOST: '127.0.0.1' };
  const child = spawn(process.execPath, [program, 'serve'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stderr.on('data', (chunk) => {
    output += chunk;
  });
  for await (const line of createInterface({ input: child.stdout })) {
    output += `${line}\n`;
    if (line.startsWith('Ploidy listens on')) break;
  }
  child.kill('SIGTERM');
  // The line that names the address promises an orderly stop.
  assert.deepEqual(await once(child, 'exit'), [0, null]);
  const firstRun = JSON.parse(readFileSync(join(folder, 'first-run.json'), 'utf8'));
  assert.match(output, /first-run\.json/);
  for (const name of names) {
    const secret = String(firstRun[name]).split('token=').at(-1) ?? '';
    assert.equal(output.includes(secret), false, name);
  }
});
