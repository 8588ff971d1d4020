import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeApp } from '../../../../../test/support/app.ts';

describeApp(
  'files for clients with an account header of their own',
  (app) => {
    test('a file asked for under an account alias is its metadata, under the specified header its bytes', async () => {
      const { body } = await app.call('POST', '/v1/projects', { body: { name: 'Alias' } });
      const id = await app.put(body.id, 'a.txt', 'bytes');
      const read = (header: string, query = '') =>
        fetch(`${app.address}/v1/files/${id}${query}`, {
          headers: { authorization: app.key, [header]: app.account },
        });
      const { name, size } = (await (await read('x-tenant')).json()) as { name: string; size: number };
      assert.deepEqual([name, size], ['a.txt', 5]);
      assert.equal(await (await read('service-account')).text(), 'bytes');
      assert.equal(
        await (await read('x-tenant', '?include=')).text(),
        'bytes',
        'asked for by an empty include',
      );
    });
  },
  { PLOIDY_ACCOUNT_HEADERS: 'X-Tenant' },
);
