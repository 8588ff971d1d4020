/** Configuration as a file: planned, applied, and applied again without an effect. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { commandLine } from '../support/command-line.ts';
import { startServer, type TestServer } from '../support/server.ts';

const { home, start, run, json, remove } = commandLine();
let server: TestServer;
const file = join(home, 'account.yaml');
const env = { NORTH_KEY: 'id of the service' };

const configuration = (description: string): string => `
projects:
  - name: Trial 7
    description: ${description}
groups:
  - name: Masked readers
policies:
  - name: Masked readers of Trial 7
    policy:
      rules:
        readMaskedData:
          - user.groups: { comparison: includes, value: { group: Masked readers } }
            resource.dataset: { comparison: equals, value: { project: Trial 7 } }
clients:
  - name: Portal
    callbackUrls: ['https://portal.example/back']
    allowedScopes: [openid, email]
ehrs:
  - name: North
    apiBaseUrl: https://fhir.north.example/r4
    apiAuthType: basic
    apiKey: { env: NORTH_KEY }
    apiSecret: { file: ${join(home, 'north-secret')} }
    schedule: { cron: '0 3 * * *', datasetId: { project: Trial 7 } }
`;

before(async () => {
  server = await startServer();
  await json('login', '--first-run', server.folder, '--address', server.baseUrl);
  writeFileSync(join(home, 'north-secret'), 'a secret\n');
});

after(async () => {
  await server.stop();
  remove();
});

async function apply(...more: string[]): Promise<[string, string, string[]][]> {
  const { code, out, err } = await start(['apply', '-f', file, '--json', ...more], { env }).ended;
  assert.equal(code, 0, err);
  return JSON.parse(out).map(({ kind, action, fields }: never) => [kind, action, fields]);
}

test('a plan names what would be made and makes nothing; applying makes it, and once', async () => {
  writeFileSync(file, configuration('First'));
  const all = ['projects', 'groups', 'policies', 'clients', 'ehrs'];
  const created = all.map((kind) => [kind, 'create', []]);
  assert.deepEqual(await apply('--plan'), created);
  assert.deepEqual(await json('projects', 'ls', 'Trial'), []);
  assert.deepEqual(await apply(), created);
  assert.deepEqual(
    await apply(),
    all.map((kind) => [kind, 'none', []]),
  );
  const [policy] = await json('policies', 'ls', 'Masked');
  const [group] = await json('groups', 'ls', 'Masked');
  assert.equal(policy.policy.rules.readMaskedData[0]['user.groups'].value, group.id);
});

test('only what differs is changed, and secrets are sent again when that is wanted', async () => {
  writeFileSync(file, configuration('Second'));
  const changed = (await apply()).filter(([, action]) => action !== 'none');
  assert.deepEqual(changed, [['projects', 'change', ['description']]]);
  const again = (await apply('--secrets')).filter(([, action]) => action !== 'none');
  assert.deepEqual(again, [['ehrs', 'change', ['apiKey', 'apiSecret']]]);
});

test('an unknown section, a missing variable and a broken file are refused before anything is changed', async () => {
  for (const [text, message] of [
    ['progects: []', /no section "progects"/],
    [configuration('Third'), /NORTH_KEY is not set/],
    ['a: [', /is not YAML/],
  ] as const) {
    writeFileSync(file, text);
    const { code, err } = await run('apply', '-f', file);
    assert.deepEqual([code, message.test(err)], [2, true], err);
  }
  assert.equal((await json('projects', 'show', 'Trial 7')).description, 'Second');
});

test('a field that is unknown, missing or of another type is refused before anything is changed', async () => {
  const north = configuration('Third');
  for (const [text, message] of [
    [north.replace('description:', 'descripton:'), /projects, "Trial 7": there is no field "descripton"/],
    [
      north.replace('allowedScopes: [openid, email]', 'allowedScopes: openid'),
      /"allowedScopes" should be a list/,
    ],
    [`${north}  - name: South\n`, /ehrs, "South": "apiBaseUrl" is missing/],
  ] as const) {
    writeFileSync(file, text);
    for (const more of [['--plan'], []]) {
      const { code, err } = await start(['apply', '-f', file, ...more], { env }).ended;
      assert.deepEqual([code, message.test(err)], [2, true], err);
    }
  }
  assert.equal((await json('projects', 'show', 'Trial 7')).description, 'Second');
});

test('a name that two EHR systems have is refused: it names none of them', async () => {
  await json('ehrs', 'add', 'Twin', 'https://one.example/r4');
  await json('ehrs', 'add', 'Twin', 'https://two.example/r4');
  writeFileSync(file, 'ehrs:\n  - name: Twin\n    apiBaseUrl: https://three.example/r4\n');
  const { code, err } = await run('apply', '-f', file);
  assert.deepEqual([code, /Several ehrs have the name "Twin"/.test(err)], [1, true], err);
  const addresses = (await json('ehrs', 'ls')).map(({ apiBaseUrl }: never) => apiBaseUrl);
  assert.ok(!addresses.includes('https://three.example/r4'));
});
