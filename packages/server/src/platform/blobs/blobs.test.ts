import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after } from 'node:test';
import type { PutOptions } from './blobs.ts';
import { testOnStores } from './stores.fixture.ts';

/** Guarantees of every store of bytes. */

// The joining threads keep no process alive; here nothing else would.
const alive = setInterval(() => undefined, 1000);
after(() => clearInterval(alive));

const hex = (bytes: Buffer, algorithm = 'sha256') => createHash(algorithm).update(bytes).digest('hex');

const fail = () => Promise.reject(new Error('It should not have come to this.'));

testOnStores('stored bytes are read back, whole and in ranges, with their hash', async ({ blobs }) => {
  for (const size of [0, 1, 511, 600_000, 3_000_001, 40_000_000]) {
    const bytes = randomBytes(size);
    const chunks = Array.from({ length: Math.ceil(size / 7000) }, (_, at) =>
      bytes.subarray(at * 7000, (at + 1) * 7000),
    );
    const info = await blobs.put(Readable.from(chunks), { size });
    assert.deepEqual({ size: info.size, sha256: info.sha256 }, { size, sha256: hex(bytes) });
    assert.ok((await buffer(await blobs.open(info.key))).equals(bytes));
    for (const [start, end] of [
      [0, 0],
      [size, size],
      [0, Math.min(size, 10)],
      [Math.floor(size / 2), size],
    ] as const) {
      const part = await buffer(await blobs.open(info.key, { start, end }));
      assert.ok(part.equals(bytes.subarray(start, end)), `${start}-${end} of ${size}`);
    }
    await assert.rejects(blobs.open(info.key, { start: 0, end: size + 1 }), {
      code: 'RANGE_NOT_SATISFIABLE',
    });
    await assert.rejects(blobs.open(info.key, { start: -1, end: 0 }), { code: 'RANGE_NOT_SATISFIABLE' });
  }
});

testOnStores(
  'bytes that are too many, too few, or others than promised leave nothing',
  async ({ blobs, holdings }) => {
    const bytes = Buffer.from('twelve bytes');
    const md5 = createHash('md5').update(bytes).digest('base64');
    const refused: [PutOptions, string][] = [
      [{ sizeMax: 11 }, 'TOO_LARGE'],
      [{ size: 11 }, 'SIZE_MISMATCH'],
      [{ size: 13 }, 'SIZE_MISMATCH'],
      [{ md5: createHash('md5').digest('base64') }, 'DIGEST_MISMATCH'],
      [{ md5: 'not base64 at all' }, 'DIGEST_MISMATCH'],
    ];
    for (const [options, code] of refused) {
      await assert.rejects(blobs.put(Readable.from([bytes]), options), { code });
    }
    assert.deepEqual(await holdings(), []);
    await blobs.put(Readable.from([bytes]), { sizeMax: 12, size: 12, md5 });
    assert.equal((await holdings()).length, 1);
  },
);

testOnStores('a source that fails, ends early or is aborted leaves nothing', async ({ blobs, holdings }) => {
  const failing = new Readable({ read() {} });
  failing.push('some bytes');
  const put = blobs.put(failing);
  failing.destroy(new Error('connection lost'));
  await assert.rejects(put, /connection lost/);

  const cut = new Readable({ read() {} });
  cut.push('some bytes');
  const cutPut = blobs.put(cut);
  cut.destroy();
  await assert.rejects(cutPut, { code: 'ERR_STREAM_PREMATURE_CLOSE' });

  const stalled = new Readable({ read() {} });
  stalled.push('some bytes');
  const abort = new AbortController();
  const aborted = blobs.put(stalled, { signal: abort.signal });
  abort.abort(new Error('cancelled'));
  await assert.rejects(aborted, /cancelled/);
  await assert.rejects(blobs.put(Readable.from(['x']), { signal: abort.signal }), /cancelled/);
  assert.deepEqual(await holdings(), []);
});

