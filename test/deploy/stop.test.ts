import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { tuning } from '../../packages/server/src/config/tuning.ts';
import { root } from '../../release/build.ts';

const limit = /\b(stop_grace_period|TimeoutStopSec|terminationGracePeriodSeconds)\W+(\d+)/g;

test('Compose, systemd and Kubernetes allow a stop twice the time that it takes', () => {
  const deploy = join(root, 'deploy');
  const found = globSync('**/*.{yaml,service}', { cwd: deploy }).flatMap((file) =>
    [...readFileSync(join(deploy, file), 'utf8').matchAll(limit)].map(([, name, seconds]) => ({
      name,
      allowedMs: Number(seconds) * 1000,
    })),
  );
  const names = [...new Set(found.map(({ name }) => name))].toSorted();
  assert.deepEqual(names, ['TimeoutStopSec', 'stop_grace_period', 'terminationGracePeriodSeconds']);
  const stopMs = tuning.shutdownMs + tuning.handlersMaxMs;
  for (const { name, allowedMs } of found) assert.ok(allowedMs >= 2 * stopMs, `${name}: ${allowedMs} ms`);
});
