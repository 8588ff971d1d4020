/** Requests are decoded once, and methods that reflect them are refused. */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { test } from 'node:test';
import { describeApp } from '../../../../test/support/app.ts';

const twice = '100%25 %41 &amp; \\u0041 +';

describeApp('requests that are read once', (app) => {
  // asvs: 1.1.1
  test('text that looks encoded stays as it is, in bodies, paths and queries', async () => {
    const made = await app.call('POST', '/v1/projects', { body: { name: twice } });
    assert.equal(made.body.name, twice);
    const listed = await app.call('GET', `/v1/projects?name=${encodeURIComponent(twice)}`);
    assert.deepEqual(
      listed.body.items.map(({ name }: { name: string }) => name),
      [twice],
    );
    const rules = { readData: [{ 'user.id': { comparison: 'equals', value: twice } }] };
    const policy = await app.call('POST', '/v1/policies', { body: { name: twice, policy: { rules } } });
    assert.equal(policy.status, 200, policy.text);
    const found = await app.call('GET', `/v1/policies/${encodeURIComponent(twice)}`);
    assert.deepEqual([found.status, found.body.name, found.body.policy?.rules], [200, twice, rules]);
  });

  // asvs: 13.4.4
  test('TRACE and TRACK are refused and reflect nothing', async () => {
    const { hostname, port } = new URL(app.address);
    const ask = (method: string): Promise<[number, string]> =>
      new Promise((resolve, reject) => {
        const headers = { authorization: app.key, 'x-reflected': 'a-secret' };
        const sent = request({ hostname, port, method, path: '/v1/projects', headers, agent: false });
        sent.on('error', reject);
        sent.on('response', async (answer) => {
          const parts = await Array.fromAsync(answer as AsyncIterable<Buffer>);
          resolve([answer.statusCode ?? 0, Buffer.concat(parts).toString()]);
        });
        sent.end();
      });
    for (const method of ['TRACE', 'TRACK']) {
      const [status, text] = await ask(method);
      assert.ok([400, 405, 501].includes(status), `${method}: ${status}`);
      assert.ok(!text.includes('a-secret') && !text.includes(app.key), method);
    }
  });
});
