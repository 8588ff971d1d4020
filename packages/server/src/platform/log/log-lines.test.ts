import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { until } from '../../../../../test/support/until.ts';
import { LogLines } from './log-lines.ts';

test('lines are written whole and in order, also those of the last moment', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-log-'));
  const path = join(folder, 'log');
  const descriptor = openSync(path, 'w');
  const log = new LogLines(descriptor);
  const lines = Array.from({ length: 2000 }, (_, number) => `${number} äöü ${'x'.repeat(number % 300)}\n`);
  for (const [index, line] of lines.entries()) {
    log.write(line);
    if (index % 97 === 0) await new Promise(setImmediate);
  }
  const written = (): string => readFileSync(path, 'utf8');
  await until(() => written() === lines.join(''), 'they are written');
  log.write('one alone\n');
  await until(() => written() === `${lines.join('')}one alone\n`, 'so is one that comes later');
  log.write('the last\n');
  log.flushSync();
  assert.equal(written(), `${lines.join('')}one alone\nthe last\n`);
  // The write that was due finds nothing more.
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  assert.equal(written(), `${lines.join('')}one alone\nthe last\n`);
  closeSync(descriptor);
  rmSync(folder, { recursive: true });
});

/** Every write to it fails with ENOSPC (full(4)). */
const fullDisk = '/dev/full';

test('a log that cannot be written neither ends the process nor keeps it from ending', {
  skip: !existsSync(fullDisk) && 'there is no /dev/full',
}, async () => {
  const script = `
      import { openLog } from '${new URL('log.ts', import.meta.url).href}';
      const log = openLog('info');
      for (let number = 0; number < 100; number += 1) log.info({ number }, 'a line');
      setTimeout(() => { log.info('another'); process.send('alive'); process.disconnect(); }, 50);
    `;
  const full = openSync(fullDisk, 'w');
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', full, full, 'ipc'],
  });
  assert.deepEqual(await once(child, 'message').then(([message]) => message), 'alive');
  assert.deepEqual(await once(child, 'exit'), [0, null]);
  closeSync(full);
});
