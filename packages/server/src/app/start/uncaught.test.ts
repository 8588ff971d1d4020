import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

const start = `
  import { openLog } from '${new URL('../../platform/log/log.ts', import.meta.url).href}';
  import { endOnUncaught } from '${new URL('uncaught.ts', import.meta.url).href}';
  endOnUncaught(openLog('info'));
  const error = Object.assign(new Error('it broke'), { client: { secretKey: 4711 } });
`;

// asvs: 16.3.4
for (const [how, end] of [
  ['thrown', 'setTimeout(() => { throw error; }, 1); setTimeout(() => {}, 60_000);'],
  ['in a promise', 'Promise.reject(error); setTimeout(() => {}, 60_000);'],
] as const)
  test(`an uncaught error, ${how}, is logged without its properties and ends the process`, () => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--input-type=module', '--eval', `${start}${end}`],
      { encoding: 'utf8' },
    );
    const [line, ...others] = stderr.trim().split('\n');
    assert.deepEqual(others, []);
    const { level, err, msg } = JSON.parse(line ?? '');
    assert.deepEqual([level, err.message], [60, 'it broke']);
    assert.match(msg, /ends/);
    assert.doesNotMatch(stderr + stdout, /4711/);
    assert.equal(status, 1);
  });
