/** Access revoked between the headers and the body of a request, or before its answer. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { TestProject } from '../../../../../test/inputs/project.ts';
import { fhirText } from '../../../../../test/inputs/texts.ts';
import { describeApp } from '../../../../../test/support/app.ts';
import { until } from '../../../../../test/support/until.ts';
import { DirectRows } from '../../domains/queries/index.ts';

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

describeApp('rights that end while a statement runs', (app) => {
  /** Asks for rows as this person; `change` follows the run of the statement, before its answer. */
  async function rowsAround(context: TestContext, key: string, change: () => Promise<void>, query?: string) {
    const project = await TestProject.make(app.call, `Meanwhile ${context.name}`.slice(0, 60));
    await project.take('p.ndjson', fhirText('p', 3));
    const original = DirectRows.prototype.page;
    let ran = 0;
    context.mock.method(
      DirectRows.prototype,
      'page',
      async function (this: DirectRows, ...given: Parameters<DirectRows['page']>) {
        const [made] = await Promise.allSettled([original.apply(this, given)]);
        if (ran++ === 0) await change();
        if (made.status === 'rejected') throw made.reason;
        return made.value;
      },
    );
    const body = { query: query ?? 'SELECT patient_id FROM patient ORDER BY 1', datasetId: project.id };
    return app.call('POST', '/v1/analytics/data-lake/rows', { key, body });
  }
  const scratch = () => readdirSync(join(app.folder, 'blobs/scratch'));
  const revoking = async () => {
    const { key, id } = (await app.call('POST', '/v1/api-keys', { body: { name: 'short', expireInDays: 1 } }))
      .body;
    const revoke = async () => void (await app.call('DELETE', `/v1/api-keys/${id}`));
    return { key, revoke };
  };

  test('rows are not given to a key that was revoked meanwhile, and leave no file', async (context) => {
    const { key, revoke } = await revoking();
    const reply = await rowsAround(context, key, revoke);
    assert.equal(reply.status, 401, reply.text);
    assert.ok(!reply.text.includes('p-0'));
    await until(async () => scratch().length === 0, 'scratch is empty');
  });

  test('an error that names a value is not given to a key that was revoked meanwhile', async (context) => {
    const { key, revoke } = await revoking();
    const query = 'SELECT CAST(patient_id AS INTEGER) FROM patient';
    const reply = await rowsAround(context, key, revoke, query);
    assert.equal(reply.status, 401, reply.text);
    assert.ok(!reply.text.includes('p-'));
  });

  test('rows are not given to a reader whose right was withdrawn meanwhile', async (context) => {
    const person = await app.people.member(app.account, ['readData']);
    const reply = await rowsAround(context, person.key, () => app.people.withdraw(person));
    assert.equal(reply.status, 403, reply.text);
  });

  test('a reader whose rights became narrower meanwhile gets the rows of the narrower ones', async (context) => {
    const { key, userId } = await app.people.member(app.account, ['readData']);
    const rule = { 'user.id': { comparison: 'equals', value: userId } };
    const one = { ...rule, 'resource.subject': { comparison: 'equals', value: 'p-1' } };
    const narrow = async () => {
      await app.people.withdraw({ account: app.account, userId, key });
      const policy = { name: `One of ${userId}`, policy: { rules: { readData: [one], apiKeyUser: [rule] } } };
      assert.equal((await app.call('POST', '/v1/policies', { body: policy })).status, 200);
    };
    const reply = await rowsAround(context, key, narrow);
    assert.deepEqual([reply.status, reply.body.rows], [200, [['p-1']]]);
  });

  test('rows are given while rights that concern others change', async (context) => {
    const other = await app.people.member(app.account, ['readData']);
    const { key } = await app.people.member(app.account, ['readData']);
    const reply = await rowsAround(context, key, () => app.people.withdraw(other));
    assert.deepEqual([reply.status, reply.body.rows], [200, [['p-0'], ['p-1'], ['p-2']]]);
  });
});
