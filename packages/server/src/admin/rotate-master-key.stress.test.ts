import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { sql } from 'kysely';
import { openTestApp, type TestApp } from '../../../../test/support/app.ts';
import { postgresSkip, startPostgres } from '../../../../test/support/postgres.ts';
import { cleanEnvironment } from '../../../../test/support/server.ts';
import { until } from '../../../../test/support/until.ts';
import { createApp } from '../app/app.ts';
import { closeCore, openCore } from '../app/core.ts';
import { sealedValues } from '../app/maintenance/sealed-values.ts';
import { newId } from '../base/ids.ts';
import { readConfig } from '../config/config.ts';
import { SecondFactors } from '../domains/authentication/sign-in/second-factor/index.ts';
import { openLog } from '../platform/log/log.ts';
import type { Records } from '../platform/records/index.ts';
import { beginKeyChange, secretsFrom } from '../platform/secrets/index.ts';
import { rotateMasterKey } from './rotate-master-key.ts';

const log = openLog('silent');
const ploidy = join(import.meta.dirname, '../../../../bin/ploidy.js');
const keyFile = (app: TestApp) => join(app.folder, 'secrets', 'master.key');

for (const dialect of ['sqlite', 'postgres'] as const) {
  const skip = dialect === 'postgres' ? postgresSkip : false;

  // asvs: 11.2.2, 13.3.1
  test(`a change of the master key seals every value with the new one (${dialect})`, {
    skip,
  }, async (context) => {
    const app = await open(context, dialect);
    const ehr = await sealSomething(app);
    const config = readConfig(app.settings);
    await assert.rejects(rotateMasterKey(config, false), /running/);
    await app.app.stop();
    const old = readFileSync(keyFile(app), 'utf8');
    const { renewed } = await rotateMasterKey(config, false);
    assert.ok(renewed >= 8, String(renewed));
    const [first = '', derive, ...more] = readFileSync(keyFile(app), 'utf8').trimEnd().split('\n');
    assert.deepEqual([derive, more], [`derive: ${old.trim()}`, []]);
    const core = await openCore(config, log);
    const values = await sealedOf(core.records);
    await closeCore(core);
    assert.ok(values.length >= 8);
    for (const { column, value, key } of values) {
      const opens = (secret: string) => column.renew(secretsFrom(Buffer.from(secret, 'base64')), value, key);
      assert.equal(opens(first), value, `${column.table}.${column.column}`);
      assert.throws(() => opens(old), `${column.table}.${column.column}`);
    }
    const again = await createApp(config, log);
    try {
      const { baseUrl } = await again.start();
      const headers = { authorization: app.key, 'service-account': app.account };
      const answer = await fetch(`${baseUrl}/v1/ehrs/${ehr}`, { headers });
      assert.equal(Reflect.get(Object(await answer.json()), 'apiSecret'), 'a secret of the ehr');
    } finally {
      await again.stop();
    }
  });
}

test('a killed change of the master key leaves values readable, and the next one finishes it', async (context) => {
  const app = await open(context, 'sqlite');
  await sealSomething(app);
  await app.app.stop();
  const config = readConfig(app.settings);
  for (let round = 0; round < 2; round += 1) {
    const env = { ...cleanEnvironment(), ...app.settings };
    const child = spawn(process.execPath, [ploidy, 'admin', 'rotate-key'], { env, stdio: 'ignore' });
    const ended = once(child, 'exit');
    const isBegun = () => readFileSync(keyFile(app), 'utf8').includes('older') || child.exitCode !== null;
    await until(isBegun, 'the change has begun');
    child.kill('SIGKILL');
    await ended;
    const core = await openCore(config, log);
    for (const { column, value, key } of await sealedOf(core.records)) column.renew(core.secrets, value, key);
    await closeCore(core);
  }
  await rotateMasterKey(config, false);
  assert.doesNotMatch(readFileSync(keyFile(app), 'utf8'), /older/);
});

test('--derived changes derived keys too and removes the old key', async (context) => {
  const app = await open(context, 'sqlite');
  await app.app.stop();
  const config = readConfig(app.settings);
  const old = readFileSync(keyFile(app), 'utf8').trim();
  await rotateMasterKey(config, true);
  const text = readFileSync(keyFile(app), 'utf8');
  assert.ok(!text.includes(old) && text.trim().split('\n').length === 1);
});