testOnStores('a refused source is left open, so that its sender can still be answered', async ({ blobs }) => {
  const source = new Readable({ read() {} });
  source.push('too many bytes');
  await assert.rejects(blobs.put(source, { sizeMax: 3 }), { code: 'TOO_LARGE' });
  assert.equal(source.destroyed, false);
});

testOnStores('bytes arrive no faster than the disk writes them', async ({ blobs, scratch: folder }) => {
  const chunk = Buffer.alloc(64 * 1024, 1);
  let made = 0;
  let stored = 0;
  let ahead = 0;
  const source = new Readable({
    highWaterMark: chunk.length,
    read() {
      made += chunk.length;
      const [scratch] = readdirSync(folder);
      stored = scratch === undefined ? 0 : statSync(join(folder, scratch)).size;
      ahead = Math.max(ahead, made - stored);
      this.push(made > 32 * 1024 * 1024 ? null : chunk);
    },
  });
  const { size } = await blobs.put(source);
  assert.equal(size, 32 * 1024 * 1024);
  assert.ok(ahead <= 2 * 1024 * 1024, `${ahead} bytes were held in memory`);
});

// asvs: 5.3.2
testOnStores(
  'a key that is not one of ours never becomes a path or an object',
  async ({ blobs, scratch: folder }) => {
    const hostile = [
      '',
      '.',
      '..',
      '../scratch',
      'ab/../../x',
      `${'a'.repeat(31)}/`,
      'A'.repeat(32),
      '\0'.repeat(32),
      `${'a'.repeat(32)}\n`,
    ];
    for (const key of hostile) {
      await assert.rejects(blobs.open(key), { status: 404 }, JSON.stringify(key));
      await assert.rejects(blobs.withLocal([{ key, size: 1, sha256: '' }], fail), { status: 404 });
      await blobs.remove([key]);
    }
    for (const path of [
      '/etc/passwd',
      join(folder, '..', '..', 'x'),
      join(folder, '..', 'x'),
      join(folder, 'a b'),
    ]) {
      await assert.rejects(blobs.adopt(path, { size: 1, sha256: '' }), /scratchPath/);
    }
    for (const extension of ['', 'a/b', '..', 'PARQUET', 'x'.repeat(17)]) {
      await assert.rejects(blobs.scratchPath(extension), /extension/, extension);
    }
  },
);

testOnStores(
  'a scratch file is adopted under a new key, if it has the size its writer measured',
  async ({ blobs }) => {
    const path = await blobs.scratchPath('parquet');
    writeFileSync(path, 'PAR1');
    await assert.rejects(blobs.adopt(path, { size: 5, sha256: 'x' }), /size/);
    const info = await blobs.adopt(path, { size: 4, sha256: hex(Buffer.from('PAR1')) });
    assert.equal(existsSync(path), false);
    assert.equal(String(await buffer(await blobs.open(info.key))), 'PAR1');
    await blobs.withLocal([info, info], async (paths) => {
      assert.deepEqual(
        paths.map((one) => String(readFileSync(one))),
        ['PAR1', 'PAR1'],
      );
      for (const one of paths) assert.equal(statSync(one).mode & 0o777, 0o600);
    });
  },
);

testOnStores('only adopted files of a scratch folder remain, however its work ends', async ({ blobs }) => {
  let lent = '';
  const write = (folder: string, name: string): string => {
    lent = folder;
    const path = join(folder, name);
    writeFileSync(path, 'PAR1');
    return path;
  };
  const info = await blobs.inScratchFolder(async (folder) => {
    write(folder, 'left.parquet');
    return blobs.adopt(write(folder, 'kept.parquet'), { size: 4, sha256: hex(Buffer.from('PAR1')) });
  });
  assert.equal(existsSync(lent), false);
  assert.equal(String(await buffer(await blobs.open(info.key))), 'PAR1');
  const aborted = blobs.inScratchFolder(async (folder) => {
    write(folder, 'begun.parquet');
    throw new Error('aborted');
  });
  await assert.rejects(aborted, /aborted/);
  assert.equal(existsSync(lent), false);
});

