import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { describeApp, type Reply } from '../../../../../test/support/app.ts';

describeApp('bodies of requests', (app) => {
  const json = 'application/json';
  const form = 'application/x-www-form-urlencoded';

  const send = async (
    path: string,
    bytes: string | Uint8Array,
    headers: Record<string, string>,
  ): Promise<Pick<Reply, 'status' | 'body' | 'headers'>> => {
    const credentials = { authorization: app.key, 'service-account': app.account };
    const sent = { method: 'POST', headers: { ...credentials, ...headers }, body: bytes as never };
    const response = await fetch(`${app.address}${path}`, sent);
    return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
  };
  const project = (bytes: string | Uint8Array, headers: Record<string, string> = {}) =>
    send('/v1/projects', bytes, { 'content-type': json, ...headers });
  const named = (name: string) => JSON.stringify({ name });
  const token = (bytes: string | Uint8Array, type = form) =>
    send('/v1/oauth/token', bytes, { 'content-type': type });

  test('a JSON body that is not UTF-8 is refused with this reason, and nothing is stored', async () => {
    const before = (await app.call('GET', '/v1/projects?pageSize=1000')).body.items.length;
    const broken = ['ff', 'c3', 'c328', 'c0af', 'eda080', 'f4908080', 'e282'];
    for (const hex of broken) {
      const bytes = Buffer.concat([Buffer.from('{"name":"a'), Buffer.from(hex, 'hex'), Buffer.from('b"}')]);
      const { status, body } = await project(bytes);
      assert.deepEqual([status, body.code], [400, 'INVALID_JSON'], hex);
      assert.match(body.error, /UTF-8/, hex);
    }
    const utf16 = await project(Buffer.from(named('sixteen'), 'utf16le'));
    assert.deepEqual([utf16.status, utf16.body.code], [400, 'INVALID_JSON']);
    const after = (await app.call('GET', '/v1/projects?pageSize=1000')).body.items.length;
    assert.equal(after, before);
  });

  test('UTF-8 is stored as it was sent, also after a byte order mark', async () => {
    for (const name of ['Grüße', '漢字', '👩‍⚕️', 'a \ufffd that was sent']) {
      assert.equal((await project(named(name))).body.name, name);
    }
    assert.equal((await project(`\ufeff${named('Behind a mark')}`)).body.name, 'Behind a mark');
  });

  test('a key with escapes is read as it was meant, and one that needs them is refused', async () => {
    const { id } = (await app.call('GET', '/v1/user')).body;
    const put = (text: string) =>
      fetch(`${app.address}/v1/account/users/${id}/attributes`, {
        method: 'PUT',
        headers: { authorization: app.key, 'service-account': app.account, 'content-type': json },
        body: text,
      });
    const attributes = (key: string) => `{"customAttributes":{"site":"1","${key}":"2"}}`;
    const refused = await put(attributes('gr\\\\u0'));
    assert.deepEqual(
      [refused.status, JSON.parse(await refused.text()).error],
      [400, 'The body is refused: a key holds a quotation mark, a backslash or a control character.'],
    );
    const taken = await put(attributes('gr\\u00f6\\u00dfe'));
    assert.deepEqual(JSON.parse(await taken.text()).customAttributes, { site: '1', größe: '2' });
  });

  test('a charset other than UTF-8 is 415, UTF-8 is accepted in every spelling', async () => {
    const others = ['iso-8859-1', 'utf-16', '"UTF-16LE"', 'latin1', 'windows-1252', '""', 'x'];
    for (const charset of others) {
      const { status, body } = await project(named(charset), {
        'content-type': `${json}; charset=${charset}`,
      });
      assert.deepEqual([status, body.code], [415, 'UNSUPPORTED_MEDIA_TYPE'], charset);
      assert.match(body.error, /UTF-8/);
    }
    const same = ['utf-8', 'UTF-8', '"utf-8"', '"Utf-8"', 'utf8', 'us-ascii', 'utf-8; x=y'];
    for (const [at, charset] of same.entries()) {
      const type = { 'content-type': `${json};charset=${charset}` };
      assert.equal((await project(named(`Charset ${at}`), type)).status, 200, charset);
    }
    const upper = { 'content-type': 'Application/JSON; Charset=UTF-8' };
    assert.equal((await project(named('Upper case'), upper)).status, 200);
  });

  test('a query that is not UTF-8 is refused, without replacing letters', async () => {
    for (const query of ['name=%ff', 'x=1&name=a%c3', 'n%61me=%ff', 'name=%ed%a0%80', 'name=%c3x%a9']) {
      const { status, body } = await app.call('GET', `/v1/projects?${query}`);
      assert.deepEqual(
        [status, body.code, body.details],
        [400, 'INVALID_INPUT', [{ path: 'query/name', message: 'is not UTF-8' }]],
        query,
      );
    }
    for (const query of [
      'name=%c3%a9',
      'name=é',
      'name=100%25',
      'name=%F0%9F%A7%AC',
      'other=%ff',
      'n%ffame=a',
    ])
      assert.equal((await app.call('GET', `/v1/projects?${query}`)).status, 200, query);
    assert.equal((await fetch(`${app.address}/v1/projects?name=%ff`)).status, 401);
  });

  test('a form that is not UTF-8, plain or percent-encoded, is refused', async () => {
    for (const bytes of [
      Buffer.from('grant_type=\xff', 'latin1'),
      'grant_type=%FF',
      'grant_type=a%C3b',
      '%E2%82=x',
    ]) {
      const { status, body } = await token(bytes);
      assert.deepEqual([status, body.error], [400, 'invalid_request'], String(bytes));
      assert.match(body.error_description, /UTF-8/);
    }
    for (const whole of ['grant_type=%C3%BC', 'grant_type=%zz%', 'grant_type=ü', 'grant_type=%EF%BF%BD']) {
      assert.doesNotMatch((await token(whole)).body.error_description, /UTF-8/, whole);
    }
    const latin = await token('grant_type=x', `${form}; charset=iso-8859-1`);
    assert.deepEqual([latin.status, latin.body.error], [415, 'invalid_request']);
  });

  test('a form is not accepted as JSON, even with valid fields', async () => {
    const { status, body } = await token('{"grant_type":"authorization_code"}', json);
    assert.deepEqual([status, body.error], [415, 'invalid_request']);
    assert.match(body.error_description, /x-www-form-urlencoded/);
  });

  test('a body under a Content-Encoding is 415 with the name of the header, except identity', async () => {
    for (const encoding of ['gzip', 'GZIP', 'br', 'deflate', 'identity, gzip', 'x']) {
      const headers = { 'content-encoding': encoding };
      const { status, body, headers: answered } = await project(gzipSync(named(encoding)), headers);
      assert.deepEqual([status, body.code], [415, 'UNSUPPORTED_MEDIA_TYPE'], encoding);
      assert.match(body.error, /Content-Encoding/);
      assert.equal(answered.get('accept-encoding'), 'identity');
    }
    for (const [at, encoding] of ['identity', 'Identity'].entries())
      assert.equal((await project(named(`Plain ${at}`), { 'content-encoding': encoding })).status, 200);
    const empty = { 'content-encoding': 'gzip', 'content-type': json };
    assert.equal((await app.call('GET', '/v1/projects', { headers: empty })).status, 200);
  });

  test('a body that is too large is 413, whatever its contents', async () => {
    for (const fill of [0x20, 0xff]) {
      const reply = await project(Buffer.alloc(2_000_000, fill));
      assert.equal(reply.status, 413);
    }
  });

  test('more fields than any request has are refused before they are parsed', async () => {
    const fields = (count: number) => Array.from({ length: count }, (_, at) => `"k${at}" \n:1`).join();
    const reply = await project(`{"name":"p",${fields(50_000)}}`);
    assert.equal(reply.status, 400);
    assert.match(reply.body.details[0].message, /more than 50000 fields/);
    assert.equal((await project(`{"name":"Many fields",${fields(49_000)}}`)).status, 200);
  });

  // asvs: 15.3.6
  test('fields that pollute a prototype are refused by name, at any depth and in any spelling', async () => {
    const refused = [
      '{"name":"p","__proto__":1}',
      '{"name":"p","__proto__":{}}',
      '{"name":"p","x":[1,{"__proto__":null}]}',
      '{"name":"p","\\u005f_proto__":1}',
      '{"name":"q","constructor":{"prototype":1}}',
      '{"name":"q","a":{"constructor":{"prototype":{}}}}',
      `{"name":"q","a":${'['.repeat(50_000)}{"__proto__":1}${']'.repeat(50_000)}}`,
    ];
    for (const text of refused) {
      const { status, body } = await project(text);
      assert.deepEqual([status, body.code], [400, 'INVALID_INPUT'], text.slice(0, 100));
      assert.match(body.details[0].message, /"__proto__" or "constructor\.prototype"/);
    }
    const taken = ['"constructor":{"a":1}', '"constructor":null', '"prototype":1', '"x":"\\"__proto__\\":"'];
    for (const [at, field] of taken.entries())
      assert.equal((await project(`{"name":"Taken ${at}",${field}}`)).status, 200, field);
  });
});
