import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import type { Fault } from '../../../../../../test/support/s3/server.ts';
import { until } from '../../../../../../test/support/until.ts';
import type { Blobs } from '../blobs.ts';
import { onS3 } from '../stores.fixture.ts';

const large = randomBytes(20_000_000);

/** Does something to the first `count` requests of each kind, and lets the rest through. */
function firstOfEach(
  count: number,
  fault: Fault,
): (request: Pick<IncomingMessage, 'method' | 'url'>) => Fault | undefined {
  const seen = new Map<string, number>();
  return ({ method = '', url = '' }) => {
    const kind = `${method} ${url}`;
    seen.set(kind, (seen.get(kind) ?? 0) + 1);
    return (seen.get(kind) ?? 0) <= count ? fault : undefined;
  };
}

const passing: [string, Fault][] = [
  ['drops connections', 'drop'],
  ['answers 500', { status: 500, code: 'InternalError' }],
  ['asks to slow down', { status: 503, code: 'SlowDown' }],
  ['gets damaged bytes', { status: 400, code: 'XAmzContentSHA256Mismatch' }],
  ['loses its answers', 'lose answer'],
];

for (const [name, fault] of passing) {
  test(`a store that ${name} twice at each step still takes and gives every byte, and nothing is left over`, async (context) => {
    const { store, server } = await onS3(context);
    server.fault = firstOfEach(2, fault);
    const small = await store.blobs.put(Readable.from(['small']));
    const info = await store.blobs.put(Readable.from([large]));
    assert.equal(String(await buffer(await store.blobs.open(small.key))), 'small');
    assert.ok((await buffer(await store.blobs.open(info.key))).equals(large));
    await store.blobs.remove([small.key]);
    server.fault = () => undefined;
    // An upload whose beginning was answered unnoticed stays: it has no parts, so it holds no bytes.
    for (const [id, { parts }] of server.bucket.uploads)
      if (parts.size === 0) server.bucket.uploads.delete(id);
    assert.deepEqual(await store.holdings(), [info.key]);
  });
}

test('a read whose connection ends midway goes on where it was', async (context) => {
  const { store, server } = await onS3(context);
  const info = await store.blobs.put(Readable.from([large]));
  const ranges: (string | undefined)[] = [];
  server.fault = (request) => {
    ranges.push(request.headers.range);
    return ranges.length <= 3 ? 'cut' : undefined;
  };
  assert.ok((await buffer(await store.blobs.open(info.key))).equals(large));
  assert.equal(ranges.length, 4);
  assert.equal(ranges[0], undefined);
  for (const range of ranges.slice(1)) assert.match(range ?? '', /^bytes=[1-9]\d*-/);
});

test('a store that is down is 503 with a time to retry, without the answer of the store', async (context) => {
  const { store, server } = await onS3(context);
  const info = await store.blobs.put(Readable.from(['x']));
  const unavailable = { status: 503, code: 'STORAGE_UNAVAILABLE', retryAfterS: 10 };
  for (const fault of ['drop', { status: 500, code: 'InternalError' }] as const) {
    server.fault = () => fault;
    await Promise.all([
      assert.rejects(store.blobs.put(Readable.from(['x'])), unavailable),
      assert.rejects(store.blobs.open(info.key), unavailable),
      assert.rejects(store.blobs.remove([info.key]), unavailable),
      assert.rejects(store.blobs.check(), unavailable),
    ]);
  }
});

/** Requests of each kind, to a store with an object of 20 MB. */
const kinds: Readonly<Record<string, (blobs: Blobs, key: string) => Promise<unknown>>> = {
  get: async (blobs, key) => buffer(await blobs.open(key)),
  range: async (blobs, key) => buffer(await blobs.open(key, { start: 5, end: 9 })),
  put: (blobs) => blobs.put(Readable.from(['x'])),
  multipart: (blobs) => blobs.put(Readable.from([large])),
  check: (blobs) => blobs.check(),
};

for (const [kind, ask] of Object.entries(kinds))
  test(`a store that accepts requests of the kind ${kind} and answers none is 503 after one attempt`, async (context) => {
    const { store, server } = await onS3(context);
    const info = await store.blobs.put(Readable.from([large]));
    const asked: string[] = [];
    const end = Promise.withResolvers<void>();
    context.after(() => end.resolve());
    server.fault = ({ method = '', url = '' }) => {
      asked.push(`${method} ${url}`);
      return { after: end.promise };
    };
    const unavailable = { status: 503, code: 'STORAGE_UNAVAILABLE', retryAfterS: 10 };
    await assert.rejects(ask(store.blobs, info.key), unavailable);
    assert.equal(new Set(asked).size, asked.length, asked.join('\n'));
  });

