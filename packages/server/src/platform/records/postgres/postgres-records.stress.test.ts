import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import pg from 'pg';
import { postgresSkip, withDatabase } from '../../../../../../test/support/postgres.ts';
import type { RecordsFixture } from '../../../../../../test/support/records.ts';
import { onPostgres } from '../../../../../../test/support/records.ts';
import { until } from '../../../../../../test/support/until.ts';
import { openLog } from '../../log/log.ts';
import { isUnavailable } from '../errors.ts';
import { type Migration, migrations } from '../migrations/index.ts';
import { openRecords } from '../open.ts';
import type { Records } from '../records.ts';
import { listenerName } from './listener.ts';

const announce = (records: Records, topic: string) => records.transact((tx) => records.announce(tx, topic));

function testOnPostgres(name: string, body: (fixture: RecordsFixture) => Promise<void>): void {
  test(name, { skip: postgresSkip }, () => onPostgres(body, 'empty'));
}

/** Runs a statement from outside of the database under test; `$database` is replaced by its name. */
async function fromOutside({ settings }: RecordsFixture, statement: string): Promise<number> {
  const url = new URL(settings.databaseUrl ?? '');
  const database = url.pathname.slice(1);
  url.pathname = '/postgres';
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  const { rowCount } = await client.query(statement.replaceAll('$database', database));
  await client.end();
  return rowCount ?? 0;
}

