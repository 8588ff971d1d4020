import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type MailServerOptions, partOf, startMailServer } from '../../../../../test/support/mail-server.ts';
import { silent } from '../../../../../test/support/records.ts';
import { readConfig } from '../../config/config.ts';
import { loggedError } from '../log/log.ts';
import { MailError, type MailMessage, openMail } from './index.ts';

const from = 'Ploidy <ploidy@example.org>';
const message: MailMessage = {
  id: 'letter-1.1',
  to: 'jane@example.org',
  subject: 'Grüße',
  text: 'Guten Tag\n',
  html: '<p>Guten Tag</p>',
};

async function serverFor(context: TestContext, options: MailServerOptions = {}) {
  const server = await startMailServer(options);
  context.after(() => server.stop());
  /** Sends through the server of a setting; `{port}` is the server's. */
  const send = (url: string, more: Partial<MailMessage> = {}) => {
    const settings = { PLOIDY_SMTP_URL: url.replace('{port}', String(server.port)), PLOIDY_MAIL_FROM: from };
    const { smtpServer } = readConfig(settings);
    return openMail({ smtp: smtpServer, from, outboxFolder: '', log: silent }).send({ ...message, ...more });
  };
  return { server, send };
}

const plain = 'smtp://127.0.0.1:{port}?verify=false';

test('a letter arrives with its text, its HTML, its sender and an id that stays the same', async (context) => {
  const { server, send } = await serverFor(context);
  await send(plain);
  await send(plain);
  const [letter, again] = server.to('jane@example.org');
  assert.ok(letter && again);
  assert.equal(partOf(letter.raw, 'text/plain').trim(), 'Guten Tag');
  assert.match(partOf(letter.raw, 'text/html'), /<p>Guten Tag<\/p>/);
  assert.match(letter.raw, /^From: Ploidy <ploidy@example\.org>\r$/m);
  assert.match(letter.raw, /^Auto-Submitted: auto-generated\r$/m);
  for (const { raw } of [letter, again]) assert.match(raw, /^Message-ID: <letter-1\.1@example\.org>\r$/m);
});

// asvs: 1.2.1, 1.3.3, 1.3.11
test('no value of a letter adds a header, a recipient or a part', async (context) => {
  const { server, send } = await serverFor(context);
  const evil = 'x\r\nBcc: victim@example.org\r\n\r\nbody\n.\r\nMAIL FROM:<a@b>';
  await send(plain, { subject: evil, text: evil, html: evil });
  assert.equal(server.letters.length, 1);
  const [letter] = server.letters;
  assert.deepEqual(letter?.to, ['jane@example.org']);
  const head = letter?.raw.slice(0, letter.raw.indexOf('\r\n\r\n')) ?? '';
  assert.doesNotMatch(head, /^Bcc/m);
  for (const to of ['a@b.c, d@e.f', 'a@b.c\r\nRCPT TO:<d@e.f>', '<a@b.c>,<d@e.f>', 'Group: a@b.c, d@e.f;']) {
    await send(plain, { to }).catch((error) => assert.ok(error instanceof MailError));
  }
  assert.ok(server.letters.every((one) => one.to.length === 1));
  assert.deepEqual(server.to('d@e.f'), []);
  assert.deepEqual(server.to('victim@example.org'), []);
});

test('permanent refusals of the server are distinguished from temporary ones, without its text', async (context) => {
  const { server, send } = await serverFor(context);
  for (const [code, permanent] of [
    [451, false],
    [421, false],
    [550, true],
    [554, true],
  ] as const) {
    server.refuse('jane@example.org', code);
    await assert.rejects(send(plain), (error) => {
      assert.ok(error instanceof MailError);
      assert.equal(error.permanent, permanent, String(code));
      assert.doesNotMatch(error.message, /jane/);
      return true;
    });
  }
});

test('a server that is not there is a failure that passes', async (context) => {
  const { server, send } = await serverFor(context);
  await server.stop();
  await assert.rejects(send(plain), { name: 'MailError', permanent: false });
});

test('the line is encrypted and the user signs in, by STARTTLS or from the first byte', async (context) => {
  const credentials = { user: 'ploidy@example.org', password: 'p@ss/word' };
  const login = `${encodeURIComponent(credentials.user)}:${encodeURIComponent(credentials.password)}`;
  const offered = await serverFor(context, { credentials });
  await offered.send(`smtp://${login}@127.0.0.1:{port}?verify=false&starttls=always`);
  const direct = await serverFor(context, { credentials, secure: true });
  await direct.send(`smtps://${login}@127.0.0.1:{port}?verify=false`);
  for (const { server } of [offered, direct]) {
    assert.deepEqual(
      server.letters.map(({ secure, user }) => [secure, user]),
      [[true, credentials.user]],
    );
  }
  await assert.rejects(offered.send('smtp://ploidy:wrong@127.0.0.1:{port}?verify=false'), {
    name: 'MailError',
    message: 'The mail server does not accept the user name and password.',
    permanent: false,
  });
});

// asvs: 12.3.1
test('nothing is sent over a line that is not as safe as the settings ask', async (context) => {
  const selfSigned = await serverFor(context);
  await assert.rejects(selfSigned.send('smtp://127.0.0.1:{port}'), { permanent: false });
  const open = await serverFor(context, { starttls: false });
  await assert.rejects(open.send('smtp://127.0.0.1:{port}?starttls=always'), { permanent: false });
  await open.send('smtp://127.0.0.1:{port}');
  assert.equal(selfSigned.server.letters.length, 0);
  assert.equal(open.server.letters.length, 1);
});

test('the reason of an unreachable server is logged, not shown to the author of the mail', async (context) => {
  const selfSigned = await serverFor(context);
  const gone = await serverFor(context);
  await gone.server.stop();
  const reasons: [() => Promise<void>, RegExp][] = [
    [() => selfSigned.send('smtp://127.0.0.1:{port}'), /certificate/],
    [() => gone.send('smtp://ploidy:secret@127.0.0.1:{port}'), /ECONNREFUSED/],
    [() => gone.send('smtp://ploidy:secret@no-such-host.invalid:{port}'), /no-such-host\.invalid/],
  ];
  for (const [send, reason] of reasons)
    await assert.rejects(send(), (error: Error) => {
      assert.equal(error.message, 'The mail server cannot be reached.');
      assert.match(String(error.cause), reason);
      assert.doesNotMatch(JSON.stringify(loggedError(error)), /jane@|secret/);
      return true;
    });
});

test('without a server each letter is a file for its owner only, and one sent twice is one file', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-outbox-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const outboxFolder = join(folder, 'outbox');
  const notes: object[] = [];
  const log = { ...silent, info: (details: object) => void notes.push(details) };
  const mail = openMail({ smtp: undefined, from, outboxFolder, log });
  await mail.send(message);
  await mail.send(message);
  assert.deepEqual(readdirSync(outboxFolder), ['letter-1.1.eml']);
  const path = join(outboxFolder, 'letter-1.1.eml');
  assert.equal(statSync(path).mode & 0o777, 0o600);
  const raw = readFileSync(path, 'utf8');
  assert.match(raw, /^To: jane@example\.org\r$/m);
  assert.doesNotMatch(raw.replaceAll('\r\n', ''), /[\r\n]/, 'line ends of RFC 5322');
  assert.equal(partOf(raw, 'text/plain').trim(), 'Guten Tag');
  assert.deepEqual(notes, [{ file: 'letter-1.1.eml' }, { file: 'letter-1.1.eml' }]);
});
