import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { connect } from 'node:net';
import { test } from 'node:test';
import { until } from '../support/until.ts';
import type { World } from './people.ts';
import type { Household } from './world.ts';

/** Hostile bytes, addresses and uploads never make the service fail; test/fuzz covers the values of every field. */
export function hostileTests(world: World): void {
  const call: Household['call'] = (...request) => world.victim.call(...request);

  /** Sends bytes as they are, on a connection of their own; returns the answer until it was closed. */
  function raw(bytes: string, ending: 'wait' | 'end' | 'destroy' = 'wait'): Promise<string> {
    const { hostname, port } = new URL(world.app.address);
    return new Promise((resolve) => {
      const socket = connect(Number(port), hostname);
      let text = '';
      socket.setEncoding('latin1');
      socket.on('data', (part) => {
        text += part;
      });
      socket.on('error', () => undefined);
      socket.on('close', () => resolve(text));
      socket.write(bytes, 'latin1', () => {
        if (ending === 'end') socket.end();
        if (ending === 'destroy') socket.destroy();
      });
    });
  }

  test('U+0000 and lone surrogates are refused in every position, with their place', async () => {
    for (const [method, path, body, place] of [
      ['POST', '/v1/projects', { name: 'x', description: 'a\u0000' }, 'body/description'],
      ['POST', '/v1/projects', { name: 'x\ud800' }, 'body/name'],
      ['GET', '/v1/projects?name=%00', undefined, 'query/name'],
      ['GET', '/v1/projects/%00', undefined, 'params/id'],
    ] as const) {
      const reply = await call(method, path, body && { body });
      assert.equal(reply.status, 400, path);
      assert.equal(reply.body.details[0].path, place);
    }
  });

  test('fields that a route does not name never reach it, however deep they are', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const body = `{"name":"Deep","x":${deep},"account":"other","id":"mine"}`;
    const headers = { 'idempotency-key': 'deep' };
    const reply = await call('POST', '/v1/projects', { body, headers });
    assert.equal(reply.status, 200);
    assert.notEqual(reply.body.id, 'mine');
    const samples = `{"datasetId":"x","fileId":"y","samples":[{"sampleId":"a","patientId":"b","x":${deep}}]}`;
    assert.equal((await call('POST', '/v1/ingestions', { body: samples })).status, 400);
    for (const text of ['{"__proto__":{"name":"x"}}', '{"constructor":{"prototype":{"name":"x"}}}']) {
      assert.equal((await call('POST', '/v1/projects', { body: text })).status, 400);
    }
  });

  test('addresses that the router cannot read get errors of ours', async () => {
    for (const [path, status] of [
      ['/v1/projects/%zz', 400],
      ['/v1/projects/%E0%A4%A', 400],
      [`/v1/projects/${'x'.repeat(3000)}`, 404],
      ['/v1/projects/%252e%252e', 404],
      ['/v1/%2e%2e/%2e%2e/etc/passwd', 404],
      ['/docs/static/..%2f..%2fpackage.json', 404],
      ['//v1/projects', 404],
      ['/V1/projects', 404],
    ] as const) {
      const reply = await world.app.call('GET', path);
      assert.equal(reply.status, status, path);
      assert.deepEqual(Object.keys(reply.body), ['error', 'code', 'requestId'], path);
      assert.equal(reply.headers.get('x-content-type-options'), 'nosniff', path);
      assert.ok(!reply.text.includes('x'.repeat(100)));
    }
  });

  test('bytes that are no request get an error of ours, and the connection is closed', async () => {
    const head = `Host: x\r\nAuthorization: ${world.victim.owner.key}\r\n`;
    for (const [bytes, status] of [
      ['garbage\r\n\r\n', 400],
      [
        `POST /v1/accounts HTTP/1.1\r\n${head}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
        400,
      ],
      [`POST /v1/accounts HTTP/1.1\r\n${head}Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef`, 400],
      [`POST /v1/accounts HTTP/1.1\r\n${head}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`, 400],
      [`POST /v1/accounts HTTP/1.1\r\n${head}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n`, 400],
      ['GET /healthz HTTP/1.1\nHost: x\n\n', 400],
      [`GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
      [`GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431],
    ] as const) {
      const text = await raw(bytes);
      assert.match(text, new RegExp(`^HTTP/1.1 ${status} `), bytes.slice(0, 60));
      const body = JSON.parse(text.slice(text.indexOf('\r\n\r\n')));
      assert.deepEqual(Object.keys(body), ['error', 'code', 'requestId']);
      assert.equal(text.match(/HTTP\/1\.1/g)?.length, 1);
    }
  });

  test('a media type is refused at once or returned as it was sent', async () => {
    const begin = (contentType: string) =>
      call('POST', '/v1/files', {
        body: { name: `typed ${Math.random()}`, datasetId: world.victim.ids.project, contentType },
      });
    for (const type of [
      `a/b${'; a=b'.repeat(48)}\u0001`,
      `a/b${' ; a='.repeat(48)}\u0001`,
      `a/b${';a='.repeat(80)}"`,
      'text/plain; charset=☃',
      'text/plain; x=\u007f',
      'text/plain\r\nX-Evil: 1',
      'text',
    ]) {
      assert.equal((await begin(type)).status, 400, JSON.stringify(type));
    }
    for (const type of ['text/plain; charset="utf-8"', 'a/b;c=d ; e="f;g"', "x!#$&'*+.^_`|~-/y+json"]) {
      const begun = await begin(type);
      assert.equal(begun.status, 200, begun.text);
      await fetch(begun.body.uploadUrl, { method: 'PUT', body: 'x' });
      const read = await call('GET', `/v1/files/${begun.body.id}`);
      assert.equal(read.headers.get('content-type'), type);
    }
  });

  test('an upload accepts any content type but a form; an interrupted one leaves nothing and counts as no failure', async () => {
    const upload = async (
      headers: string,
      body: string,
      ending: 'wait' | 'end' | 'destroy',
    ): Promise<number> => {
      const name = `upload ${Math.random()}`;
      const begun = await call('POST', '/v1/files', { body: { name, datasetId: world.victim.ids.project } });
      const { pathname, search } = new URL(begun.body.uploadUrl);
      const request = `PUT ${pathname}${search} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers}\r\n${body}`;
      await raw(request, ending);
      return (await call('GET', `/v1/files/${begun.body.id}?include=metadata`)).status;
    };
    for (const type of ['garbage', ';;;', '', '\xff', 'application/json']) {
      assert.equal(await upload(`Content-Type: ${type}\r\nContent-Length: 3\r\n`, 'abc', 'wait'), 200, type);
    }
    const broken: [string, string, 'wait' | 'end' | 'destroy'][] = [
      // A form is an envelope of the file.
      ['Content-Type: multipart/form-data\r\nContent-Length: 3\r\n', 'abc', 'wait'],
      ['Content-Length: 10\r\n', 'abc', 'end'],
      ['Content-Length: 10\r\n', 'abc', 'destroy'],
      ['Transfer-Encoding: chunked\r\n', '3\r\nabc\r\n', 'destroy'],
      ['Transfer-Encoding: chunked\r\n', '3\r\nabc\r\nzz\r\n', 'wait'],
    ];
    for (const one of broken) assert.equal(await upload(...one), 404, one.join());
    // Relations of studies stay for a while.
    const scratch = () =>
      globSync('blobs/scratch/*', { cwd: world.app.folder }).filter((name) => !name.endsWith('.parquet'));
    await until(() => scratch().length === 0, 'the end of broken uploads');
    const metrics = await world.app.call('GET', '/metrics');
    assert.ok(!/duration_seconds_count\{[^}]*status="5/.test(metrics.text), 'a 5xx was counted');
  });

  test('twenty uploads at once to one address leave one whole file', async () => {
    const begun = await call('POST', '/v1/files', {
      body: { name: 'at once', datasetId: world.victim.ids.project },
    });
    const texts = Array.from({ length: 20 }, (_, at) => String(at % 3).repeat(10_000));
    const put = (body: string) => fetch(begun.body.uploadUrl, { method: 'PUT', body });
    const replies = await Promise.all(texts.map(put));
    assert.deepEqual([...new Set(replies.map(({ status }) => status))], [200]);
    const read = await call('GET', `/v1/files/${begun.body.id}`);
    assert.ok(texts.includes(read.text));
  });
}
