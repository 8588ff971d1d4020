import assert from 'node:assert/strict';
import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { describeApp } from '../../../../../../test/support/app.ts';
import { routeCatalogue } from '../../../app/route-catalogue.ts';
import { readConfig } from '../../../config/config.ts';
import { newToken } from '../../../platform/secrets/secret-token.ts';
import { findToken, setUp, storeToken } from './index.ts';

describeApp('set-up', (app) => {
  const firstRun = () => JSON.parse(readFileSync(join(app.folder, 'first-run.json'), 'utf8'));
  const submit = (fields: Record<string, string>) =>
    fetch(`${app.address}/v1/set-up/password`, { method: 'POST', body: new URLSearchParams(fields) });

  // asvs: 6.3.2
  test('the first start writes its result for its owner only, with a key that works', async () => {
    assert.equal(statSync(join(app.folder, 'first-run.json')).mode & 0o777, 0o600);
    const names = ['baseUrl', 'account', 'user', 'apiKey', 'signInUrl', 'consoleUrl'];
    assert.deepEqual(Object.keys(firstRun()), names);
    const { body } = await app.call('GET', '/v1/accounts', { key: firstRun().apiKey });
    assert.equal(body.accounts[0].id, 'main');
  });

  test('a first start killed right after its commit loses nothing', async () => {
    const path = join(app.folder, 'first-run.json');
    const before = firstRun();
    const { read } = app.people.records;
    const { id } = await read
      .selectFrom('users')
      .select('id')
      .where('email', '=', before.user)
      .executeTakeFirstOrThrow();
    renameSync(path, `${path}.${id}`);
    writeFileSync(`${path}.of-another-that-was-slower`, '{}');
    const deps = { records: app.people.records, keys: undefined as never, audit: undefined as never };
    assert.equal(await setUp(deps, { dataFolder: app.folder, baseUrl: app.address }), undefined);
    assert.deepEqual(firstRun(), before);
  });

  // asvs: 6.4.1
  test('the link shows a page without script that cannot be framed, and is used up by the first password', async () => {
    const { signInUrl } = firstRun();
    const token = new URL(signInUrl).searchParams.get('token') ?? '';
    const shown = await fetch(signInUrl);
    const html = await shown.text();
    assert.equal(shown.status, 200);
    assert.match(html, /admin@localhost/);
    assert.doesNotMatch(html, /<script/);
    assert.match(shown.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/);
    assert.equal((await submit({ token, password: 'short', repeated: 'short' })).status, 400);
    const password = 'correct horse battery';
    assert.equal((await submit({ token, password, repeated: 'other than this' })).status, 400);
    const tries = await Promise.all(
      Array.from({ length: 5 }, () => submit({ token, password, repeated: password })),
    );
    assert.deepEqual(tries.map(({ status }) => status).sort(), [200, 403, 403, 403, 403]);
    assert.equal((await fetch(signInUrl)).status, 403);
    const row = await app.people.records.read
      .selectFrom('users')
      .select('password_hash')
      .where('email', '=', 'admin@localhost')
      .executeTakeFirstOrThrow();
    assert.match(row.password_hash ?? '', /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  test('opening any link by GET or HEAD neither uses it up nor signs a user in', async () => {
    const { records } = app.people;
    const linked = routeCatalogue(readConfig({ PLOIDY_DATA_DIR: app.folder })).filter(
      ({ method, query }) =>
        method === 'GET' && Object.hasOwn(Reflect.get(query ?? {}, 'properties') ?? {}, 'token'),
    );
    assert.ok(linked.length >= 3, 'password, invitation, console');
    const { id: subject } = await records.read
      .selectFrom('users')
      .select('id')
      .where('email', '=', 'admin@localhost')
      .executeTakeFirstOrThrow();
    for (const purpose of ['first-password', 'new-password', 'invitation', 'opening'] as const)
      for (const { path } of linked) {
        const token = newToken();
        await records.transact((tx) => storeToken(tx, token, { purpose, subject, lifeMs: 60_000 }));
        for (const method of ['HEAD', 'GET', 'GET']) {
          const reply = await fetch(`${app.address}${path}?token=${token}`, { method, redirect: 'manual' });
          assert.doesNotMatch(String(reply.headers.getSetCookie()), /session/, `${method} ${path}`);
        }
        const known = await findToken(records.read, token, purpose);
        assert.equal(known?.used, false, `${path} with a token of ${purpose}`);
      }
  });

  test('an unknown link is explained on a page, with its token escaped', async () => {
    const reply = await fetch(`${app.address}/v1/set-up/password?token=%22%3E%3Cscript%3E`);
    assert.equal(reply.status, 403);
    assert.doesNotMatch(await reply.text(), /<script>/);
  });
});
