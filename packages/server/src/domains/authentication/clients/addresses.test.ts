import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRegistered, metadataFault, redirectFault } from './addresses.ts';

test('callback addresses are https, loopback or a private-use scheme', () => {
  const good = [
    'https://app.example/callback',
    'https://app.example:8443/callback?fixed=1',
    'http://localhost:8787',
    'http://127.0.0.1/callback',
    'http://[::1]:5000/callback',
    'https://[2001:db8::7]/callback',
    'https://my_host.example/callback',
    'https://xn--mnchen-3ya.example/callback',
    'com.example.app:/callback',
    'com.example.app://callback',
  ];
  for (const address of good) assert.equal(redirectFault(address), undefined, address);
});

// asvs: 1.2.2
test('an address that executes, hides or cannot be compared is refused', () => {
  const bad = [
    'http://app.example/callback',
    'https://app.example/callback#part',
    'https://user@app.example/callback',
    'https://user:word@app.example/callback',
    'https://@app.example/callback',
    'https://app.example/*',
    'https://*.example/callback',
    'https://app.example/a b',
    'https://аpp.example/callback',
    'https://app.example\\@evil.example/',
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'blob:https://app.example/1',
    'myapp:/callback',
    'http://localhost.evil.example/',
    'http://127.0.0.1.evil.example/',
    '/callback',
    '//app.example/callback',
    'https://',
    'https://app.example;frame-ancestors/callback',
    'https://app.example,evil.example/callback',
    "https://'unsafe-inline'.example/callback",
    '',
  ];
  for (const address of bad) assert.notEqual(redirectFault(address), undefined, address);
});

// asvs: 10.4.1
test('an address is compared as a string, and on a loopback IP regardless of the port', () => {
  const registered = [
    'https://app.example/callback',
    'http://127.0.0.1/cb',
    'http://[::1]:1/cb',
    'http://localhost:8787',
  ];
  for (const asked of [...registered, 'http://127.0.0.1:5123/cb', 'http://[::1]:65535/cb'])
    assert.ok(isRegistered(registered, asked), asked);
  const others = [
    'https://app.example/callback/',
    'https://app.example:443/callback',
    'https://APP.example/callback',
    'https://app.example/callback?x=1',
    'https://app.example/callback#x',
    'https://app.example/%63allback',
    'https://user@app.example/callback',
    'https://app.example.evil.example/callback',
    'http://localhost:8788',
    'http://localhost:8787/',
    'http://127.0.0.1:5123/cb/more',
    'http://127.0.0.1:5123@evil.example/cb',
    'http://127.0.0.2:5123/cb',
    'https://127.0.0.1:5123/cb',
    'http://127.0.0.1:65536/cb',
    'http://127.0.0.1:99999/cb',
    '',
  ];
  for (const asked of others) assert.ok(!isRegistered(registered, asked), asked);
});

test('the metadata of an identity provider is fetched over https', () => {
  assert.equal(metadataFault('https://idp.example/metadata'), undefined);
  assert.equal(metadataFault('http://127.0.0.1:8080/metadata'), undefined);
  for (const address of [
    'http://idp.example/metadata',
    'ftp://idp.example',
    'https://u:p@idp.example/',
    'idp',
  ])
    assert.notEqual(metadataFault(address), undefined, address);
});
