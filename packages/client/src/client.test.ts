import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PloidyClient } from './client.ts';
import { ClientError } from './client-error.ts';
import { readRows, withExactNumbers } from './rows.ts';
import { breakOff, json, scriptedServer, type Turn } from './scripted-server.fixture.ts';

const project = { id: 'p', name: 'P' };
const busy = json(503, { error: 'Later.', code: 'UNAVAILABLE', requestId: 'r' }, { 'retry-after': '0' });
const failsWith = (fields: Partial<ClientError>) => (error: unknown) => {
  assert.ok(error instanceof ClientError);
  for (const [name, value] of Object.entries(fields)) {
    assert.deepEqual(error[name as keyof ClientError], value);
  }
  return true;
};

const clientOf = (address: string) => new PloidyClient({ address, apiKey: 'key', account: 'main' });

test('a create whose connection breaks is repeated with the same Idempotency-Key', async () => {
  await using server = await scriptedServer(breakOff, busy, json(200, project));
  assert.deepEqual(await clientOf(server.address).createProject('P'), project);
  const keys = server.seen.map(({ headers }) => headers['idempotency-key']);
  assert.equal(keys.length, 3);
  assert.equal(new Set(keys).size, 1);
  assert.ok(keys[0]);
});

test('a repetition waits for the first attempt when that is still being worked on', async () => {
  const stillBusy = json(409, { error: 'Not finished.', code: 'IDEMPOTENCY_KEY_BUSY', requestId: 'r' });
  await using server = await scriptedServer(breakOff, stillBusy, json(200, project));
  assert.deepEqual(await clientOf(server.address).createProject('P'), project);
});

test('an operation by its name sends path, query and body, and resolves to the answer', async () => {
  await using server = await scriptedServer(
    json(200, project),
    json(200, { items: [], links: {} }),
    json(204, undefined),
  );
  const { operations } = clientOf(server.address);
  assert.deepEqual(await operations.updateProject({ path: { id: 'p' }, body: { name: 'P' } }), project);
  assert.deepEqual((await operations.listProjects({ query: { pageSize: 5 } })).items, []);
  assert.equal(await operations.deleteFile({ path: { id: 'f' } }), undefined);
  assert.deepEqual(
    server.seen.map(({ method, url }) => `${method} ${url}`),
    ['PATCH /v1/projects/p', 'GET /v1/projects?pageSize=5', 'DELETE /v1/files/f'],
  );
});

test('a deletion is never repeated', async () => {
  await using server = await scriptedServer(breakOff);
  const params = { path: { id: 'f' } };
  const deletion = clientOf(server.address).api.DELETE('/v1/files/{id}', { params });
  await assert.rejects(deletion, failsWith({ status: 0, code: 'UNREACHABLE' }));
  assert.equal(server.seen.length, 1);
});

test('an error of the service keeps its status, code, request id and details', async () => {
  const details = [{ path: 'body/name', message: 'is too long' }];
  await using server = await scriptedServer(json(400, { error: 'No.', code: 'X', requestId: 'r', details }));
  const made = clientOf(server.address).createProject('P');
  await assert.rejects(made, failsWith({ message: 'No.', status: 400, code: 'X', requestId: 'r', details }));
});

test('a server other than Ploidy is recognised, whatever it answers', async () => {
  const answers: [number, string, string][] = [
    [200, 'text/html', '<html></html>'],
    [502, 'text/html', '<html></html>'],
    [404, 'application/json', 'null'],
    [500, 'application/json', '{"error":{}}'],
  ];
  for (const [status, type, body] of answers) {
    const turn: Turn = (_request, response) => response.writeHead(status, { 'content-type': type }).end(body);
    await using server = await scriptedServer(turn);
    const schemas = clientOf(server.address).schemas('p');
    await assert.rejects(schemas, failsWith({ status, code: 'FOREIGN_ANSWER' }));
  }
});

test('an address is taken with and without /v1, and refused when it is none', () => {
  for (const address of ['http://h:1', 'http://h:1/', 'http://h:1/v1', ' http://h:1/api/v1/ ']) {
    assert.equal(clientOf(address).origin, 'http://h:1');
  }
  assert.equal(clientOf('https://h/ploidy/v1').origin, 'https://h/ploidy');
  for (const address of ['h:1', 'file:///x', 'http://', 'http:///v1', '']) {
    assert.throws(() => clientOf(address), failsWith({ code: 'INVALID_ADDRESS' }));
  }
});

