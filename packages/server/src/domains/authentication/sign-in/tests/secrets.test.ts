/** Traces of every sign-in method in the log, refusals, the audit log and the records. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { People } from '../../../../../../../test/support/people.ts';
import { startServer, type TestServer } from '../../../../../../../test/support/server.ts';
import { TestProvider } from '../../saml/tests/saml-provider.fixture.ts';
import { signInEveryWay } from './every-way.fixture.ts';

describe('secrets of sign-ins', () => {
  let server: TestServer;
  let provider: TestProvider;
  const secrets = new Map<string, string>();
  /** Bodies and addresses of every refusal. */
  const refusals: string[] = [];
  const fetchAsItIs = globalThis.fetch;

  before(async () => {
    globalThis.fetch = async (...asked) => {
      const answer = await fetchAsItIs(...asked);
      const location = answer.headers.get('location') ?? '';
      if (answer.status >= 400) refusals.push(await answer.clone().text());
      if (location.includes('error=')) refusals.push(location);
      return answer;
    };
    const settings = { PLOIDY_LOG_LEVEL: 'trace', PLOIDY_ALLOW_PRIVATE_HOSTS: 'true' };
    server = await startServer({ settings });
    provider = await new TestProvider().open();
    await signInEveryWay(server, provider, (what, secret) => {
      assert.ok(secret && secret.length >= 6, what);
      secrets.set(what, secret);
      return secret;
    });
  });
  after(async () => {
    globalThis.fetch = fetchAsItIs;
    await provider?.close();
    await server?.stop();
  });

  /** Returns tokens and their signatures: a token cut at a dot is still a secret. */
  const fragments = () =>
    [...secrets].flatMap(([what, secret]): [string, string][] => {
      const signature = secret.split('.').at(2);
      return signature === undefined
        ? [[what, secret]]
        : [
            [what, secret],
            [`${what}: signature`, signature],
          ];
    });

  test('the most verbose log holds no secret', () => {
    const log = readFileSync(join(server.folder, 'server.log'), 'utf8');
    assert.ok(log.includes('/v1/saml/acs') && log.includes('/v1/oauth/token'), 'the run was logged');
    for (const [what, secret] of fragments())
      assert.equal(
        log.split('\n').find((line) => line.includes(secret)),
        undefined,
        what,
      );
    for (const name of ['name-of-a-person', 'of-the-application'])
      assert.ok(!log.includes(name), 'nor who signed in, nor the state of an application');
  });

  test('no refusal repeats a secret', () => {
    assert.ok(refusals.length > 15, String(refusals.length));
    for (const [what, secret] of fragments())
      assert.equal(
        refusals.find((one) => one.includes(secret) || one.includes(encodeURIComponent(secret))),
        undefined,
        what,
      );
  });

  test('the audit log describes the run without secrets, and the records keep none in plain text', async () => {
    const people = await People.open({ PLOIDY_DATA_DIR: server.folder });
    const rows = await people.records.read.selectFrom('audit_events').selectAll().execute();
    await people.close();
    const actions = new Set(rows.map(({ action }) => action));
    for (const action of [
      'signIn.done',
      'signIn.failed',
      'oauth.signIn',
      'oauth.reuse',
      'saml.refuse',
      'saml.makeUser',
      'setup.password',
    ])
      assert.ok(actions.has(action), action);
    const files = readdirSync(server.folder).filter((name) => name.startsWith('records.sqlite'));
    const kept = [
      JSON.stringify(rows),
      ...files.map((name) => readFileSync(join(server.folder, name)).toString('latin1')),
    ];
    assert.ok(kept.length > 1);
    for (const [what, secret] of fragments()) assert.ok(!kept.some((one) => one.includes(secret)), what);
  });
});
