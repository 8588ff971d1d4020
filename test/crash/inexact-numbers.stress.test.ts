import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openRecords } from '../../packages/server/src/platform/records/index.ts';
import { migrations } from '../../packages/server/src/platform/records/migrations/index.ts';
import { openSecrets } from '../../packages/server/src/platform/secrets/index.ts';
import { postgresSkip, startPostgres } from '../support/postgres.ts';
import { openRaw } from '../support/raw-records.ts';
import { silent } from '../support/records.ts';
import { TrinoClient } from '../support/trino.ts';
import { until } from '../support/until.ts';
import { MortalService } from './mortal-service.ts';

const endless = 'SELECT count(*) FROM range(100000000) a(i), range(100000) b(j) WHERE hash(i + j) = 1';

async function onEachStore(work: (databaseUrl: string) => Promise<void>, isPostgres: boolean): Promise<void> {
  if (!isPostgres) return work('');
  const database = await startPostgres();
  try {
    await work(database.url);
  } finally {
    await database.stop();
  }
}

const urlOf = (databaseUrl: string): Record<string, string> =>
  databaseUrl === '' ? {} : { PLOIDY_DATABASE_URL: databaseUrl };

/** Kills a service after a request for a time beyond the range of clocks, or the longest one within. */
async function askAndDie(databaseUrl: string): Promise<void> {
  const service = await MortalService.start(urlOf(databaseUrl));
  try {
    await service.call('POST', '/v1/projects', { body: { name: 'Times' } });
    const { baseUrl, apiKey } = service.server;
    const client = new TrinoClient(baseUrl, apiKey);
    const session = (time: string) => ({ 'x-trino-schema': 'times', 'x-trino-session': time });
    for (const property of ['query_max_run_time', 'query_max_execution_time']) {
      const refused = await client.run('SELECT 1', session(`${property}=99999999999d`));
      assert.equal(refused.error.errorName, 'INVALID_SESSION_PROPERTY');
      await client.send(endless, session(`${property}=104249991d`));
    }
    const running = "select id from jobs where kind = 'lake.statement' and state = 'running'";
    await until(async () => (await service.rows(running)).length > 0, 'a statement runs');
    for (let death = 0; death < 2; death += 1) {
      await service.kill();
      await service.restart();
      assert.equal((await service.call('GET', '/readyz')).status, 200);
    }
  } finally {
    await service.end();
  }
}

/** Records that an earlier version left with a number that it could not read itself. */
async function startPoisoned(databaseUrl: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-poisoned-'));
  try {
    mkdirSync(join(folder, 'secrets'), { mode: 0o700 });
    openSecrets({ path: join(folder, 'secrets', 'master.key'), create: true });
    const earlier = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '0012'));
    await (await openRecords({ folder, databaseUrl, log: silent, migrations: earlier })).close();
    const raw = await openRaw({ folder, databaseUrl });
    await raw.run(`insert into trino_statements
      (id, user_id, query_text, statement, tables, masked, lake_version, state, progress, job_id, created_at, asked_at, deadline_at)
      values ('s', 'u', '', '', '[]', 0, 0, 'running', 0, 'j', 1, ${Date.now()}, 8640001795853720576)`);
    await raw.run(`insert into jobs
      (id, kind, state, payload, attempts, attempts_max, queue_key, not_before, created_at, owner, lease, lease_until)
      values ('j', 'lake.statement', 'running', '{"statementId":"s"}', 2, 2, '', 0, 1, 'gone', 'l', 5)`);
    await raw.close();
    const service = await MortalService.startIn(folder, urlOf(databaseUrl));
    try {
      // The run that was lost is no attempt: the job runs again, and its statement has no place to run.
      const ended = () =>
        service.rows(
          "select 1 from jobs join trino_statements s on s.job_id = jobs.id where jobs.ended_at is not null and s.state = 'failed'",
        );
      await until(async () => (await ended()).length > 0, 'its job has ended and its statement has failed');
      const [row] = await service.rows("select deadline_at from trino_statements where id = 's'");
      assert.equal(row?.['deadline_at'], null);
    } finally {
      await service.end();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

for (const isPostgres of [false, true]) {
  const store = isPostgres ? 'postgres' : 'sqlite';
  const skip = isPostgres && postgresSkip;
  test(`a service whose clients ask for immense times starts after each kill (${store})`, { skip }, () =>
    onEachStore(askAndDie, isPostgres),
  );
  test(`a service starts over records that an earlier version cannot read (${store})`, { skip }, () =>
    onEachStore(startPoisoned, isPostgres),
  );
}
