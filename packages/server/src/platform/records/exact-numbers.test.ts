import assert from 'node:assert/strict';
import { sql } from 'kysely';
import { openRaw } from '../../../../../test/support/raw-records.ts';
import { testOnNoRecords, testOnRecords } from '../../../../../test/support/records.ts';
import { exactMax } from './bound-numbers.ts';
import { statementsOf } from './columns.ts';
import { migrations } from './migrations/index.ts';
import { numberColumns } from './number-checks.ts';
import type { Records } from './records.ts';

const inexact = [
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  exactMax + 1,
  -exactMax - 1,
  1e300,
];

testOnRecords(
  'a number that cannot be read back is refused where it is bound, and nothing of its transaction is stored',
  async ({ open }) => {
    const records = await open();
    const topics = () => records.read.selectFrom('changes').select('topic').execute();
    for (const at of inexact) {
      const writing = records.transact(async (tx) => {
        await tx.insertInto('changes').values({ topic: 'beside', at: 1 }).execute();
        // Caught, and refused all the same.
        await tx
          .insertInto('changes')
          .values({ topic: 'poison', at })
          .execute()
          .catch(() => undefined);
      });
      await assert.rejects(writing, /A number for changes\.at is too large/, String(at));
      const change = records.transact((tx) => tx.updateTable('changes').set({ at }).execute());
      await assert.rejects(change, /A number for changes\.at is too large/);
      const read = records.read.selectFrom('changes').selectAll().where('at', '>', at).execute();
      await assert.rejects(read, /A number for changes\.at is too large/);
    }
    assert.deepEqual(await topics(), []);
    await records.transact((tx) =>
      tx
        .insertInto('changes')
        .values([
          { topic: 'most', at: exactMax },
          { topic: 'least', at: -exactMax },
        ])
        .execute(),
    );
    assert.equal((await topics()).length, 2);
  },
);

/** Values for the columns of a table, as SQL, that any column takes. */
async function plainRow({ read }: Records, table: string): Promise<Map<string, string>> {
  const found = (await read.introspection.getTables()).find(({ name }) => name === table);
  const columns = found?.columns.filter((column) => !column.isAutoIncrementing) ?? [];
  return new Map(columns.map(({ name, dataType }) => [name, /text/i.test(dataType) ? "'x'" : '1']));
}

const insertion = (table: string, row: Map<string, string>): string =>
  `insert into "${table}" (${[...row.keys()].map((name) => `"${name}"`)}) values (${[...row.values()]})`;

testOnNoRecords(
  'the schema refuses what cannot be read back in every column of numbers, also of later steps',
  async ({ open, dialect }) => {
    const later = {
      ...migrations,
      '9999-later': {
        up: async (db) => {
          const more =
            'create table later (id text not null, at bigint not null);\nalter table jobs add column more bigint';
          for (const statement of statementsOf(db, more)) await sql.raw(statement).execute(db);
        },
      },
    } satisfies typeof migrations;
    await (await open()).close();
    const records = await open({ migrations: later });
    const columns = await numberColumns(records.read as never);
    const declared = (await records.read.introspection.getTables()).flatMap(({ name, columns }) =>
      columns
        .filter(({ dataType, isAutoIncrementing }) => !isAutoIncrementing && !/text/i.test(dataType))
        .map((column) => `${name}.${column.name}`),
    );
    const found = new Set(columns.map(({ table, column }) => `${table}.${column}`));
    assert.deepEqual(
      declared.filter((name) => !found.has(name)),
      [],
    );
    assert.ok(
      columns.some(({ table }) => table === 'later') && columns.some(({ column }) => column === 'more'),
    );
    const refused =
      dialect === 'sqlite' ? /CHECK constraint failed/ : /violates check constraint|out of range/;
    for (const { table, column } of columns) {
      const row = await plainRow(records, table);
      for (const value of [`${exactMax + 1}`, `-${exactMax + 1}`]) {
        const statement = insertion(table, row.set(column, value));
        const writing = records.transact((tx) => sql.raw(statement).execute(tx));
        await assert.rejects(writing, refused, `${table}.${column}`);
      }
    }
  },
);

testOnNoRecords(
  'an update repairs numbers that cannot be read: null where that is allowed, else the nearest',
  async ({ open, settings }) => {
    const { '0012-exact-numbers': _, ...before } = migrations;
    const old = Object.fromEntries(Object.entries(before).filter(([name]) => name < '0012'));
    await (await open({ migrations: old })).close();
    const raw = await openRaw(settings);
    const job =
      'insert into jobs (id, kind, state, payload, attempts, attempts_max, queue_key, not_before, created_at, lease_until)';
    await raw.run(
      `${job} values ('poisoned', 'k', 'queued', '{}', 0, 1, '', 8640001795853720576, -8640001795853720576, 8640001795853720576)`,
    );
    await raw.run(`${job} values ('sound', 'k', 'queued', '{}', 0, 1, '', 5, 6, 7)`);
    await raw.close();
    const records = await open();
    const rows = await records.read
      .selectFrom('jobs')
      .select(['id', 'not_before', 'created_at', 'lease_until'])
      .orderBy('id')
      .execute();
    assert.deepEqual(rows, [
      { id: 'poisoned', not_before: exactMax, created_at: -exactMax, lease_until: null },
      { id: 'sound', not_before: 5, created_at: 6, lease_until: 7 },
    ]);
  },
);

testOnRecords(
  'a row with a number that another program wrote is read as the nearest one, and hides no other; a change runs once',
  async ({ open, settings }) => {
    const warnings: object[] = [];
    const log = {
      info: () => undefined,
      error: () => undefined,
      warn: (details: object) => warnings.push(details),
    };
    const records = await open({ log });
    await records.transact((tx) => tx.insertInto('changes').values({ topic: 'sound', at: 1 }).execute());
    const raw = await openRaw(settings);
    await raw.run(
      "insert into changes (topic, at) values ('high', 8640001795853720576), ('low', -8640001795853720576)",
    );
    await raw.close();
    const read = () => records.read.selectFrom('changes').select(['topic', 'at']).orderBy('seq').execute();
    const rows = [
      { topic: 'sound', at: 1 },
      { topic: 'high', at: exactMax },
      { topic: 'low', at: -exactMax },
    ];
    assert.deepEqual(await read(), rows);
    assert.ok(warnings.length > 0);
    const changed = await records.transact((tx) =>
      tx
        .updateTable('changes')
        .set(({ fn, val }) => ({ topic: fn<string>('replace', ['topic', val('h'), val('hh')]) }))
        .where('topic', '=', 'high')
        .returning(['topic', 'at'])
        .execute(),
    );
    assert.deepEqual(changed, [{ topic: 'hhighh', at: exactMax }]);
    assert.deepEqual(
      (await read()).map(({ topic }) => topic),
      ['sound', 'hhighh', 'low'],
    );
  },
);
