import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { pgbouncerSkip, startPooler } from '../../../../../../test/support/pgbouncer.ts';
import { postgresSkip, startPrepared } from '../../../../../../test/support/postgres.ts';
import { silent } from '../../../../../../test/support/records.ts';
import { until } from '../../../../../../test/support/until.ts';
import { openRecords } from '../open.ts';
import type { Records } from '../records.ts';

async function through(
  mode: 'session' | 'transaction',
  body: (open: () => Promise<Records>) => Promise<void>,
): Promise<void> {
  const database = await startPrepared();
  const pooler = await startPooler(database.url, mode);
  try {
    await body(() => openRecords({ folder: '', databaseUrl: pooler.url, connectionsMax: 4, log: silent }));
  } finally {
    await pooler.stop();
    await database.stop();
  }
}

const skip = postgresSkip || pgbouncerSkip;

test('a pooler by session carries announcements, and its connections have their limits', { skip }, () =>
  through('session', async (open) => {
    const [speaker, hearer] = [await open(), await open()];
    const heard: string[] = [];
    hearer.onChange('', (topic) => heard.push(topic));
    await speaker.transact((tx) => speaker.announce(tx, 'moved'));
    await until(() => heard.includes('moved'), 'the announcement arrives');
    const shown = await sql<{ limit: string; readOnly: string }>`
      select current_setting('statement_timeout') as limit, current_setting('default_transaction_read_only') as "readOnly"
    `.execute(speaker.read);
    assert.deepEqual({ ...shown.rows[0] }, { limit: '30s', readOnly: 'on' });
    await speaker.close();
    await hearer.close();
  }),
);

test('a pooler by transaction is refused, because rights would change unheard', { skip }, () =>
  through('transaction', async (open) => {
    await assert.rejects(open(), /shares connections by transaction/);
  }),
);