for (const [step, isStep] of [
  ['the parts', /partNumber=/],
  ['the end', /^POST [^?]+\?uploadId=/],
] as const)
  test(`a store that answers nothing from ${step} of an upload on is 503`, async (context) => {
    const { store, server } = await onS3(context);
    const end = Promise.withResolvers<void>();
    context.after(() => end.resolve());
    let hasBegun = false;
    server.fault = ({ method = '', url = '' }) => {
      hasBegun ||= isStep.test(`${method} ${url}`);
      return hasBegun ? { after: end.promise } : undefined;
    };
    await assert.rejects(store.blobs.put(Readable.from([large])), { code: 'STORAGE_UNAVAILABLE' });
    assert.ok(hasBegun);
  });

test('a read whose bytes stop to arrive is 503', async (context) => {
  const { store, server } = await onS3(context);
  const info = await store.blobs.put(Readable.from([large]));
  let asked = 0;
  server.fault = () => {
    asked += 1;
    return 'stall';
  };
  await assert.rejects(buffer(await store.blobs.open(info.key)), { code: 'STORAGE_UNAVAILABLE' });
  assert.equal(asked, 1);
});

test('wrong credentials and a missing bucket are 503, not 404 or 403, and are asked once', async (context) => {
  const { store, server } = await onS3(context);
  for (const fault of [
    { status: 403, code: 'SignatureDoesNotMatch' },
    { status: 404, code: 'NoSuchBucket' },
  ]) {
    let asked = 0;
    server.fault = () => {
      asked += 1;
      return fault;
    };
    await assert.rejects(store.blobs.open('a'.repeat(32)), { status: 503, code: 'STORAGE_UNAVAILABLE' });
    assert.equal(asked, 1);
  }
});

test('a full store is 503 STORAGE_FULL', async (context) => {
  const { store, server } = await onS3(context);
  server.fault = () => ({ status: 507, code: 'XMinioStorageFull' });
  await assert.rejects(store.blobs.put(Readable.from(['x'])), { status: 503, code: 'STORAGE_FULL' });
});

test('a put that fails or is aborted in the middle of its parts leaves neither object nor parts', async (context) => {
  const { store, server } = await onS3(context);
  const isPart = (url: string | undefined) => url?.includes('partNumber=2') ?? false;
  server.fault = ({ url }) => (isPart(url) ? { status: 403, code: 'AccessDenied' } : undefined);
  await assert.rejects(store.blobs.put(Readable.from([large])), { code: 'STORAGE_UNAVAILABLE' });
  assert.deepEqual(await store.holdings(), []);

  const abort = new AbortController();
  let reached = false;
  const never = Promise.withResolvers<void>();
  server.fault = ({ url }) => {
    if (!isPart(url)) return undefined;
    reached = true;
    return { after: never.promise };
  };
  const put = store.blobs.put(Readable.from([large]), { signal: abort.signal });
  const rejected = assert.rejects(put, /enough/);
  await until(() => reached, 'a part is under way');
  abort.abort(new Error('enough'));
  await rejected;
  assert.deepEqual(await store.holdings(), []);
});

test('a put fails when the store answers the joining of its parts with nothing', async (context) => {
  const { store, server } = await onS3(context);
  const silent = { status: 204, code: '' };
  const joins = ({ method, url = '' }: Pick<IncomingMessage, 'method' | 'url'>) =>
    method === 'POST' && url.includes('uploadId=');
  server.fault = (request) => (joins(request) ? silent : undefined);
  await assert.rejects(store.blobs.put(Readable.from([large])));
  server.fault = () => undefined;
  assert.deepEqual(await store.holdings(), []);
});

test('a removal succeeds when the store answers that the object is missing', async (context) => {
  const { store, server } = await onS3(context);
  const { key } = await store.blobs.put(Readable.from(['gone']));
  server.fault = ({ method }) => (method === 'DELETE' ? { status: 404, code: 'NoSuchKey' } : undefined);
  await store.blobs.remove([key]);
});