test('an interrupted change resumes with or without --derived, as it started', async (context) => {
  const app = await open(context, 'sqlite');
  await sealSomething(app);
  await app.app.stop();
  const config = readConfig(app.settings);
  const lines = () => readFileSync(keyFile(app), 'utf8').trim().split('\n');
  const [stolen = ''] = lines();
  beginKeyChange(keyFile(app), false);
  const [begun = ''] = lines();
  await rotateMasterKey(config, true);
  assert.equal(lines().length, 1);
  assert.ok(![stolen, begun].includes(lines()[0] ?? ''), 'it may have been stolen as well');
  beginKeyChange(keyFile(app), true);
  const [next = ''] = lines();
  await rotateMasterKey(config, false);
  assert.deepEqual(lines(), [next]);
  const core = await openCore(config, log);
  for (const { column, value, key } of await sealedOf(core.records)) column.renew(core.secrets, value, key);
  await closeCore(core);
});

test('a value that no key opens stops the change and keeps the old key', async (context) => {
  const app = await open(context, 'sqlite');
  await sealSomething(app);
  await app.people.records.transact((tx) =>
    tx.updateTable('ehrs').set({ api_key_sealed: 'broken' }).execute(),
  );
  await app.app.stop();
  await assert.rejects(
    rotateMasterKey(readConfig(app.settings), false),
    /ehrs\.api_key_sealed.*cannot be opened/,
  );
  assert.match(readFileSync(keyFile(app), 'utf8'), /older: /);
});

test('a change of the key covers every column named as sealed', async (context) => {
  const app = await open(context, 'sqlite');
  const { rows } = await sql<{ name: string }>`
    select m.name || '.' || c.name as name from sqlite_master m join pragma_table_info(m.name) c
    where m.type = 'table' and c.name like '%sealed%'
  `.execute(app.people.records.read);
  const reached = sealedValues.map(({ table, column }) => `${table}.${column}`);
  assert.deepEqual(
    rows.map(({ name }) => name).filter((name) => !reached.includes(name)),
    [],
  );
});

async function open(context: TestContext, dialect: 'sqlite' | 'postgres'): Promise<TestApp> {
  const database = dialect === 'postgres' ? await startPostgres() : undefined;
  const app = await openTestApp(database ? { PLOIDY_DATABASE_URL: database.url } : {});
  context.after(async () => {
    await app.stop().catch(() => undefined);
    await database?.stop();
  });
  return app;
}

/** Seals a value of every kind through requests; returns the id of an EHR system. */
async function sealSomething(app: TestApp): Promise<string> {
  const body = {
    name: 'Sealed',
    apiBaseUrl: 'https://ehr.example/fhir',
    apiKey: 'a key of the ehr',
    apiSecret: 'a secret of the ehr',
  };
  const made = await app.call('POST', '/v1/ehrs', { body, headers: { 'idempotency-key': 'sealed' } });
  assert.equal(made.status, 201, made.text);
  for (const path of ['/v1/oauth/jwks', '/v1/saml/metadata?encryption=true'])
    assert.equal((await app.call('GET', path)).status, 200, path);
  const core = await openCore(readConfig(app.settings), log);
  const userId = newId();
  const factors = new SecondFactors(core.records, core.secrets);
  await core.records.transact(async (tx) => {
    const row = {
      user_id: userId,
      secret_sealed: core.secrets.seal('JBSWY3DPEHPK3PXP', `second-factor:${userId}`),
      used_step: 0,
      created_at: Date.now(),
    };
    await tx.insertInto('second_factors').values(row).execute();
  });
  assert.ok(await factors.isOn(userId));
  await closeCore(core);
  return made.body.id;
}

async function sealedOf(records: Records) {
  const found = [];
  for (const column of sealedValues) {
    if (column.table === 'jobs') continue;
    const { rows } = await sql<{ key: string; value: string }>`
      select ${sql.ref(column.key)} as key, ${sql.ref(column.column)} as value from ${sql.table(column.table)}
      where ${sql.ref(column.column)} is not null
    `.execute(records.read);
    found.push(...rows.map((row) => ({ column, ...row })));
  }
  return found;
}
