/** `ploidy login` with a browser, as its user does it. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import {
  FormBrowser,
  type Shown,
  signInTo,
} from '../../packages/server/src/domains/authentication/sign-in/tests/form-browser.fixture.ts';
import { type CommandLine, commandLine, type Ended } from '../support/command-line.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const password = 'correct horse battery staple';
let server: TestServer;
let user: CommandLine;
let stored = '';

before(async () => {
  server = await startServer();
  user = commandLine();
  stored = join(user.home, 'ploidy', 'credentials.json');
  const token = new URL(server.firstRun.signInUrl).searchParams.get('token') ?? '';
  const body = new URLSearchParams({ token, password, repeated: password });
  const set = await fetch(`${server.baseUrl}/v1/set-up/password`, { method: 'POST', body });
  assert.match(await set.text(), /href="\/v1\/oauth\/sign-in"/, 'leads on to signing in');
});
after(async () => {
  user.remove();
  await server.stop();
});

/** Runs `ploidy login` and what happens in the browser; `change` may tamper with the address that leads back. */
async function login(change: (back: URL) => URL | undefined = (back) => back): Promise<Ended> {
  const browser = new FormBrowser(server.baseUrl);
  return letIn(async (path) => {
    const page = await browser.open(path);
    assert.match(page.text, /To continue to <strong>Ploidy command line<\/strong>/);
    return browser.submit(page, '/v1/oauth/sign-in', { email: 'admin@localhost', password });
  }, change);
}

/** `answer` is what the person does with the page at this path, to the redirect that leads back. */
async function letIn(
  answer: (path: string) => Promise<Shown>,
  change: (back: URL) => URL | undefined = (back) => back,
): Promise<Ended> {
  const started = user.start(['login', '--address', server.baseUrl, '--no-browser']);
  let said = '';
  started.child.stderr?.on('data', (chunk) => (said += chunk));
  await until(() => /http\S+authorize\?\S+\n/.test(said), 'an address to sign in at');
  const url = new URL(/http\S+authorize\?\S+/.exec(said)?.[0] ?? '');
  const sent = await answer(url.pathname + url.search);
  const back = new URL(sent.location ?? '');
  const wrong = change(new URL(back));
  if (wrong?.href !== back.href) {
    if (wrong) assert.equal((await fetch(wrong)).status, 404);
    started.child.kill('SIGINT');
    return started.ended;
  }
  const shown = await fetch(back);
  assert.match(await shown.text(), /You are signed in/);
  return started.ended;
}

const kept = () => JSON.parse(readFileSync(stored, 'utf8'));
const works = async (token: string) =>
  (await fetch(`${server.baseUrl}/v1/accounts`, { headers: { authorization: `Bearer ${token}` } })).status;

test('a remote shell is signed in by the code that a user allows in another browser', async () => {
  const started = user.start(['login', '--address', server.baseUrl, '--device']);
  let said = '';
  started.child.stderr?.on('data', (chunk) => (said += chunk));
  await until(() => /\b[A-Z]{4}-[A-Z]{4}\b/.test(said), 'a code to type');
  assert.match(said, /\/v1\/device\n/);
  const [code = ''] = /\b[A-Z]{4}-[A-Z]{4}\b/.exec(said) ?? [];
  const browser = new FormBrowser(server.baseUrl);
  await signInTo(browser, 'admin@localhost', password);
  const page = await browser.open(`/v1/device?user_code=${code}`);
  const answer = await browser.submit(page, '/v1/device', { decision: 'allow' });
  assert.match(answer.text, /signed in/);
  const { code: exitCode, err } = await started.ended;
  assert.equal(exitCode, 0, err);
  assert.equal((await user.run('whoami')).code, 0);
});

test('a user signs in with the browser; the file of tokens is private, and commands work', async () => {
  const { code, err, out } = await login();
  assert.equal(code, 0, err);
  assert.match(out, /Signed in at http.*, account main/);
  assert.equal(statSync(stored).mode & 0o777, 0o600);
  assert.deepEqual(Object.keys(kept()).sort(), ['account', 'address', 'tokens']);
  const { accessToken, refreshToken } = kept().tokens;
  assert.ok(![out, err].some((text) => text.includes(accessToken) || text.includes(refreshToken)));
  assert.equal((await user.json('whoami')).account, 'main');
  await user.json('projects', 'create', 'Made after signing in', '--use');
  assert.ok(kept().project);
});

