/** The section of the administrator's guide about clients of LifeOmic, done with their command line as it is published. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { TokenFlow } from '../../packages/server/src/domains/authentication/oauth/tests/token-flow.fixture.ts';
import {
  firstUser,
  makeClient,
  signedIn,
} from '../../packages/server/src/domains/authentication/sign-in/tests/signed-in.fixture.ts';
import { root } from '../deploy/tools.ts';
import { TestProject } from '../inputs/project.ts';
import { openTestApp, type TestApp } from '../support/app.ts';
import { missing } from './missing.ts';

const run = promisify(execFile);
const guide = readFileSync(join(root, 'docs/guides/administrator.md'), 'utf8');
/** Setting and field of a client, as the guide has them. */
const [, setting = '', header = ''] = /`(PLOIDY_\w+)=([\w-]+)`/.exec(guide) ?? [];
const [, field = '', life = ''] = /`"(\w+)": "(\w+)"`/.exec(guide) ?? [];

describe('the command line of LifeOmic', { skip: await missing('npm') }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-moving-'));
  let app: TestApp;
  let project: TestProject;

  before(async () => {
    app = await openTestApp({ [setting]: header });
    writeFileSync(join(folder, 'package.json'), '{"private": true}');
    const install = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '@lifeomic/cli@14.0.0'];
    await run('npm', install, { cwd: folder });
    project = await TestProject.make(app.call, 'Moved');
  });
  after(async () => {
    await app?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const store = join(folder, 'configstore');
  const configured = (): { here: { tokens: Record<string, string> } } =>
    JSON.parse(readFileSync(join(store, 'lifeomic-cli.json'), 'utf8'));

  /** Writes what `lo setup` would ask for. */
  function configure(defaults: object, more: object = {}): void {
    mkdirSync(store, { recursive: true });
    const urls = { apiUrl: app.address, appsUrl: app.address, fhirUrl: app.address, ga4ghUrl: app.address };
    const here = { ...urls, ...more, defaults: { account: app.account, ...defaults } };
    writeFileSync(
      join(store, 'lifeomic-cli.json'),
      JSON.stringify({ defaults: { environment: 'here' }, here }),
    );
  }

  /** Runs `lo` with JSON on its input, and returns what it prints. */
  async function lo(words: string[], input?: unknown): Promise<string> {
    const file = join(folder, 'node_modules/@lifeomic/cli/lo.js');
    const child = spawn(process.execPath, [file, ...words], {
      env: { ...process.env, XDG_CONFIG_HOME: folder, NO_COLOR: '1', FORCE_COLOR: '0' },
    });
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    child.stdin.end(input === undefined ? '' : JSON.stringify(input));
    const [printed, errors, code] = await Promise.all([
      child.stdout.setEncoding('utf8').toArray(),
      child.stderr.setEncoding('utf8').toArray(),
      ended,
    ]);
    const all = [...printed, ...errors].join('');
    assert.equal(code, 0, `lo ${words.join(' ')}: ${all}`);
    return all;
  }
  const answerOf = async (words: string[], input?: unknown) =>
    JSON.parse(await lo([...words, '--json'], input));
  /** Names in a list. */
  const namesOf = async (words: string[]): Promise<string[]> =>
    (await answerOf(words)).items.map(({ name }: { name: string }) => name);

  test('the guide names the header and the life of tokens that it asks for', () => {
    assert.deepEqual(
      [setting, header, field, life],
      ['PLOIDY_ACCOUNT_HEADERS', 'LifeOmic-Account', 'refreshTokens', 'lasting'],
    );
  });

  test('with a key: accounts, projects, files up and down, groups, policies, keys, cohorts, reads and questions', async () => {
    configure({ useApiKey: true, apiKey: app.key });
    const { accounts } = await answerOf(['accounts', 'list']);
    assert.deepEqual(
      accounts.map(({ id }: { id: string }) => id),
      [app.account],
    );
    const made = await answerOf(['projects', 'create', 'From there']);
    assert.ok((await namesOf(['projects', 'list'])).includes('From there'));
    const [local, taken] = [join(folder, 'kept.txt'), join(folder, 'taken')];
    writeFileSync(local, 'exported there');
    assert.match(await lo(['files', 'upload', local, made.id, '--strip-path', folder]), /Upload complete/);
    const { items } = await answerOf(['files', 'list', made.id]);
    assert.equal(items.length, 1);
    await lo(['files', 'download', items[0].id, taken]);
    assert.equal(readFileSync(join(taken, items[0].name), 'utf8'), 'exported there');
    const group = await answerOf(['groups', 'create', 'Analysts', '-d', 'of there']);
    assert.ok((await namesOf(['groups', 'list'])).includes('Analysts'));
    await lo(['groups', 'members-add', group.id, await firstUser(app)]);
    const policy = { rules: { readData: [{ 'user.groups': { comparison: 'includes', value: group.id } }] } };
    await answerOf(['policies', 'create'], { name: 'Of analysts', policy });
    assert.ok((await namesOf(['policies', 'list'])).includes('Of analysts'));
    const key = await answerOf(['api-keys', 'create', 'a key', '-e', '3']);
    assert.ok(key.key);
    const cohort = await answerOf(['cohorts', 'create', 'Some', '-p', project.id], ['p-0']);
    assert.equal((await answerOf(['cohorts', 'get', cohort.id])).name, 'Some');
    assert.ok(await answerOf(['genomics', 'list-readgroup-sets', project.id]));
    const question = { target: 'patient', domain: 'count', where: {} };
    assert.ok(await answerOf(['insights', 'query', project.id], question));
  });

  test('lo auth -r refreshes as often as needed with the setting of the guide, and once without it', async () => {
    const user = await firstUser(app);
    const cookie = await signedIn(app, user);
    for (const setting of [{ [field]: life }, {}]) {
      const client = await makeClient(app, setting);
      const flow = new TokenFlow(app, user, cookie, client);
      const tokens = await flow.signIn();
      configure(
        {},
        {
          clientId: client.id,
          tokens: { accessToken: tokens.access_token, refreshToken: tokens.refresh_token },
        },
      );
      const refreshed = async (): Promise<boolean> => {
        await lo(['auth', '--refresh']).catch(() => undefined);
        return (await flow.works(configured().here.tokens['accessToken'] ?? '')) === 200;
      };
      assert.equal(await refreshed(), true);
      assert.ok((await namesOf(['projects', 'list'])).length > 0);
      const { records } = app.people;
      const later = { refreshed_at: Date.now() - 31_000 };
      await records.transact((tx) =>
        tx.updateTable('grants').set(later).where('refreshed_at', 'is not', null).execute(),
      );
      assert.equal(await refreshed(), field in setting);
    }
  });
});
