import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

const program = join(import.meta.dirname, 'lock-rounds.fixture.ts');
const rounds = 100;

test('processes that find a stale lock together hold it one after the other', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-lock-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const run = () =>
    promisify(execFile)(process.execPath, [program, join(folder, 'lock'), String(rounds)], {
      timeout: 300_000,
    });
  await Promise.all([run(), run()]);
  assert.deepEqual(
    readdirSync(folder).filter((name) => name !== 'lock'),
    [],
  );
});