test('a list is followed to its last page', async () => {
  const page = (id: string, next?: string) =>
    json(200, { items: [{ ...project, id }], links: { self: '/v1/projects', ...(next && { next }) } });
  await using server = await scriptedServer(
    page('a', '/v1/projects?nextPageToken=t%2F1'),
    page('b', '/v1/projects?nextPageToken=t2'),
    page('c'),
  );
  const all = await Array.fromAsync(clientOf(server.address).projects());
  assert.deepEqual(
    all.map(({ id }) => id),
    ['a', 'b', 'c'],
  );
  assert.match(server.seen[1]?.url ?? '', /nextPageToken=t%2F1/);
});

test('waiting for a query outlasts a restart of the service', async () => {
  const running = json(200, { state: 'running' });
  const away = Array.from({ length: 7 }, () => breakOff);
  await using server = await scriptedServer(running, ...away, busy, json(200, { state: 'succeeded' }));
  const states: string[] = [];
  const ended = await clientOf(server.address).waitForQuery('q', {
    onState: ({ state }) => states.push(state),
  });
  assert.equal(ended.state, 'succeeded');
  assert.deepEqual(states, ['running', 'succeeded']);
});

test('waiting ends at once with the reason of the abort', async () => {
  await using server = await scriptedServer(json(200, { state: 'running' }));
  const controller = new AbortController();
  const reason = new Error('enough');
  const waiting = clientOf(server.address).waitForQuery('q', {
    signal: controller.signal,
    onState: () => controller.abort(reason),
  });
  await assert.rejects(waiting, reason);
});

test('a page of the service sends no key but the account chosen last, and opens the sign-in page on 401', async () => {
  const signedOut = json(401, { error: 'Sign in.', code: 'UNAUTHENTICATED', requestId: 'r' });
  await using server = await scriptedServer(json(200, { items: [], links: {} }), signedOut);
  let account = '';
  const left = Promise.withResolvers<void>();
  const { api } = new PloidyClient({
    address: server.address,
    account: () => account,
    onSignedOut: () => {
      left.resolve();
      return new Promise(() => undefined);
    },
  });
  await api.GET('/v1/projects');
  account = 'other';
  void api.GET('/v1/projects');
  await left.promise;
  const sent = server.seen.map(({ headers }) => [headers.authorization, headers['service-account']]);
  assert.deepEqual(sent, [
    [undefined, undefined],
    [undefined, 'other'],
  ]);
});

test('a request that was refused for want of a session is sent once more, with its body, after the sign-in', async () => {
  const signedOut = json(401, { error: 'Sign in.', code: 'UNAUTHENTICATED', requestId: 'r' });
  await using server = await scriptedServer(signedOut, json(200, { id: 'p' }));
  const { api } = new PloidyClient({
    address: server.address,
    account: 'main',
    onSignedOut: () => Promise.resolve(),
  });
  const { data } = await api.POST('/v1/projects', { body: { name: 'Study' } });
  assert.equal(data?.id, 'p');
  assert.deepEqual(
    server.seen.map(({ method, headers }) => [method, headers['content-type'], headers['service-account']]),
    [
      ['POST', 'application/json', 'main'],
      ['POST', 'application/json', 'main'],
    ],
  );
});

test('numbers that a double does not keep are strings where the language has no raw JSON', () => {
  const texts = ['9007199254740993', '0.10', '1e400', '-0'];
  const kept = ['0', '-12', '0.5', '1e+21', 'null', '"a 9007199254740993 \\" 0.10"'];
  assert.deepEqual(JSON.parse(withExactNumbers(`[${texts}]`)), texts);
  assert.equal(withExactNumbers(`{"1e400": [${kept}]}`), `{"1e400": [${kept}]}`);
});

test('digits of a page of rows are those of its text', () => {
  const text = '{"columns":[],"rows":[[9007199254740993,0.10,1e2]]}';
  assert.equal(JSON.stringify(readRows(text)), text);
});
