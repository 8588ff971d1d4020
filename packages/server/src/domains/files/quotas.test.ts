import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeApp } from '../../../../../test/support/app.ts';
import { until } from '../../../../../test/support/until.ts';

const limits = {
  PLOIDY_ACCOUNTS_PER_USER: '2',
  PLOIDY_PROJECTS_PER_ACCOUNT: '2',
  PLOIDY_ACCOUNT_BYTES: '1000',
  PLOIDY_RESULT_BYTES_PER_USER: '10',
};

describeApp(
  'quotas',
  (app) => {
    let project: string;

    before(async () => {
      project = (await app.call('POST', '/v1/projects', { body: { name: 'First' } })).body.id;
    });

    const begin = (path: string, body: object) =>
      app.call('POST', path, { body: { datasetId: project, ...body } });
    const codeOf = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code];

    const codeIn = (text: string) => JSON.parse(text).code;

    // asvs: 2.3.2, 2.3.4
    test('a user owns so many accounts, also when they are made at once', async () => {
      const made = await Promise.all(
        ['a', 'b', 'c', 'd'].map((id) => app.call('POST', '/v1/accounts', { body: { id, name: id } })),
      );
      const statuses = made.map(({ status }) => status).sort();
      assert.deepEqual(statuses, [200, 403, 403, 403]);
      assert.equal(made.find(({ status }) => status === 403)?.body.code, 'TOO_MANY_ACCOUNTS');
    });

    test('an account has so many projects', async () => {
      const make = (name: string) => app.call('POST', '/v1/projects', { body: { name } });
      assert.equal((await make('Second')).status, 200);
      assert.deepEqual(codeOf(await make('Third')), [403, 'TOO_MANY_PROJECTS']);
    });

    test('an account has so many bytes, announced or not, in one piece or in parts; deleting frees them', async () => {
      assert.deepEqual(codeOf(await begin('/v1/files', { name: 'large', size: 1001 })), [
        413,
        'ACCOUNT_FULL',
      ]);
      const first = await app.put(project, 'first', 'x'.repeat(600));
      const { body } = await begin('/v1/files', { name: 'second' });
      const sent = await fetch(body.uploadUrl, { method: 'PUT', body: 'x'.repeat(600) });
      assert.deepEqual([sent.status, codeIn(await sent.text())], [413, 'ACCOUNT_FULL']);
      const { uploadId } = (await begin('/v1/uploads', { name: 'third' })).body;
      const { uploadUrl } = (await app.call('GET', `/v1/uploads/${uploadId}/parts/1`)).body;
      const part = await fetch(uploadUrl, { method: 'PUT', body: 'x'.repeat(600) });
      assert.deepEqual([part.status, codeIn(await part.text())], [413, 'ACCOUNT_FULL']);
      assert.equal((await app.call('DELETE', `/v1/files/${first}`)).status, 204);
      const again = await fetch(body.uploadUrl, { method: 'PUT', body: 'x'.repeat(600) });
      assert.equal(again.status, 200);
    });

    test('a user keeps so many bytes of results, and deletes own ones without further rights', async () => {
      const reader = await app.people.member(app.account, ['readMaskedData']);
      const path = '/v1/analytics/data-lake/query';
      const ask = () =>
        app.call('POST', path, {
          body: { query: "SELECT 'a text of some length' AS t", datasetId: project, outputFileName: 'r.csv' },
          key: reader.key,
        });
      const { body } = await ask();
      const id = body.queryId;
      await until(async () => {
        const { state } = (await app.call('GET', `${path}/${id}`, { key: reader.key })).body;
        return state === 'succeeded';
      }, 'the query ends');
      assert.deepEqual(codeOf(await ask()), [413, 'RESULTS_FULL']);
      assert.equal((await app.call('DELETE', `/v1/files/${id}`, { key: reader.key })).status, 204);
      assert.equal((await ask()).status, 200);
    });
  },
  limits,
);
