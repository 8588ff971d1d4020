/** Two processes that start for the first time on one database and one folder. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { postgresSkip, startPrepared } from '../support/postgres.ts';
import { startServer } from '../support/server.ts';

test('two first starts at one moment both come up, and first-run.json is of the one that set up', {
  skip: postgresSkip,
  timeout: 120_000,
}, async (context) => {
  const database = await startPrepared();
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-two-'));
  const start = () => startServer({ settings: { PLOIDY_DATABASE_URL: database.url }, folder });
  const started = await Promise.allSettled([start(), start()]);
  const servers = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  context.after(async () => {
    for (const server of servers) await server.kill();
    await database.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  assert.deepEqual(
    started.map(({ status }) => status),
    ['fulfilled', 'fulfilled'],
  );
  for (const { baseUrl, apiKey } of servers) {
    const { status } = await fetch(`${baseUrl}/v1/user`, { headers: { authorization: apiKey } });
    assert.equal(status, 200);
  }
  const files = readdirSync(folder).filter((name) => name.startsWith('first-run'));
  assert.deepEqual(files, ['first-run.json']);
});
