import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { commandLine } from '../support/command-line.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const patients = join(import.meta.dirname, '../../samples/data/fhir/Patient.ndjson');
let server: TestServer;
const { home, start, run, json, remove } = commandLine();

before(async () => {
  server = await startServer();
  await json('login', '--first-run', server.folder, '--address', server.baseUrl);
  await json('projects', 'create', 'Journey', '--use');
  await json('files', 'put', patients, '--ingest');
});

after(async () => {
  await server.stop();
  remove();
});

test('a dry run reports what a statement would read and return, and runs nothing', async () => {
  const sql = 'SELECT patient_id, count(*) AS n FROM patient GROUP BY 1';
  const before = await json('queries', 'ls');
  const dryRun = await run('query', sql, '--dry-run');
  assert.equal(dryRun.code, 0, dryRun.err);
  assert.match(
    dryRun.out,
    /^column +type\n.*\npatient_id +VARCHAR\nn +BIGINT\n(?:.*\n)*Tables: patient\nRows expected: \d+\n$/,
  );
  const { tables, masked, columns } = await json('query', sql, '--dry-run');
  assert.deepEqual([tables, masked, columns.length], [['patient'], false, 2]);
  const refused = await run('query', 'SELECT nothing FROM patient', '--dry-run');
  assert.equal(refused.code, 1);
  assert.match(refused.err, /nothing/);
  assert.deepEqual(await json('queries', 'ls'), before);
});

test('an administrator sees the own user, creates a group, adds members and deletes the group', async () => {
  const who = await json('whoami');
  assert.equal(who.user.profile.email, 'admin@localhost');
  assert.match((await run('whoami')).out, /^user {5}admin@localhost/);
  const group = await json('groups', 'add', 'Tumour board', '--description', 'Thursdays', '--open');
  assert.deepEqual([group.name, group.type], ['Tumour board', 'open']);
  assert.equal((await run('groups', 'add', 'tumour BOARD')).code, 1);
  const listed = await json('groups', 'ls', 'tum');
  assert.deepEqual(
    listed.map(({ id }: { id: string }) => id),
    [group.id],
  );
  const names = (people: { id: string }[]) => people.map(({ id }) => id);
  const joined = await json('groups', 'members', 'tumour board', '--add', 'admin@localhost');
  assert.deepEqual(names(joined), [who.user.id]);
  assert.match((await run('users', 'ls', 'admin@')).out, /\(owner\), Administrators, Tumour board/);
  const nobody = await run('groups', 'members', group.id, '--add', 'nobody@nowhere.test');
  assert.equal(nobody.code, 4);
  const grant = ['groups', 'grant', 'tumour board', 'readMaskedData'] as const;
  const granted = await json(...grant, '--project', 'Journey');
  assert.deepEqual(granted.warnings, []);
  assert.deepEqual(granted.groups, [{ id: group.id, name: 'Tumour board' }]);
  const misspelt = await run('groups', 'grant', 'tumour board', 'readMaskedDta');
  assert.match(misspelt.out, /Warning: .*Did you mean readMaskedData\?/);
  assert.equal((await run('groups', 'grant', 'tumour board', 'readMaskedDta', '--revoke')).code, 0);
  assert.equal((await run(...grant, '--project', 'Journey', '--revoke')).code, 0);
  assert.equal((await run(...grant, '--project', 'Journey', '--revoke')).code, 4);
  assert.deepEqual(await json('groups', 'members', group.id, '--remove', who.user.id), []);
  assert.equal((await run('groups', 'rm', 'Administrators')).code, 1);
  assert.equal((await run('groups', 'rm', 'Tumour board')).code, 0);
  assert.equal((await run('groups', 'members', 'Tumour board')).code, 4);
});

