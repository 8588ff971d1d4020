import assert from 'node:assert/strict';
import { before, test } from 'node:test';
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
    const { key, userId } = await app.people.member(app.account, ['createData']);
    const policy = { rules: { [privilege]: [{ 'user.id': { comparison: 'equals', value: userId } }] } };
    const made = await app.call('POST', '/v1/policies', { body: { name: `${privilege} ${userId}`, policy } });
    const body = { query: 'SELECT 1 AS one', datasetId: project, outputFileName: `${userId}.csv` };
    const { queryId } = (await app.call('POST', path, { body, key })).body;
    const stateOf = async () => (await app.call('GET', `${path}/${queryId}`, { key })).body.state;
    await until(async () => (await stateOf()) === 'succeeded', 'the query ends');
    return {
      read: async () => (await app.call('GET', `/v1/files/${queryId}`, { key })).status,
      withdraw: () => app.call('DELETE', `/v1/policies/${made.body.id}`),
    };
  }

  test('a result of real values is read as long as its user may read real values', async () => {
    const { read, withdraw } = await resultOf('readData');
    assert.equal(await read(), 200);
    await withdraw();
    assert.equal(await read(), 403);
  });

  test('a result of masked values is read as long as its user may read masked values', async () => {
    const { read, withdraw } = await resultOf('readMaskedData');
    assert.equal(await read(), 200);
    await withdraw();
    assert.equal(await read(), 403);
  });
});
