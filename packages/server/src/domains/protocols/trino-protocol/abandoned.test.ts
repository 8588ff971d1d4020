import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeApp } from '../../../../../../test/support/app.ts';
import { TrinoClient } from '../../../../../../test/support/trino.ts';
import { until } from '../../../../../../test/support/until.ts';

const endless = 'SELECT count(*) FROM range(100000000) a(i), range(100000) b(j) WHERE hash(i + j) = 1';
const inSchema = { 'x-trino-schema': 'trino_ends' };

describeApp(
  'ends of statements over the Trino protocol',
  (app) => {
    let client: TrinoClient;

    before(async () => {
      await app.call('POST', '/v1/projects', { body: { name: 'Trino ends' } });
      client = new TrinoClient(app.address, app.key);
    });

    const running = () =>
      app.people.records.read
        .selectFrom('jobs')
        .select('id')
        .where('kind', '=', 'lake.statement')
        .where('state', '=', 'running')
        .execute();

    test('a statement ends when its client cancels it, or its time is over', async () => {
      const uri = await client.send(endless, inSchema);
      assert.equal((await client.ask(uri, 'DELETE')).status, 204);
      assert.equal((await client.read(uri)).error.errorName, 'USER_CANCELED');
      const id = (await client.send(endless, inSchema)).split('/').at(-2) ?? '';
      assert.equal((await client.ask(`${app.address}/v1/query/${id}`, 'DELETE')).status, 204);
      const killed = (await client.send(endless, inSchema)).split('/').at(-2);
      const call = await client.run(
        `CALL system.runtime.kill_query(query_id => '${killed}', message => 'x')`,
      );
      assert.deepEqual([call.error, call.rows], [undefined, [[true]]]);
      const limited = await client.run(endless, { ...inSchema, 'x-trino-session': 'query_max_run_time=1s' });
      assert.equal(limited.error.errorName, 'EXCEEDED_TIME_LIMIT');
      await until(async () => (await running()).length === 0, 'no run is left');
    });

    test('a statement without polls is cancelled, and its results are removed', async () => {
      await client.send(endless, inSchema);
      await client.run('SELECT 1', inSchema);
      const { read } = app.people.records;
      const left = () => read.selectFrom('trino_statements').select(['id']).execute();
      await until(async () => (await left()).length === 0, 'nothing is kept');
      assert.equal((await running()).length, 0);
    });
  },
  {},
  { statementWaitMs: 10_000, statementKeptMs: 1000 },
);
