import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { silent } from '../../../../../../test/support/records.ts';
import { openRecords } from '../open.ts';
import { startWriter } from './writer.fixture.ts';

test('every acknowledged write survives SIGKILL, ten times over', { timeout: 60_000 }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-sqlite-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const acknowledged = new Set<string>();
  for (let round = 0; round < 10; round += 1) {
    const child = startWriter(folder, `r${round}`);
    const lines = createInterface({ input: child.stdout });
    const killAfter = 20 + Math.floor(Math.random() * 400);
    let count = 0;
    lines.on('line', (line) => {
      acknowledged.add(line);
      count += 1;
      if (count === killAfter) child.kill('SIGKILL');
    });
    await Promise.all([once(child, 'exit'), once(lines, 'close')]);
  }
  const records = await openRecords({ folder, log: silent });
  const rows = await records.read.selectFrom('changes').select('topic').execute();
  await records.close();
  const kept = new Set(rows.map((row) => row.topic));
  assert.deepEqual([...acknowledged.difference(kept)], []);
  assert.equal(rows.length, kept.size, 'nothing is written twice');
  assert.ok(acknowledged.size > 200);
});