testOnStores(
  'a removed blob is gone: removing it again is no error, reading it is 404',
  async ({ blobs }) => {
    const info = await blobs.put(Readable.from(['x']));
    const { key } = info;
    await blobs.withLocal([info], async () => undefined);
    await blobs.remove([key]);
    await blobs.remove([key]);
    await assert.rejects(blobs.open(key), { status: 404 });
    await assert.rejects(blobs.withLocal([info], fail), { status: 404 });
  },
);

testOnStores('many blobs put at once each keep their own bytes', async ({ blobs, holdings }) => {
  const bodies = Array.from({ length: 60 }, () => randomBytes(50_000));
  const infos = await Promise.all(
    bodies.map((body) => blobs.put(Readable.from([body.subarray(0, 9), body.subarray(9)]))),
  );
  for (const [at, info] of infos.entries()) {
    const body = bodies[at];
    assert.ok(body && info.sha256 === hex(body));
    assert.ok((await buffer(await blobs.open(info.key))).equals(body));
  }
  assert.equal((await holdings()).length, 60);
});

testOnStores(
  'blobs are joined in the order given into a new one, with its own hash, and stay',
  async ({ blobs }) => {
    const parts = [randomBytes(1_500_000), Buffer.alloc(0), randomBytes(3), randomBytes(2_000_000)];
    const keys: string[] = [];
    for (const part of parts) keys.push((await blobs.put(Readable.from([part]))).key);
    const whole = Buffer.concat([...parts, parts[0] ?? Buffer.alloc(0)]);
    const order = [...keys, keys[0] ?? ''];
    const md5 = createHash('md5').update(whole).digest('base64');
    const joined = await blobs.join(order, { size: whole.length, sizeMax: whole.length, md5 });
    assert.deepEqual([joined.size, joined.sha256], [whole.length, hex(whole)]);
    assert.ok((await buffer(await blobs.open(joined.key))).equals(whole));
    for (const [at, key] of keys.entries()) {
      assert.ok((await buffer(await blobs.open(key))).equals(parts[at] ?? Buffer.alloc(0)));
    }
    const empty = await blobs.join([]);
    assert.deepEqual([empty.size, empty.sha256], [0, hex(Buffer.alloc(0))]);
  },
);

testOnStores(
  'joining more at once than there are turns for ends well for each of them',
  async ({ blobs, holdings }) => {
    const { key } = await blobs.put(Readable.from([randomBytes(100_000)]));
    const joined = await Promise.all(
      Array.from({ length: 9 }, (_, at) => blobs.join(Array(at + 1).fill(key))),
    );
    assert.deepEqual(
      joined.map(({ size }) => size),
      joined.map((_, at) => (at + 1) * 100_000),
    );
    assert.equal((await holdings()).length, 10);
  },
);

testOnStores(
  'blobs whose joint bytes are not what was promised, or of which one is missing, leave nothing',
  async ({ blobs, holdings }) => {
    const { key } = await blobs.put(Readable.from([Buffer.from('six by')]));
    const refused: [string[], PutOptions, string][] = [
      [[key, key], { sizeMax: 11 }, 'TOO_LARGE'],
      [[key, key], { size: 11 }, 'SIZE_MISMATCH'],
      [[key, key], { size: 13 }, 'SIZE_MISMATCH'],
      [[key, key], { md5: createHash('md5').update('six by').digest('base64') }, 'DIGEST_MISMATCH'],
      [[key, 'f'.repeat(32)], {}, 'NOT_FOUND'],
      [[key, '../../etc/passwd'], {}, 'NOT_FOUND'],
    ];
    for (const [keys, options, code] of refused) await assert.rejects(blobs.join(keys, options), { code });
    assert.deepEqual(await holdings(), [key]);
  },
);
