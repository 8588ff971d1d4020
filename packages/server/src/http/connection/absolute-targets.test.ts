import assert from 'node:assert/strict';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { describeApp } from '../../../../../test/support/app.ts';

describeApp('absolute request targets', (app) => {
  const ask = async (method: string, target: string, body = '', headers: Record<string, string> = {}) => {
    const answer = await new Promise<IncomingMessage>((done, fail) => {
      const credentials = { authorization: app.key, 'service-account': app.account };
      const length = { 'content-length': Buffer.byteLength(body) };
      const options = { method, path: target, headers: { ...credentials, ...length, ...headers } };
      request(app.address, options, done).on('error', fail).end(body);
    });
    return { status: answer.statusCode, headers: answer.headers, text: await text(answer) };
  };

  test('an unsupported method is refused with the supported ones', async () => {
    const { status, headers } = await ask('DELETE', 'http://ploidy.example/healthz');
    assert.deepEqual([status, headers.allow], [405, 'GET, HEAD']);
  });

  test('signed addresses are accepted', async () => {
    const { body: project } = await app.call('POST', '/v1/projects', { body: { name: 'Signed' } });
    const created = await app.call('POST', '/v1/files', { body: { name: 'a.txt', datasetId: project.id } });
    assert.equal((await ask('PUT', created.body.uploadUrl, 'bytes')).status, 200);
    const read = await ask('GET', `HTTPS://ploidy.example:8443/v1/files/${created.body.id}`);
    assert.equal(read.status, 200, read.text);
  });

  test('one idempotency key creates one resource in either form of the target', async () => {
    const headers = { 'idempotency-key': 'whole', 'content-type': 'application/json' };
    const make = (target: string) => ask('POST', target, '{"name":"Once"}', headers);
    const [first, second] = [await make('http://ploidy.example/v1/projects'), await make('/v1/projects')];
    assert.deepEqual([first.status, second.status, second.text], [200, 200, first.text]);
  });

  test('a URL without a path means the root, and its query is kept', async () => {
    const root = await ask('GET', '/?a=/v1');
    for (const target of ['http://ploidy.example', 'http://ploidy.example?a=/v1', 'http://ploidy.example/'])
      assert.equal((await ask('GET', target)).status, root.status, target);
    const listed = await ask('GET', 'http://ploidy.example/v1/projects?pageSize=0');
    assert.equal(listed.status, 400);
  });
});
