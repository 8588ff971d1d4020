/** Access revoked between the headers and the body of a request. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { describeApp } from '../../../../../test/support/app.ts';
import { until } from '../../../../../test/support/until.ts';

describeApp('rights that end while a body arrives', (app) => {
  /** Sends a request without the end of its body; returns the function that sends it, and the response. */
  const begin = (key: string, path: string, fields: object) => {
    const body = JSON.stringify(fields);
    const head = [`POST ${path} HTTP/1.1`, `Content-Length: ${body.length}`];
    return beginWith(key, head, body.slice(0, 5), body.slice(5));
  };
  const beginWith = async (key: string, [line = '', length = '']: string[], first: string, rest: string) => {
    const { hostname, port } = new URL(app.address);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.write(
      [
        line,
        'Host: x',
        'Connection: close',
        `Authorization: ${key}`,
        `Service-Account: ${app.account}`,
        'Content-Type: application/json',
        length,
        '',
        first,
      ].join('\r\n'),
    );
    // A response to a later request proves that the headers were processed.
    await app.call('GET', '/v1/projects');
    await delay(50);
    return async () => {
      let answer = '';
      socket.on('data', (chunk) => {
        answer += String(chunk);
      });
      socket.write(rest);
      await once(socket, 'close');
      return Number(answer.split(' ')[1]);
    };
  };
  const isShutOut = (key: string) =>
    until(async () => (await app.call('GET', '/v1/projects', { key })).status !== 200, 'the key is refused');

  test('a key revoked while the body of its request arrives has no effect', async () => {
    const made = await app.call('POST', '/v1/api-keys', { body: { name: 'slow', expireInDays: 1 } });
    const name = 'After the revocation';
    const end = await begin(made.body.key, '/v1/projects', { name });
    await app.call('DELETE', `/v1/api-keys/${made.body.id}`);
    await isShutOut(made.body.key);
    assert.equal(await end(), 401);
    const { text } = await app.call('GET', '/v1/projects');
    assert.ok(!text.includes(name));
  });

  test('a key revoked before an empty body ends has no effect', async () => {
    const project = (await app.call('POST', '/v1/projects', { body: { name: 'Stays' } })).body.id;
    const made = await app.call('POST', '/v1/api-keys', { body: { name: 'empty', expireInDays: 1 } });
    const head = [`DELETE /v1/projects/${project}?force=true HTTP/1.1`, 'Transfer-Encoding: chunked'];
    const end = await beginWith(made.body.key, head, '', '0\r\n\r\n');
    await app.call('DELETE', `/v1/api-keys/${made.body.id}`);
    await isShutOut(made.body.key);
    assert.equal(await end(), 401);
    assert.equal((await app.call('GET', `/v1/projects/${project}`)).status, 200);
  });

  test('a right withdrawn while the body arrives is not applied', async () => {
    const person = await app.people.member(app.account, ['projectAdmin']);
    const end = await begin(person.key, '/v1/projects', { name: 'After the withdrawal' });
    await app.people.withdraw(person);
    await isShutOut(person.key);
    assert.equal(await end(), 403);
  });

  test('a request with a slow body succeeds while its key is valid', async () => {
    const end = await begin(app.key, '/v1/projects', { name: 'Slow and allowed' });
    assert.equal(await end(), 200);
  });
});
