import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { zstdCompressSync } from 'node:zlib';
import { describeApp } from '../../../../../../test/support/app.ts';
import { TrinoClient } from '../../../../../../test/support/trino.ts';
import { until } from '../../../../../../test/support/until.ts';

const ended = 6000;

describeApp(
  'careless and hostile clients of the Trino protocol',
  (app) => {
    let client: TrinoClient;

    before(() => {
      client = new TrinoClient(app.address, app.key);
    });

    const statements = () => app.people.records.read.selectFrom('trino_statements');

    test('a property whose name is no header is an error of the statement', async () => {
      for (const name of ['a\r\nb', 'ü', '☃', '', 'x'.repeat(300)]) {
        for (const sql of [`SET SESSION "${name}" = 1`, `RESET SESSION "${name}"`]) {
          const { error } = await client.run(sql);
          assert.match(error?.errorName, /^(?:INVALID_SESSION_PROPERTY|SYNTAX_ERROR)$/, sql);
        }
      }
      const { headers } = await client.run(`SET SESSION "a.b_c" = '1'`);
      assert.equal(headers.get('x-trino-set-session'), 'a.b_c=1');
    });

    // asvs: 1.3.3
    test('a property or prepared statement that no header can hold is refused', async () => {
      const random = Array.from({ length: 3000 }, () => `'${Math.random()}'`).join(',');
      for (const sql of [`PREPARE p FROM SELECT ${random}`, `SET SESSION a = '${'x'.repeat(20_000)}'`])
        assert.equal((await client.run(sql)).error?.errorName, 'NOT_SUPPORTED');
    });

    test('a text longer than the guard accepts is refused before it is read', async () => {
      const long = `SELECT ${'a.b,'.repeat(20_000)}1`;
      assert.equal((await client.run(long)).error?.errorName, 'QUERY_TEXT_TOO_LARGE');
      assert.equal((await client.run(`EXPLAIN ${long}`)).error?.errorName, 'QUERY_TEXT_TOO_LARGE');
    });

    test('only the prepared statement that is used is unpacked, and it has no more parameters than a statement may', async () => {
      const bomb = (sign: string) => `$zstd:${zstdCompressSync(sign.repeat(60_000)).toString('base64url')}`;
      const prepared = `p=${bomb('?')},q=${encodeURIComponent('SELECT ?')},r=$zstd:AAAA`;
      const session = { 'x-trino-prepared-statement': prepared };
      const parameters = await client.run('DESCRIBE INPUT p', session);
      assert.equal(parameters.error?.errorName, 'INVALID_PARAMETER_USAGE');
      assert.deepEqual((await client.run('EXECUTE q USING 7', session)).rows, [[7]]);
    });

    test('long answers about the catalogue are not in the records, and come in pages', async () => {
      const uri = await client.send("SELECT n, rpad('x', 1000, 'y') FROM (SELECT unnest(range(9000)) AS n)");
      const { answer, blob_key } = await statements()
        .select(['answer', 'blob_key'])
        .where('id', '=', uri.split('/').at(-2) ?? '')
        .executeTakeFirstOrThrow();
      assert.ok((answer?.length ?? 0) < 1000 && blob_key !== null);
      const { rows, pages, error } = await client.read(uri);
      assert.deepEqual([error, rows.length, rows.at(-1)?.[0]], [undefined, 9000, 8999]);
      assert.ok(pages > 2);
    });

    test('a user keeps a limited number of statements, and all that are over are removed at once', async () => {
      const row = await statements().selectAll().limit(1).executeTakeFirstOrThrow();
      const old = Array.from({ length: ended }, (_, at) => ({
        ...{ ...row, id: `old-${at}`, state: 'failed' as const, error: '{}', blob_key: null },
        asked_at: Date.now(),
      }));
      for (let at = 0; at < ended; at += 500)
        await app.people.records.transact((tx) =>
          tx
            .insertInto('trino_statements')
            .values(old.slice(at, at + 500))
            .execute(),
        );
      await assert.rejects(client.send('SELECT 1'), /^Error: 503: .*TOO_MANY_REQUESTS/);
      await app.people.records.transact((tx) =>
        tx.updateTable('trino_statements').set({ asked_at: 0 }).execute(),
      );
      await until(async () => (await statements().select('id').execute()).length === 0, 'all are removed');
      assert.deepEqual((await client.run('SELECT 1')).rows, [[1]]);
    });
  },
  {},
  { statementKeptMs: 300_000 },
);