test('a person who is signed in in the browser already is asked there', async () => {
  const browser = new FormBrowser(server.baseUrl);
  await signInTo(browser, 'admin@localhost');
  const { code, err } = await letIn(async (path) =>
    browser.submit(await browser.open(path), '/v1/oauth/command-line', {}),
  );
  assert.equal(code, 0, err);
  assert.equal(await works(kept().tokens.accessToken), 200);
});

// asvs: 10.1.2, 10.2.1, 10.2.2
test('an answer with another state or of another service is not listened to', async () => {
  const before = readFileSync(stored, 'utf8');
  for (const change of [
    (back: URL) => back.searchParams.set('state', 'guessed'),
    (back: URL) => back.searchParams.delete('iss'),
    (back: URL) => back.searchParams.set('iss', 'https://evil.example/v1'),
    (back: URL) => Reflect.set(back, 'pathname', '/other'),
  ]) {
    const { code } = await login((back) => {
      change(back);
      return back;
    });
    assert.equal(code, 130);
  }
  assert.equal(readFileSync(stored, 'utf8'), before);
});

test('a token that is about to end is replaced once, also by many commands at once', async () => {
  const { tokens, ...rest } = kept();
  writeFileSync(
    stored,
    JSON.stringify({ ...rest, tokens: { ...tokens, expiresAt: Date.now() + 9 * 60_000 } }),
  );
  const runs = await Promise.all([1, 2, 3].map(() => user.run('projects', 'ls')));
  for (const { code, err } of runs) assert.equal(code, 0, err);
  const { refreshToken, expiresAt } = kept().tokens;
  assert.equal(Number(refreshToken.split('.')[1]), Number(tokens.refreshToken.split('.')[1]) + 1);
  assert.ok(expiresAt > Date.now() + 50 * 60_000);
  assert.equal(kept().project, rest.project);
});

test('a sign-in of the moment in which a command replaces its token is kept', async (t) => {
  const { tokens, ...rest } = kept();
  const other = { ...rest, tokens: { ...tokens, refreshToken: 'of-somebody-else' } };
  // A service that is stopped answers late: meanwhile another sign-in is stored.
  const due = { ...rest, tokens: { ...tokens, expiresAt: Date.now() + 60_000 } };
  writeFileSync(stored, JSON.stringify(due));
  const lock = join(user.home, 'ploidy', 'credentials.json.lock');
  server.process.kill('SIGSTOP');
  t.after(() => server.process.kill('SIGCONT'));
  const started = user.start(['projects', 'ls']);
  await until(() => existsSync(lock), 'the token is being replaced');
  writeFileSync(stored, JSON.stringify(other));
  server.process.kill('SIGCONT');
  const { code, err } = await started.ended;
  assert.deepEqual([code, err.trim()], [3, 'You signed in or out in the meantime. Run the command again.']);
  assert.deepEqual(kept(), other);
  writeFileSync(stored, JSON.stringify(due));
  assert.equal((await user.run('projects', 'ls')).code, 3, 'what was got in vain works no more');
  assert.equal((await login()).code, 0);
});

test('signing in again ends the sign-in before, signing out ends it at the service', async () => {
  const before = kept().tokens.accessToken;
  assert.equal((await login()).code, 0);
  assert.equal(await works(before), 401);
  const { accessToken } = kept().tokens;
  assert.equal(await works(accessToken), 200);
  assert.equal((await user.run('logout')).code, 0);
  assert.equal(await works(accessToken), 401);
  assert.equal((await user.run('whoami')).code, 3);
  assert.equal((await user.run('logout')).code, 0, 'there is nothing to end');
});

test('a sign-in that was ended elsewhere asks for another sign-in', async () => {
  assert.equal((await login()).code, 0);
  const { tokens, ...rest } = kept();
  const form = new URLSearchParams({ client_id: 'ploidy-command-line', token: tokens.refreshToken });
  await fetch(`${server.baseUrl}/v1/oauth/revoke`, { method: 'POST', body: form });
  writeFileSync(stored, JSON.stringify({ ...rest, tokens: { ...tokens, expiresAt: Date.now() } }));
  const { code, err } = await user.run('projects', 'ls');
  assert.equal(code, 3);
  assert.match(err, /Run "ploidy login" again/);
});
