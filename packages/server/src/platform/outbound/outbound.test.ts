import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, test } from 'node:test';
import { selfSignedCertificate } from '../../domains/authentication/saml/encryption/certificate.ts';
import { isPublic } from './addresses.ts';
import { OutboundError, openOutbound } from './index.ts';

const limits = { bytesMax: 1024, timeoutMs: 5000 };
const open: Server[] = [];
afterEach(() => {
  for (const server of open.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(handle: RequestListener): Promise<string> {
  const server = createServer(handle);
  open.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const inside = openOutbound({ allowPrivateHosts: true });
const refuses = (work: Promise<unknown>, pattern: RegExp) =>
  assert.rejects(work, (error) => error instanceof OutboundError && pattern.test(error.message));

test('an inside address is recognised without a look-up, and allowed by the setting', () => {
  const outside = openOutbound({
    allowPrivateHosts: false,
    resolve: () => assert.fail('nothing is looked up'),
  });
  for (const url of [
    'https://10.0.0.1/',
    'https://0x7f.1/',
    'http://127.0.0.1:8080/',
    'https://169.254.169.254/latest',
    'https://[::1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://[fd12::1]/',
    'http://localhost:8080/',
    'https://LOCALHOST./',
    'https://ehr.localhost/',
  ]) {
    assert.match(outside.faultIn(url) ?? '', /PLOIDY_ALLOW_PRIVATE_HOSTS=true/, url);
    assert.equal(inside.faultIn(url), undefined, url);
  }
  for (const url of [
    'https://ehr.example/',
    'https://8.8.8.8/',
    'https://[2606:4700::1111]/',
    'https://localhost.example/',
  ])
    assert.equal(outside.faultIn(url), undefined, url);
});

// asvs: 13.2.4, 13.2.5
test('addresses that are no public ones are known as such, however they are written', () => {
  for (const address of [
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '127.255.0.1',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.0.1',
    '198.18.0.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '192.0.2.1',
    '::',
    '::1',
    '::ffff:8.8.8.8',
    '::ffff:127.0.0.1',
    '::7f00:1',
    '64:ff9b::7f00:1',
    'fe80::1',
    'fe80::1%eth0',
    'fc00::1',
    'fd12::1',
    'ff02::1',
    '2001::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '3fff::1',
    'localhost',
    '',
    '1.2.3',
  ])
    assert.equal(isPublic(address), false, address);
  for (const address of ['8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450:4001::1'])
    assert.equal(isPublic(address), true, address);
});

// asvs: 1.3.6
test('private addresses are refused in every spelling, and names that lead to one', async () => {
  const outside = openOutbound({
    allowPrivateHosts: false,
    resolve: async (name) =>
      name === 'mixed.example'
        ? [
            { address: '8.8.8.8', family: 4 },
            { address: '10.0.0.1', family: 4 },
          ]
        : [{ address: '169.254.169.254', family: 4 }],
  });
  for (const url of [
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://0177.0.0.1/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://0/',
    'https://10.0.0.1/',
    'https://[fd00::1]/',
    'https://mixed.example/',
    'https://metadata.example/',
    'http://127.0.0.1/',
    'https://①②⑦.0.0.1/',
  ])
    await refuses(outside.get(url, limits), /private network/);
});

// asvs: 1.3.6
test('a name is resolved once, and what was checked is what is connected to', async () => {
  const url = new URL(await serve((_request, response) => response.end('right')));
  let asked = 0;
  const rebinding = openOutbound({
    allowPrivateHosts: true,
    resolve: async () => {
      asked += 1;
      return [{ address: asked === 1 ? '127.0.0.1' : '127.0.0.2', family: 4 }];
    },
  });
  const got = await rebinding.get(`http://rebinding.example:${url.port}/`, limits);
  assert.deepEqual([got.toString(), asked], ['right', 1]);
});

// asvs: 12.3.1
test('only https, and http on this computer itself', async () => {
  const named = openOutbound({
    allowPrivateHosts: true,
    resolve: async () => [{ address: '10.0.0.1', family: 4 }],
  });
  await refuses(named.get('http://inside.example/', limits), /https/);
  for (const url of ['ftp://127.0.0.1/', 'file:///etc/passwd', 'data:text/plain,x', 'gopher://127.0.0.1/'])
    await refuses(inside.get(url, limits), /https/);
  await refuses(inside.get('https://user:secret@example.org/', limits), /password/);
  await refuses(inside.get('nonsense', limits), /URL/);
});

// asvs: 12.3.2
test('a server whose certificate no authority vouches for gets no request', async () => {
  const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const validity = { from: new Date(Date.now() - 60_000), to: new Date(Date.now() + 3_600_000) };
  let asked = 0;
  const server = createSecureServer(
    {
      key: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }),
      cert: selfSignedCertificate(keys, 'localhost', validity),
    },
    (_request, response) => {
      asked += 1;
      response.end();
    },
  );
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  try {
    const url = `https://localhost:${(server.address() as AddressInfo).port}/`;
    await refuses(inside.get(url, limits), /could not be reached/);
    assert.equal(asked, 0);
  } finally {
    server.close();
  }
});

// asvs: 15.3.2
test('redirects are not followed, whatever they lead to', async () => {
  let asked = 0;
  const url = await serve((_request, response) => {
    asked += 1;
    response.writeHead(asked % 2 ? 302 : 308, { location: 'http://127.0.0.1:1/' }).end();
  });
  await refuses(inside.get(url, limits), /redirects/);
  await refuses(inside.get(url, limits), /redirects/);
  assert.equal(asked, 2);
});

test('a response that is too large, compressed, an error or truncated is refused', async () => {
  const endless = await serve((_request, response) => {
    response.on('error', () => undefined);
    const more = (): void => {
      while (!response.destroyed && response.write('x'.repeat(10_000)));
      response.once('drain', more);
    };
    more();
  });
  await refuses(inside.get(endless, limits), /larger than 1 KiB/);
  const zipped = await serve((_request, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end('x'),
  );
  await refuses(inside.get(zipped, limits), /compressed/);
  await refuses(
    inside.get(await serve((_request, response) => response.writeHead(500).end()), limits),
    /status 500/,
  );
  const broken = await serve((request, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('x');
    request.socket.destroySoon();
  });
  await refuses(inside.get(broken, limits), /could not be reached/);
  const exact = await serve((_request, response) => response.end('x'.repeat(1024)));
  assert.equal((await inside.get(exact, limits)).length, 1024);
});

test('a request without response, or with a slow one, ends at its timeout', async () => {
  const silent = await serve(() => undefined);
  await refuses(inside.get(silent, { bytesMax: 1024, timeoutMs: 50 }), /in time/);
  const dripping = await serve((_request, response) => void response.writeHead(200).write('x'));
  await refuses(inside.get(dripping, { bytesMax: 1024, timeoutMs: 50 }), /in time/);
  const refusing = await serve(() => undefined);
  const [server] = open.splice(-1);
  server?.close();
  await refuses(inside.get(refusing, limits), /could not be reached/);
});

test('a look-up of a name that never ends is given up at its time limit, and at a cancellation', async () => {
  const silent = openOutbound({ allowPrivateHosts: true, resolve: () => new Promise(() => undefined) });
  const late = (error: unknown): boolean =>
    error instanceof OutboundError && error.isPassing && /in time/.test(error.message);
  // Such a timer keeps no process alive.
  const alive = setInterval(() => undefined, 1000);
  try {
    await assert.rejects(silent.get('https://ehr.example/', { bytesMax: 10, timeoutMs: 50 }), late);
    const cancel = new AbortController();
    const { signal } = cancel;
    const request = { url: 'https://ehr.example/', timeoutMs: 60_000, idleMs: 60_000, bytesMax: 10, signal };
    const cancelled = silent.exchange({ method: 'GET', ...request }, () => assert.fail());
    cancel.abort();
    await assert.rejects(cancelled, late);
  } finally {
    clearInterval(alive);
  }
});
