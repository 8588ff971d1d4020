/** An administrator at the command line: who may do what, why, what a change would do, and what was done. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { commandLine } from '../support/command-line.ts';
import { startServer, type TestServer } from '../support/server.ts';

const { home, start, run, json, remove } = commandLine();
const document = join(home, 'readers.json');
const policy = { rules: { readData: [{ 'resource.dataset': { comparison: 'equals', value: 'p1' } }] } };
let server: TestServer;

before(async () => {
  server = await startServer();
  await json('login', '--first-run', server.folder, '--address', server.baseUrl);
  writeFileSync(document, JSON.stringify(policy));
});

after(async () => {
  await server.stop();
  remove();
});

test('a policy is tried, put, listed, read, renamed and removed', async () => {
  const tried = await run(
    'policies',
    'preview',
    '--put',
    `Readers=${document}`,
    '--rm',
    'Administrator Access',
  );
  assert.equal(tried.code, 0, tried.err);
  assert.match(tried.out, /^admin@localhost\n( {2}.*\n)*? {2}lost +auditRead/m);
  assert.match(tried.out, /1 of 1 members would be affected\.\nWarning: Only the owner/);
  assert.equal((await json('policies', 'ls', 'readers')).length, 0);
  const made = await json('policies', 'put', 'Readers', document);
  assert.deepEqual(made.policy, policy);
  assert.match((await run('policies', 'ls')).out, /Readers\s+readData/);
  assert.deepEqual(JSON.parse((await run('policies', 'get', 'readers')).out), policy);
  const piped = await start(['policies', 'put', 'Readers', '-', '--rename', 'All'], {
    input: '{"rules":{"readData":true}}',
  }).ended;
  assert.equal(piped.code, 0, piped.err);
  assert.deepEqual(await json('policies', 'get', 'All'), {
    id: made.id,
    name: 'All',
    policy: { rules: { readData: true } },
    groups: [],
  });
  assert.equal((await run('policies', 'rm', 'All')).code, 0);
  assert.equal((await run('policies', 'get', 'All')).code, 4);
});

test('a document with faults is refused with the place of each', async () => {
  const { code, err } = await start(['policies', 'put', 'Broken', '-'], {
    input: '{"rules":{"readData":[{}],"x":[]}}',
  }).ended;
  assert.equal(code, 1);
  assert.match(err, /policy\.rules\.readData\[0\]/);
  assert.match(err, /policy\.rules\.x/);
  assert.equal((await start(['policies', 'put', 'Broken', '-'], { input: '{' }).ended).code, 2);
  assert.equal((await run('policies', 'put', 'Broken')).code, 2);
  assert.equal((await run('policies', 'preview')).code, 2);
});

test('the command explains the reason, and shows the outcome', async () => {
  const why = await run('policies', 'explain', 'readData', '--type', 'file');
  assert.match(why.out, /^Allowed\.\n {2}allowed by policy Administrator Access, rule 1/);
  assert.equal((await json('policies', 'explain', 'readMaskedData')).allowed, false);
  assert.equal((await run('policies', 'explain', 'readData', '--user', 'nobody@x')).code, 4);
  const events = await json('audit', '--action', 'policies.', '--user', 'admin@localhost', '--limit', '2');
  assert.deepEqual(
    events.map(({ action }: { action: string }) => action),
    ['policies.delete', 'policies.update'],
  );
  assert.match((await run('audit', '--limit', '1')).out, /audit\.read\s+done/);
  assert.equal((await run('audit', '--from', 'yesterday')).code, 1);
  assert.equal((await run('audit', '--limit', '0')).code, 2);
});
