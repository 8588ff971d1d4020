import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from '../../config/config.ts';
import { Address, listenError } from './address.ts';

test('an address that cannot be listened on is reported with the setting to change', () => {
  const reason = (code: string): string =>
    listenError(Object.assign(new Error('listen'), { code }), { host: '10.1.2.3', port: 80 }).message;
  assert.match(reason('EADDRINUSE'), /^Another program listens on 10\.1\.2\.3:80: .* PLOIDY_PORT\.$/);
  assert.match(reason('EACCES'), /^Port 80 needs rights of root: .*PLOIDY_PORT/);
  assert.match(
    reason('EADDRNOTAVAIL'),
    /^PLOIDY_HOST is 10\.1\.2\.3, which is no address of this computer\.$/,
  );
  assert.match(reason('EMFILE'), /^The service cannot listen on 10\.1\.2\.3:80\.$/);
});

const addressWith = (publicUrl?: string): Address => {
  const address = new Address(readConfig(publicUrl === undefined ? {} : { PLOIDY_PUBLIC_URL: publicUrl }));
  address.listening('http://0.0.0.0:8470');
  return address;
};

test('without a public address a client is answered with the one that it used, by the first scheme of its proxies', () => {
  const { seenBy } = addressWith();
  const host = 'lake.example.org';
  for (const schemes of ['https', 'https, https', 'https,http', 'HTTPS'])
    assert.equal(seenBy({ host, 'x-forwarded-proto': schemes }), `https://${host}`, schemes);
  assert.equal(seenBy({ host: '[::1]:80' }), 'http://[::1]:80');
  assert.equal(seenBy({ host, 'x-forwarded-proto': 'http, https' }), `http://${host}`);
  for (const wrong of ['a b', 'x/y', 'user@host', 'a:1:2'])
    assert.equal(seenBy({ host: wrong }), 'http://127.0.0.1:8470');
});

test('a public address is that of every client', () => {
  const { seenBy } = addressWith('https://ploidy.example/');
  assert.equal(seenBy({ host: 'other.example', 'x-forwarded-proto': 'http' }), 'https://ploidy.example');
});
