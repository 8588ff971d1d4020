import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { useDialect } from './dialect.fixture.ts';

const { resultOf } = useDialect();

const p1 = 11400714785074694791n;
const p2 = 14029467366897019727n;
const p3 = 1609587929392839161n;
const p4 = 9650029242287828579n;
const p5 = 2870177450012600261n;

const u64 = (x: bigint): bigint => BigInt.asUintN(64, x);
const rotated = (x: bigint, bits: bigint): bigint => u64((x << bits) | (x >> (64n - bits)));
const round = (x: bigint, lane: bigint): bigint => u64(rotated(u64(x + lane * p2), 31n) * p1);

/** XXH64 as its specification has it. */
function xxh64(bytes: Buffer): string {
  let at = 0;
  let hash: bigint = p5;
  if (bytes.length >= 32) {
    const lanes = [u64(p1 + p2), p2, 0n, u64(-p1)];
    for (; at + 32 <= bytes.length; at += 32)
      for (const [index, lane] of lanes.entries())
        lanes[index] = round(lane, bytes.readBigUInt64LE(at + index * 8));
    hash = u64(lanes.reduce((sum, lane, index) => sum + rotated(lane, [1n, 7n, 12n, 18n][index] ?? 0n), 0n));
    for (const lane of lanes) hash = u64((hash ^ round(0n, lane)) * p1 + p4);
  }
  hash = u64(hash + BigInt(bytes.length));
  for (; at + 8 <= bytes.length; at += 8)
    hash = u64(rotated(hash ^ round(0n, bytes.readBigUInt64LE(at)), 27n) * p1 + p4);
  for (; at + 4 <= bytes.length; at += 4)
    hash = u64(rotated(hash ^ u64(BigInt(bytes.readUInt32LE(at)) * p1), 23n) * p2 + p3);
  for (; at < bytes.length; at += 1)
    hash = u64(rotated(hash ^ u64(BigInt(bytes.readUInt8(at)) * p5), 11n) * p1);
  for (const [shift, factor] of [
    [33n, p2],
    [29n, p3],
    [32n, 1n],
  ] as const)
    hash = u64((hash ^ (hash >> shift)) * factor);
  return hash.toString(16).toUpperCase().padStart(16, '0');
}

test('the hash of bytes of any length is that of the specification, whatever the rows beside it', async () => {
  assert.equal(xxh64(Buffer.from('abc')), '44BC2CF5AD770999');
  // More rows than a batch of the engine has, of 0 to 130 bytes; every seventh has none.
  const data = randomBytes(180);
  const rows = Array.from({ length: 2500 }, (_, i) =>
    i % 7 === 3 ? '' : xxh64(data.subarray(i % 50, (i % 50) + ((i * 13) % 131))),
  );
  const part = `from_hex(substr('${data.toString('hex')}', i % 50 * 2 + 1, i * 13 % 131 * 2))`;
  const bytes = `SELECT i, CASE WHEN i % 7 <> 3 THEN ${part} END AS b FROM UNNEST(sequence(0, 2499)) AS t(i)`;
  const statement = `SELECT to_hex(xxhash64(b)) FROM (${bytes}) AS u ORDER BY i`;
  assert.equal(await resultOf(statement), rows.join(';'));
  const [none, all] = [Buffer.alloc(32), Buffer.alloc(72, 255)];
  const same = `SELECT to_hex(xxhash64(X'${none.toString('hex')}')), to_hex(xxhash64(X'${all.toString('hex')}'))`;
  assert.equal(await resultOf(same), `${xxh64(none)},${xxh64(all)}`);
});

test('NULL has no hash, and what is no bytes is refused', async () => {
  assert.equal(await resultOf('SELECT xxhash64(CAST(NULL AS VARBINARY)) IS NULL'), 'true');
  for (const value of ["'text'", '5'])
    await assert.rejects(resultOf(`SELECT xxhash64(${value})`), /xxhash64 takes bytes, such as to_utf8/);
});
