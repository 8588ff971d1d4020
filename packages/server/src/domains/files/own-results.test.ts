import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { TestProject } from '../../../../../test/inputs/project.ts';
import { describeApp } from '../../../../../test/support/app.ts';
import { until } from '../../../../../test/support/until.ts';

describeApp('results of own queries', (app) => {
  const path = '/v1/analytics/data-lake/query';
  let project: string;

  before(async () => {
    project = (await app.call('POST', '/v1/projects', { body: { name: 'Results' } })).body.id;
  });

  /** Runs a query as a new user with a privilege; returns how to read its result, and how to take the privilege away. */
  async function resultOf(privilege: string) {
    const { key, userId } = await app.people.member(app.account, ['createData', 'updateData']);
    const policy = { rules: { [privilege]: [{ 'user.id': { comparison: 'equals', value: userId } }] } };
    const made = await app.call('POST', '/v1/policies', { body: { name: `${privilege} ${userId}`, policy } });
    const body = { query: 'SELECT 1 AS one', datasetId: project, outputFileName: `${userId}.csv` };
    const { queryId } = (await app.call('POST', path, { body, key })).body;
    const stateOf = async () => (await app.call('GET', `${path}/${queryId}`, { key })).body.state;
    await until(async () => (await stateOf()) === 'succeeded', 'the query ends');
    return {
      read: async () => (await app.call('GET', `/v1/files/${queryId}`, { key })).status,
      rename: async () => {
        const body = { name: `${userId} renamed.csv` };
        return (await app.call('PATCH', `/v1/files/${queryId}`, { body, key })).status;
      },
      withdraw: () => app.call('DELETE', `/v1/policies/${made.body.id}`),
    };
  }

  test('a result of real values is read as long as its user may read real values', async () => {
    const { read, withdraw } = await resultOf('readData');
    assert.equal(await read(), 200);
    await withdraw();
    assert.equal(await read(), 403);
  });

  test('a result is renamed by a user who may read it, whatever rights the user has to change files', async () => {
    const { rename, withdraw } = await resultOf('readData');
    assert.equal(await rename(), 200);
    await withdraw();
    assert.equal(await rename(), 403);
  });

  test('a result of masked values of an own table is read until the table is ingested with other masks', async () => {
    const own = await TestProject.make(app.call, 'Own table');
    const file = await own.upload('biobank.csv', 'patient_id,volume\np-0,111\np-1,222\n');
    const define = async (mask: string) => {
      const table = { name: 'biobank', columns: [{ name: 'volume', mask }] };
      assert.equal((await own.ingest(file, { type: 'table', table })).state, 'succeeded');
    };
    const { key } = await app.people.member(app.account, ['readMaskedData']);
    const theirs = own.as((method, path, options) => app.call(method, path, { key, ...options }));
    const read = async (id: string) => (await theirs.call('GET', `/v1/files/${id}`)).status;
    await define('none');
    const made = await theirs.endOfQuery(
      await theirs.startQuery('SELECT volume FROM biobank', 'volumes.csv'),
    );
    await define('none');
    assert.equal(await read(made.id), 200);
    await define('null');
    assert.equal(await read(made.id), 403);
    const masked = await theirs.endOfQuery(await theirs.startQuery('SELECT volume FROM biobank', 'none.csv'));
    assert.equal(await read(masked.id), 200);
    assert.equal((await own.call('DELETE', `/v1/files/${file}`)).status, 204);
    assert.equal((await theirs.call('GET', `${path}/${made.id}`)).body.rowCount, undefined);
  });

  test('a result of masked values is read as long as its user may read masked values', async () => {
    const { read, withdraw } = await resultOf('readMaskedData');
    assert.equal(await read(), 200);
    await withdraw();
    assert.equal(await read(), 403);
  });
});