/** Ends connections of the service, as a restart or a lost network would. */
const terminate = (fixture: RecordsFixture, where: string) =>
  fromOutside(
    fixture,
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '$database' and ${where}`,
  );

const succeeds = (promise: Promise<unknown>) =>
  promise.then(
    () => true,
    () => false,
  );

testOnPostgres('announcements during a lost connection are delivered when it is back', async (fixture) => {
  const [speaker, hearer] = [await fixture.open(), await fixture.open()];
  const heard: string[] = [];
  hearer.onChange('', (topic) => heard.push(topic));
  await announce(speaker, 'before');
  await until(() => heard.length === 1, 'the first is reported');
  const said = ['before'];
  for (let round = 0; round < 5; round += 1) {
    assert.ok((await terminate(fixture, `application_name = '${listenerName}'`)) > 0);
    for (let number = 0; number < 4; number += 1) {
      const topic = `round ${round}, ${number}`;
      said.push(topic);
      await announce(speaker, topic);
    }
    await until(() => heard.length >= said.length, `round ${round} is reported`);
    await until(() => succeeds(hearer.check()), 'it hears again');
    await until(() => succeeds(speaker.check()), 'so does the other');
  }
  assert.deepEqual([...heard].sort(), [...said].sort(), 'each once');
});

testOnPostgres('a process that cannot receive changes reports that it is not ready', async (fixture) => {
  const records = await fixture.open();
  await records.check();
  await fromOutside(fixture, 'alter database $database allow_connections false');
  await terminate(fixture, `application_name = '${listenerName}'`);
  await until(async () => !(await succeeds(records.check())), 'it is not ready');
  await announce(records, 'still writes');
  await fromOutside(fixture, 'alter database $database allow_connections true');
  await until(() => succeeds(records.check()), 'it is ready again');
});

testOnPostgres(
  'while a process cannot receive changes, nothing that it keeps is trusted',
  async (fixture) => {
    const [speaker, hearer] = [await fixture.open(), await fixture.open()];
    const heard: string[] = [];
    hearer.onChange('key:', (topic) => heard.push(topic));
    // Its connection stays open for what is announced below.
    await announce(speaker, 'other:before');
    hearer.catchUp();
    assert.equal(heard.length, 0, 'while it hears, it is reported what has changed and no more');
    await fromOutside(fixture, 'alter database $database allow_connections false');
    await terminate(fixture, `application_name = '${listenerName}'`);
    await until(async () => !(await succeeds(hearer.check())), 'it cannot hear');
    await announce(speaker, 'key:revoked');
    for (const _request of [1, 2]) hearer.catchUp();
    assert.deepEqual(heard, ['key:', 'key:'], 'at each request, for the next change is not heard either');
    await fromOutside(fixture, 'alter database $database allow_connections true');
    await until(() => heard.includes('key:revoked'), 'it hears what it missed');
    await until(() => succeeds(hearer.check()), 'it is ready again');
    heard.length = 0;
    hearer.catchUp();
    assert.deepEqual(heard, []);
  },
);

testOnPostgres('a database without logins is unavailable, whatever the reason', async (fixture) => {
  const records = await fixture.open();
  const refusal = () =>
    records.read
      .selectFrom('changes')
      .select('seq')
      .execute()
      .then(
        () => undefined,
        (error: unknown) => error,
      );
  await fromOutside(fixture, 'alter database $database allow_connections false');
  await terminate(fixture, `application_name = 'ploidy'`);
  await until(async () => String(await refusal()).includes('not currently accepting'), 'it is refused');
  assert.equal(isUnavailable(await refusal()), true);
  await fromOutside(fixture, 'alter database $database allow_connections true');
  await until(async () => (await refusal()) === undefined, 'it is let in again');
});

testOnPostgres(
  'a database that is read-only makes it not ready, and writes continue when it accepts them again',
  async (fixture) => {
    const records = await fixture.open();
    await fromOutside(fixture, 'alter database $database set default_transaction_read_only = on');
    await terminate(fixture, `application_name = 'ploidy'`);
    await until(
      () =>
        announce(records, 'refused').then(
          () => false,
          (error: unknown) => isUnavailable(error) && String(error).includes('read-only'),
        ),
      'a write is refused for a while',
    );
    assert.equal(await succeeds(records.check()), false);
    await records.read.selectFrom('changes').select('seq').execute();
    await fromOutside(fixture, 'alter database $database reset default_transaction_read_only');
    await until(() => succeeds(announce(records, 'taken')), 'it is taken');
    await until(() => succeeds(records.check()), 'it is ready again');
  },
);

for (const table of ['users (id int)', 'schema_migrations (version text)'])
  testOnPostgres(
    `a database with the table ${table} of something else is refused with what to do`,
    async (fixture) => {
      const client = new pg.Client({ connectionString: fixture.settings.databaseUrl });
      await client.connect();
      await client.query(`drop schema public cascade; create schema public; create table ${table}`);
      await client.end();
      await assert.rejects(fixture.open(), /holds tables of something else.* a database of its own/);
    },
  );

testOnPostgres('an unreachable database is reported with the name of its setting', async ({ settings }) => {
  const url = new URL(settings.databaseUrl ?? '');
  url.pathname = '/no_such_database';
  await assert.rejects(
    openRecords({ ...settings, databaseUrl: url.href, log: openLog('silent') }),
    (error: Error) => {
      assert.match(error.message, /PLOIDY_DATABASE_URL/);
      assert.match(String(error.cause), /"no_such_database" does not exist/);
      return true;
    },
  );
});

testOnPostgres('transactions that PostgreSQL gives up for another are run again', async (fixture) => {
  const records = await fixture.open();
  await records.transact(async (tx) => {
    for (const topic of ['a', 'b']) await tx.insertInto('changes').values({ topic, at: 0 }).execute();
  });
  // Each locks the two rows in the other order: a deadlock, in which PostgreSQL fails one of them.
  let met = 0;
  let runs = 0;
  const cross = (first: string, second: string) =>
    records.transact(async (tx) => {
      runs += 1;
      const mark = (topic: string) =>
        tx
          .updateTable('changes')
          .set(({ eb }) => ({ at: eb('at', '+', 1) }))
          .where('topic', '=', topic)
          .execute();
      await mark(first);
      met += 1;
      if (runs <= 2) await until(() => met >= 2, 'both hold one row');
      await mark(second);
    });
  await Promise.all([cross('a', 'b'), cross('b', 'a')]);
  assert.equal(runs, 3);
  const rows = await records.read.selectFrom('changes').select('at').execute();
  assert.deepEqual(rows, [{ at: 2 }, { at: 2 }]);
});

testOnPostgres(
  'a connection lost inside a transaction rejects that transaction and nothing else',
  async (fixture) => {
    const records = await fixture.open();
    await assert.rejects(
      records.transact(async (tx) => {
        await tx.insertInto('changes').values({ topic: 'lost', at: 0 }).execute();
        const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx);
        await terminate(fixture, `pid = ${Number(rows[0]?.pid)}`);
        await tx.insertInto('changes').values({ topic: 'lost too', at: 0 }).execute();
      }),
      (error) => isUnavailable(error),
    );
    const elsewhere = Object.assign(new Error('mail'), { code: 'ECONNRESET' });
    assert.equal(isUnavailable(elsewhere), false, 'of another connection');
    await announce(records, 'kept');
    const rows = await records.read.selectFrom('changes').select('topic').execute();
    assert.deepEqual(rows, [{ topic: 'kept' }]);
  },
);

testOnPostgres('idle connections that break are replaced', async (fixture) => {
  const records = await fixture.open();
  await Promise.all(Array.from({ length: 10 }, (_, number) => announce(records, `x${number}`)));
  await terminate(fixture, "application_name = 'ploidy'");
  await until(() => succeeds(announce(records, 'after')), 'it writes again');
});

testOnPostgres('a database in another encoding than UTF-8 is refused in a sentence', async (fixture) => {
  const name = `${new URL(fixture.settings.databaseUrl ?? '').pathname.slice(1)}_latin`;
  await fromOutside(fixture, `create database ${name} template template0 encoding 'LATIN1' locale 'C'`);
  const databaseUrl = withDatabase(fixture.settings.databaseUrl ?? '', name);
  try {
    await assert.rejects(
      openRecords({ ...fixture.settings, databaseUrl, log: openLog('silent') }),
      /in the encoding LATIN1: make one in UTF8/,
    );
  } finally {
    await fromOutside(fixture, `drop database ${name}`);
  }
});

testOnPostgres('a step that deadlocks with a process of an earlier version is repeated', async (fixture) => {
  await (await fixture.open()).close();
  const earlier = new pg.Client({ connectionString: fixture.settings.databaseUrl ?? '' });
  await earlier.connect();
  let tries = 0;
  const up: Migration['up'] = async (db) => {
    tries += 1;
    await sql`lock table jobs in access exclusive mode`.execute(db);
    // The other one began before, and ends once the step has given way.
    if (tries === 1)
      earlierEnds = earlier.query('lock table jobs in access share mode').then(() => earlier.query('commit'));
    await sql`lock table changes in access exclusive mode`.execute(db);
  };
  let earlierEnds: Promise<unknown> | undefined;
  // The one that notices the deadlock is aborted.
  await earlier.query(`begin; set local deadlock_timeout = '1h'; lock table changes in access share mode`);
  try {
    const records = await fixture.open({ migrations: { ...migrations, '9999-locks': { up } } });
    await earlierEnds;
    await records.close();
    assert.equal(tries, 2);
  } finally {
    await earlier.end();
  }
});
