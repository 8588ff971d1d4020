import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { emptyHash, presign, type Signable, signHeaders } from './signature.ts';

/** The examples of "Authenticating Requests (AWS Signature Version 4)" in Amazon's S3 API reference. */
const signer = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
};
const now = new Date('2013-05-24T00:00:00.000Z');
const host = 'examplebucket.s3.amazonaws.com';
const request: Signable = { method: 'GET', host, path: '/', query: {}, headers: {}, payloadHash: emptyHash };

const body = createHash('sha256').update('Welcome to Amazon S3.').digest('hex');
const examples: [string, Partial<Signable>, string][] = [
  [
    'GET Object',
    { path: '/test.txt', headers: { range: 'bytes=0-9' } },
    'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  ],
  [
    'PUT Object',
    {
      method: 'PUT',
      path: '/test%24file.text',
      headers: { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' },
      payloadHash: body,
    },
    '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  ],
  [
    'GET Bucket Lifecycle',
    { query: { lifecycle: '' } },
    'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  ],
  [
    'GET Bucket (List Objects)',
    { query: { prefix: 'J', 'max-keys': '2' } },
    '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  ],
];

for (const [name, more, signature] of examples) {
  test(`the published example ${name} is signed as published`, () => {
    const { authorization } = signHeaders(signer, { ...request, ...more }, now);
    assert.equal(authorization?.split('Signature=')[1], signature);
  });
}

test('the published example of a presigned address is signed as published', () => {
  const { payloadHash: _, ...rest } = request;
  const query = presign(signer, { ...rest, path: '/test.txt' }, 86_400, now);
  const signature = 'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404';
  assert.equal(new URLSearchParams(query).get('X-Amz-Signature'), signature);
});

test('a changed method, path, header, parameter or body changes the signature', () => {
  const signatures = [
    request,
    { ...request, method: 'PUT' },
    { ...request, path: '/a' },
    { ...request, headers: { range: 'bytes=0-1' } },
    { ...request, query: { a: 'b' } },
    { ...request, query: { 'a=b': '' } },
    { ...request, payloadHash: body },
  ].map((one) => signHeaders(signer, one, now)['authorization']);
  assert.equal(new Set(signatures).size, signatures.length);
});
