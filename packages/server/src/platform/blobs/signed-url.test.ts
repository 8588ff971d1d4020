import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { signUrl, verifySignedUrl } from './signed-url.ts';

const key = Buffer.alloc(32, 3);
const now = 1_700_000_000_000;
const parameters = { upload: 'u 1/&=?', b: '2' };
const url = signUrl(key, {
  purpose: 'PUT upload',
  path: '/v1/files/a%20b',
  holder: 'apiKey:k',
  parameters,
  expiresAt: now + 60_000,
});

test('a signed URL is good until it expires and holds what was signed', () => {
  assert.deepEqual(verifySignedUrl(key, 'PUT upload', url, now), {
    valid: true,
    holder: 'apiKey:k',
    parameters,
    expiresAt: now + 60_000,
  });
  assert.deepEqual(verifySignedUrl(key, 'PUT upload', url, now + 60_000), {
    valid: false,
    reason: 'expired',
  });
  const bare = signUrl(key, { purpose: 'GET', path: '/x', holder: 'h', expiresAt: now + 1000 });
  assert.equal(verifySignedUrl(key, 'GET', bare, now).valid, true);
});

test('the order in which a client sends the parameters does not matter', () => {
  const [path, query] = url.split('?');
  const turned = `${path}?${query?.split('&').reverse().join('&')}`;
  assert.equal(verifySignedUrl(key, 'PUT upload', turned, now).valid, true);
});

test('a URL of which anything was changed, added, dropped or reused for something else is refused', () => {
  const forged = { valid: false, reason: 'forged' };
  const changed = [
    url.replace('a%20b', 'a%20c'),
    url.replace('b=2', 'b=3'),
    url.replace('&b=2', ''),
    url.replace('apiKey%3Ak', 'apiKey%3Al'),
    url.replace('&by=apiKey%3Ak', ''),
    `${url}&c=4`,
    `${url}&b=2`,
    `${url}&signature=x`,
    url.replace(/expires=\d+/, 'expires=9999999999'),
    url.replace(/&expires=\d+/, ''),
    url.replace(/signature=./, 'signature=_'),
    url.replace(/signature=.*/, 'signature='),
    url.replace(/&signature=.*/, ''),
    '/v1/files/a%20b',
    '',
    '?',
  ];
  for (const attempt of changed) {
    assert.deepEqual(verifySignedUrl(key, 'PUT upload', attempt, now), forged, attempt);
  }
  assert.deepEqual(verifySignedUrl(key, 'GET download', url, now), forged);
  assert.deepEqual(verifySignedUrl(Buffer.alloc(32, 4), 'PUT upload', url, now), forged);
});

test('a URL that was signed for no credential is refused', () => {
  const expires = String(now / 1000 + 60);
  const signature = createHmac('sha256', key)
    .update(JSON.stringify(['GET file', '/x', [JSON.stringify(['expires', expires])]]))
    .digest('base64url');
  const earlier = `/x?expires=${expires}&signature=${signature}`;
  assert.deepEqual(verifySignedUrl(key, 'GET file', earlier, now), { valid: false, reason: 'forged' });
  const bare = signUrl(key, { purpose: 'GET file', path: '/x', holder: '', expiresAt: now + 1000 });
  assert.deepEqual(verifySignedUrl(key, 'GET file', bare, now), { valid: false, reason: 'forged' });
});

test('signed text cannot be moved between path, names and values', () => {
  const signature = (text: string) => new URLSearchParams(text.split('?')[1]).get('signature');
  const sign = (path: string, more: Record<string, string>) =>
    signature(signUrl(key, { purpose: 'GET', path, holder: 'h', parameters: more, expiresAt: now }));
  assert.notEqual(sign('/a', { b: 'c' }), sign('/a', { bc: '' }));
  assert.notEqual(sign('/a', { b: 'c","d' }), sign('/a', { b: 'c', d: '' }));
  for (const own of ['by', 'expires', 'signature'])
    assert.throws(() =>
      signUrl(key, { purpose: 'GET', path: '/', holder: 'h', parameters: { [own]: '1' }, expiresAt: now }),
    );
});