test('standard input and output carry bytes unchanged', async () => {
  const input = 'zero\u0000\nüñí\n';
  const { ended } = start(['files', 'put', '-', '--name', 'stdin.txt'], { input });
  assert.equal((await ended).code, 0);
  assert.equal((await run('files', 'get', 'stdin.txt')).out, input);
  assert.match((await run('files', 'put', '-', '--name', 'stdin.txt')).err, /--overwrite/);
  const again = start(['files', 'put', '-', '--name', 'stdin.txt', '--overwrite'], { input: 'new' });
  assert.equal((await again.ended).code, 0);
  assert.equal((await run('files', 'get', 'stdin.txt', home)).code, 0);
  assert.equal(readFileSync(join(home, 'stdin.txt'), 'utf8'), 'new');
  assert.equal((await run('files', 'rm', 'stdin.txt')).code, 0);
  assert.equal((await run('files', 'get', 'stdin.txt')).code, 4);
});

test('files are renamed, moved and looked at by folder', async () => {
  const input = 'moved';
  for (const name of ['tree/a.txt', 'tree/deep/b.txt', 'top.txt']) {
    assert.equal((await start(['files', 'put', '-', '--name', name], { input }).ended).code, 0);
  }
  const level = async (...words: string[]): Promise<string[]> =>
    (await json('files', 'ls', '--folder', ...words)).map(
      ({ type, name }: { type: string; name: string }) => `${type} ${name}`,
    );
  assert.deepEqual(await level('t'), ['FILE top.txt', 'FOLDER tree/']);
  assert.deepEqual(await level('tree/'), ['FILE tree/a.txt', 'FOLDER tree/deep/']);
  assert.match((await run('files', 'ls', '--folder', 'tree/')).out, /tree\/deep\//);
  assert.equal((await json('files', 'mv', 'top.txt', 'tree/deep/')).name, 'tree/deep/top.txt');
  assert.equal((await json('files', 'mv', 'tree/a.txt', 'tree/c.txt')).name, 'tree/c.txt');
  const taken = await run('files', 'mv', 'tree/c.txt', 'tree/deep/b.txt');
  assert.deepEqual([taken.code, /already exists/.test(taken.err)], [1, true]);
  const other = await json('projects', 'create', 'Other place');
  const moved = await json('files', 'mv', 'tree/c.txt', 'c.txt', '--to', 'other PLACE');
  assert.deepEqual([moved.datasetId, moved.name], [other.id, 'c.txt']);
  assert.equal((await run('files', 'get', 'c.txt', '--project', other.id)).out, input);
  assert.equal((await run('files', 'mv', moved.id)).code, 2);
  assert.equal((await run('files', 'mv', 'tree/c.txt', 'x')).code, 4);
});

test('a file that goes in parts arrives whole', async () => {
  const path = join(home, 'big.bin');
  writeFileSync(path, 'begins');
  truncateSync(path, 64 * 2 ** 20 + 17);
  appendFileSync(path, 'ends');
  const [put] = await json('files', 'put', path);
  const got = join(home, 'big-again.bin');
  assert.equal((await run('files', 'get', put.id, got)).code, 0);
  assert.ok(readFileSync(got).equals(readFileSync(path)));
  assert.match((await run('files', 'put', path)).err, /--overwrite/);
  writeFileSync(join(home, 'small.bin'), 'small');
  const again = ['files', 'put', join(home, 'small.bin'), '--name', 'big.bin', '--overwrite'];
  assert.equal((await run(...again)).code, 0);
  assert.equal((await run('files', 'get', put.id)).out, 'small');
});

test('Ctrl-C cancels the query that it waits for', async () => {
  const sql = 'SELECT count(*) FROM range(100000000000) t(i) WHERE i % 7 = 3';
  const before = (await json('queries', 'ls')).length;
  const { child, ended } = start(['query', sql]);
  await until(async () => (await json('queries', 'ls')).length > before, 'the query starts');
  child.kill('SIGINT');
  const { code, err } = await ended;
  assert.equal(code, 130);
  assert.match(err, /cancelled/);
  assert.equal((await json('queries', 'ls'))[0].state, 'cancelled');
});

test('each kind of failure has its exit code, and its message names the remedy', async () => {
  const cases: [number, RegExp, string[], Record<string, string>?][] = [
    [2, /unknown command/, ['nonsense']],
    [2, /Give a statement/, ['query']],
    [2, /--name/, ['files', 'put', '-']],
    [1, /no table "nope"/, ['query', 'SELECT * FROM nope']],
    [1, /already exists/, ['projects', 'create', 'journey']],
    [4, /no project "x"/, ['projects', 'show', 'x']],
    [4, /no table/, ['schema', 'nope']],
    [3, /key or sign-in/, ['projects', 'ls'], { PLOIDY_API_KEY: 'wrong' }],
    [
      5,
      /Check that the service runs/,
      ['projects', 'ls'],
      { PLOIDY_ADDRESS: 'http://127.0.0.1:9', PLOIDY_API_KEY: 'k' },
    ],
    [3, /not signed in at/, ['projects', 'ls'], { PLOIDY_ADDRESS: 'http://127.0.0.1:9' }],
    [2, /not the address/, ['projects', 'ls'], { PLOIDY_ADDRESS: 'localhost', PLOIDY_API_KEY: 'k' }],
  ];
  for (const [code, message, words, env] of cases) {
    const ended = await start(words, env ? { env } : {}).ended;
    assert.equal(ended.code, code, `${words.join(' ')}: ${ended.err}`);
    assert.match(ended.err, message);
    assert.equal(ended.out, '');
  }
});

test('a broken input ends the ingestion with its line and a code for scripts', async () => {
  const path = join(home, 'bad.ndjson');
  writeFileSync(path, '{"resourceType":"Patient","id":"a"}\n{"resourceType":\n');
  await json('files', 'put', path);
  const { code, out, err } = await run('ingest', 'bad.ndjson');
  assert.equal(code, 1);
  assert.match(out, /failed/);
  assert.match(out, /line 2/);
  assert.match(err, /bad\.ndjson/);
});

test('a webhook is made, tried, disabled and enabled, gets a new secret, and is deleted', async () => {
  const made = await json('webhooks', 'create', 'Pipeline', 'https://receiver.invalid/', '-e', 'ehr.deleted');
  assert.match(made.secret, /^whsec_/);
  const tried = await run('webhooks', 'test', 'pipeline');
  assert.equal(tried.code, 1);
  assert.match(tried.err, /name is not known/);
  const [delivery] = await json('webhooks', 'deliveries', made.id);
  assert.deepEqual([delivery.state, delivery.attempts], ['failed', 1]);
  assert.equal((await run('webhooks', 'replay', 'Pipeline', delivery.id)).code, 1);
  assert.equal((await json('webhooks', 'disable', 'Pipeline')).state, 'disabled');
  assert.equal((await json('webhooks', 'enable', 'Pipeline')).state, 'active');
  const renewed = await json('webhooks', 'secret', 'Pipeline');
  assert.notEqual(renewed.secret, made.secret);
  assert.equal(
    (await run('webhooks', 'create', 'Wrong', 'https://receiver.invalid/', '-e', 'made.up')).code,
    1,
  );
  assert.deepEqual(
    (await json('webhooks', 'ls')).map(({ name }: { name: string }) => name),
    ['Pipeline'],
  );
  assert.equal((await run('webhooks', 'rm', 'Pipeline')).code, 0);
  assert.equal((await run('webhooks', 'test', 'Pipeline')).code, 4);
});

test('an invitation is sent, sent again and revoked; another is accepted', async () => {
  const sent = await json('invitations', 'send', 'jane@example.org', '--group', 'subjects');
  assert.deepEqual([sent.status, sent.email, sent.groupName], ['AWAITING', 'jane@example.org', 'Subjects']);
  assert.equal((await run('invitations', 'send', 'jane@example.org', '-g', 'nobodies')).code, 4);
  const resent = await run('invitations', 'resend', sent.id);
  assert.equal(resent.out, 'The e-mail to jane@example.org was sent again.\n');
  assert.equal((await run('invitations', 'accept', sent.id)).code, 1, 'the invitation is for another user');
  assert.equal((await json('invitations', 'revoke', sent.id)).status, 'REVOKED');
  const own = await json('invitations', 'send', 'admin@localhost');
  assert.equal((await json('invitations', 'ls')).length, 1);
  assert.equal((await json('invitations', 'accept', own.id)).status, 'ACCEPTED');
  for (const which of ['--sent', '--all']) assert.equal((await json('invitations', 'ls', which)).length, 2);
});
