import assert from 'node:assert/strict';
import { request } from 'node:http';
import { connect } from 'node:net';
import { test } from 'node:test';
import { describeApp } from '../../../../test/support/app.ts';

describeApp(
  'conventions of every endpoint',
  (app) => {
    test('every error has the same shape, and the request id in the header too', async () => {
      const reply = await app.call('GET', '/v1/projects/unknown');
      assert.equal(reply.status, 404);
      assert.deepEqual(Object.keys(reply.body), ['error', 'code', 'requestId']);
      assert.equal(reply.headers.get('x-request-id'), reply.body.requestId);
    });

    test('a valid request id of the client is kept, an invalid one is not', async () => {
      const kept = await app.call('GET', '/healthz', { headers: { 'x-request-id': 'trace-12345' } });
      assert.equal(kept.headers.get('x-request-id'), 'trace-12345');
      const made = await app.call('GET', '/healthz', { headers: { 'x-request-id': 'a b<script>' } });
      assert.match(made.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/);
    });

    test('all errors of an input are reported at once, each with its path', async () => {
      const body = { name: '', datasetId: 7, contentMD5: 'x' };
      const reply = await app.call('POST', '/v1/files', { body });
      assert.equal(reply.status, 400);
      const paths = reply.body.details.map((detail: { path: string }) => detail.path).sort();
      assert.deepEqual([...new Set(paths)], ['body/contentMD5', 'body/datasetId', 'body/name']);
    });

    test('an error is reported once, in words, with the allowed values', async () => {
      const reported = async (method: string, path: string, body?: object) =>
        (await app.call(method, path, { body })).body.details;
      assert.deepEqual(await reported('GET', '/v1/files/x?include=foo'), [
        { path: 'query/include', message: 'must be one of downloadUrl, metadata, ""' },
      ]);
      assert.deepEqual(await reported('POST', '/v1/projects', {}), [
        { path: 'body/name', message: 'is missing' },
      ]);
      const [{ message }] = await reported('PUT', '/v1/account/groups/x', { name: 'x' });
      assert.match(message, /^does not fit: .*UUID/);
    });

    test('empty words and booleans of a query count as absent; an empty text does not', async () => {
      const { id } = (await app.call('POST', '/v1/projects', { body: { name: 'Empty choices' } })).body;
      for (const query of ['orderBy=', `datasetId=${id}&orderBy=`])
        assert.equal((await app.call('GET', `/v1/files?${query}`)).status, 200, query);
      assert.equal((await app.call('GET', '/v1/files?datasetId=')).status, 400);
      assert.equal((await app.call('DELETE', `/v1/projects/${id}?force=`)).status, 204);
      assert.ok((await app.call('GET', `/v1/projects/${id}`)).body.deletionDate);
    });

    test('a number in a path has one spelling', async () => {
      const part = (number: string) => app.call('GET', `/v1/uploads/unknown/parts/${number}`);
      assert.equal((await part('10')).status, 404);
      for (const number of ['x', '01', '1e3', '1.0', '0x1', '+1', '%201', '1%0A', 'true']) {
        const { status, body } = await part(number);
        assert.deepEqual(
          [status, body.details],
          [400, [{ path: 'params/number', message: 'must be a whole number' }]],
          number,
        );
      }
    });

    // asvs: 15.3.5
    test('JSON types are not coerced, query parameters are parsed', async () => {
      assert.equal((await app.call('POST', '/v1/projects', { body: { name: 5 } })).status, 400);
      for (const pageSize of ['10', '010'])
        assert.equal((await app.call('GET', `/v1/projects?pageSize=${pageSize}`)).status, 200);
      for (const pageSize of [
        '0',
        '-1',
        '1001',
        'x',
        '1.5',
        '',
        '0x10',
        '1e2',
        '%201',
        '1%0A',
        '+1',
        '1.0',
      ]) {
        const reply = await app.call('GET', `/v1/projects?pageSize=${pageSize}`);
        assert.equal(reply.status, 400, `pageSize=${pageSize}`);
        assert.equal(reply.body.details[0].path, 'query/pageSize');
      }
    });

    test('credentials are checked before everything else', async () => {
      for (const authorization of [undefined, '', 'Bearer', 'Basic abc', 'x'.repeat(9000), 'a.b.c']) {
        const options = { key: authorization, account: undefined, body: '{broken' };
        const reply = await app.call('POST', '/v1/projects', options);
        assert.equal(reply.status, 401);
        assert.match(reply.headers.get('www-authenticate') ?? '', /^Bearer/);
      }
    });

    test('an invalid token is reported as such; a missing or misplaced one has no reason', async () => {
      const challengeOf = async (key?: string, headers?: Record<string, string>) => {
        const reply = await app.call('GET', '/v1/accounts', {
          key,
          account: undefined,
          ...(headers && { headers }),
        });
        assert.equal(reply.status, 401);
        return reply.headers.get('www-authenticate');
      };
      const reported = 'Bearer realm="ploidy", error="invalid_token"';
      for (const key of ['a.b.c', 'Bearer a.b.c', `Bearer ${app.key}x`, 'x'.repeat(9000)])
        assert.equal(await challengeOf(key), reported, key.slice(0, 20));
      for (const key of [undefined, '', 'Bearer', 'Basic YTpi'])
        assert.equal(await challengeOf(key), 'Bearer realm="ploidy"', String(key));
      assert.equal(await challengeOf(undefined, { cookie: 'ploidy-session=wrong' }), 'Bearer realm="ploidy"');
    });

    test('a key works with and without the word Bearer', async () => {
      assert.equal((await app.call('GET', '/v1/accounts', { key: `Bearer ${app.key}` })).status, 200);
      assert.equal((await app.call('GET', '/v1/accounts', { key: `bearer ${app.key}` })).status, 200);
    });

    test('the account header is required as specified, under all its names', async () => {
      const without = await app.call('GET', '/v1/projects', { account: undefined });
      assert.equal(without.status, 400);
      assert.equal(without.body.code, 'ACCOUNT_HEADER_REQUIRED');
      const headers = { 'X-Tenant': app.account };
      assert.equal((await app.call('GET', '/v1/projects', { account: undefined, headers })).status, 200);
    });

    test('an account without membership of the caller looks like a missing one', async () => {
      const reply = await app.call('GET', '/v1/projects', { account: 'nowhere' });
      const unknown = await app.call('GET', '/v1/accounts/nowhere');
      assert.equal(reply.status, 404);
      assert.equal(withoutId(reply.text), withoutId(unknown.text));
    });

    test('an empty body with a content type counts as none', async () => {
      for (const type of ['application/json', 'application/x-www-form-urlencoded', 'text/plain']) {
        const headers = { 'content-type': type };
        assert.equal((await app.call('GET', '/v1/projects', { headers })).status, 200, type);
        assert.equal((await app.call('DELETE', '/v1/files/unknown', { headers })).status, 404, type);
      }
    });

    test('broken JSON is 400, another media type 415, a huge body 413', async () => {
      assert.equal((await app.call('POST', '/v1/projects', { body: '{"name":' })).body.code, 'INVALID_JSON');
      const headers = { 'content-type': 'text/csv' };
      assert.equal((await app.call('POST', '/v1/projects', { body: 'a,b', headers })).status, 415);
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      assert.equal((await app.call('POST', '/v1/projects', { body: 'name=x', headers: form })).status, 415);
      const huge = { name: 'x'.repeat(2_000_000) };
      assert.equal((await app.call('POST', '/v1/projects', { body: huge })).status, 413);
    });

    // asvs: 15.3.3
    test('unknown fields and parameters are ignored', async () => {
      const body = { name: 'Unknown fields', colour: 'red', id: 'mine' };
      const reply = await app.call('POST', '/v1/projects?x=1', { body });
      assert.equal(reply.status, 200);
      assert.notEqual(reply.body.id, 'mine');
    });

    test('another method on a known address is 405 with Allow', async () => {
      const reply = await app.call('PUT', '/v1/projects');
      assert.equal(reply.status, 405);
      assert.equal(reply.headers.get('allow'), 'GET, HEAD, POST');
    });

    test('an address with an empty segment is 404 on every route, before credentials', async () => {
      const { paths } = (await app.call('GET', '/docs/json')).body;
      const [general, fhir] = await Promise.all(
        ['/v1/nowhere', '/x/v1/fhir/x/nowhere/x/x'].map(async (path) =>
          withoutId((await app.call('GET', path)).text),
        ),
      );
      const without = { key: undefined, account: undefined };
      const wrong: string[] = [];
      for (const [path, methods] of Object.entries<object>(paths)) {
        const method = (Object.keys(methods)[0] ?? '').replace('x-update', 'put').toUpperCase();
        for (const [name] of path.matchAll(/\{\w+\}/g)) {
          const empty = path.replace(name, '').replace(/\{\w+\}/g, 'x');
          for (const options of [{}, without]) {
            const { status, text } = await app.call(method, empty, options);
            // Below the base of a project's resources, answers have the form of FHIR.
            const unknown = /^\/[^/]+\/v1\/fhir\/[^/]+\//.test(empty) ? fhir : general;
            // The base itself, to which resources are posted with and without the last slash.
            if (/^\/[^/]+\/v1\/fhir\/[^/]+\/$/.test(empty) && status === 405) continue;
            if (status !== 404 || withoutId(text) !== unknown)
              wrong.push(`${method} ${empty}: ${status} ${text}`);
          }
        }
      }
      assert.deepEqual(wrong, []);
      assert.equal((await fetch(`${app.address}/v1/projects/`, { method: 'HEAD' })).status, 404);
      const post = await app.call('POST', '/v1/projects/', { body: { name: 'x' } });
      assert.deepEqual([post.status, post.headers.get('allow')], [404, null]);
    });

    // asvs: 3.4.4, 3.4.5, 3.4.6, 14.2.2, 14.3.2
    test('every response has the security headers', async () => {
      for (const path of ['/healthz', '/v1/projects', '/v1/nowhere']) {
        const { headers } = await app.call('GET', path);
        assert.equal(headers.get('x-content-type-options'), 'nosniff');
        assert.equal(headers.get('x-frame-options'), 'DENY');
        assert.equal(headers.get('referrer-policy'), 'no-referrer');
        assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'/);
        assert.equal(headers.get('cache-control'), 'no-store');
      }
    });

    test('ids are UUIDs of version 7, which sort by time; times are UTC with milliseconds', async () => {
      const ids: string[] = [];
      for (const name of ['First', 'Second', 'Third'])
        ids.push((await app.call('POST', '/v1/projects', { body: { name } })).body.id);
      for (const id of ids)
        assert.match(id, /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
      assert.deepEqual(ids.toSorted(), ids);
      const key = await app.call('POST', '/v1/api-keys', { body: { name: 'Timed', expireInDays: 1 } });
      for (const time of [key.body.created, key.body.expires])
        assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, key.text);
    });

    test('a body nested deeper than a hundred levels is refused with its path', async () => {
      const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;
      const reported = async (levels: number): Promise<string> => {
        const policy = `{"rules":{"readData":[{"user.id":{"comparison":"equals","value":${nested(levels)}}}]}}`;
        return (await app.call('POST', '/v1/policies', { body: `{"name":"Deep","policy":${policy}}` })).text;
      };
      assert.match(await reported(100), /nested deeper than 100 levels/);
      assert.doesNotMatch(await reported(90), /nested deeper/);
    });

    test('a request without a Host, or with two, is refused in the shape of every error, and its connection ends', async () => {
      const { hostname, port } = new URL(app.address);
      const answerTo = async (lines: string[]) => {
        const socket = connect(Number(port), hostname).end([...lines, '', ''].join('\r\n'));
        const text = Buffer.concat(await socket.toArray()).toString();
        const [head = '', body = ''] = text.split('\r\n\r\n');
        return {
          status: Number(head.split(' ')[1]),
          head,
          body: body.startsWith('{') ? JSON.parse(body) : {},
        };
      };
      for (const hosts of [[], ['Host: a', 'Host: a'], ['Host: a', 'hOST: b']]) {
        const { status, head, body } = await answerTo(['GET /v1/projects HTTP/1.1', ...hosts]);
        assert.deepEqual([status, body.code], [400, 'MALFORMED'], hosts.join());
        assert.equal(/^x-request-id: (.*)$/im.exec(head)?.[1], body.requestId);
        assert.match(head, /^connection: close$/im);
      }
      assert.equal((await answerTo(['GET /healthz HTTP/1.0'])).status, 200, 'HTTP/1.0 knew no Host');
      assert.equal((await answerTo(['GET /healthz HTTP/1.1', 'Host: a', 'Connection: close'])).status, 200);
    });

    test('an expectation is met or refused in the shape of every error', async () => {
      const { hostname, port } = new URL(app.address);
      const expecting = (expect: string) =>
        new Promise<[number | undefined, string]>((resolve, reject) => {
          const sent = request({ hostname, port, path: '/healthz', headers: { expect } }, async (answer) =>
            resolve([answer.statusCode, Buffer.concat(await answer.toArray()).toString()]),
          );
          sent.on('error', reject).end();
        });
      assert.equal((await expecting('100-continue'))[0], 200);
      const [status, text] = await expecting('the impossible');
      assert.equal(status, 417);
      assert.deepEqual(Object.keys(JSON.parse(text)), ['error', 'code', 'requestId']);
    });

    /** Returns a body without its request id. */
    function withoutId(text: string): string {
      return text.replace(/"requestId":"[^"]*"/, '');
    }
  },
  { PLOIDY_ACCOUNT_HEADERS: 'X-Tenant' },
);
