import { open, rename, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';
import { endOfFileBlock, writeBlock } from '../packages/formats/src/index.ts';

/** Reads of the file, of 100 bases each; 210 MB. */
export const reads = 2_400_000;
const bases = 100;
const sequences: [string, number][] = Array.from({ length: 24 }, (_, at) => [`chr${at + 1}`, 100_000_000]);
const groups = ['lane1', 'lane2', 'lane3', 'lane4'];
/** One of this many reads is unaligned. */
const unalignedEvery = 50;
const blockBytes = 65_280;

/** Makes a deterministic, sorted BAM of some 200 MB, once a machine. Returns its path and size. */
export async function bamBenchFile(): Promise<{ path: string; size: number; aligned: number }> {
  const path = join(tmpdir(), `ploidy-bench-${reads}.bam`);
  const aligned = reads - Math.floor(reads / unalignedEvery);
  const found = await stat(path).catch(() => undefined);
  if (found) return { path, size: found.size, aligned };
  const file = await open(`${path}.part`, 'w');
  let pending = header();
  const write = async (isLast: boolean): Promise<void> => {
    let at = 0;
    for (; at + blockBytes <= pending.length || (isLast && at < pending.length); at += blockBytes) {
      const content = pending.subarray(at, at + blockBytes);
      const deflated = deflateRawSync(content, { level: 1 });
      await file.writeFile(writeBlock(deflated, { crc32: crc32(content), size: content.length }));
    }
    pending = pending.subarray(at);
  };
  const record = new RecordWriter();
  for (let number = 0; number < reads; number += 1000) {
    const batch = Array.from({ length: 1000 }, (_, at) => record.write(number + at));
    pending = Buffer.concat([pending, ...batch]);
    await write(false);
  }
  await write(true);
  await file.writeFile(endOfFileBlock);
  await file.close();
  await rename(`${path}.part`, path);
  return { path, size: (await stat(path)).size, aligned };
}

function header(): Buffer {
  const lines = [
    '@HD\tVN:1.6\tSO:coordinate',
    ...sequences.map(([name, length]) => `@SQ\tSN:${name}\tLN:${length}`),
    ...groups.map((id) => `@RG\tID:${id}\tSM:bench\tPL:ILLUMINA`),
  ];
  const text = Buffer.from(`${lines.join('\n')}\n`);
  const names = sequences.flatMap(([name, length]) => {
    const bytes = Buffer.from(`${name}\0`);
    return [int32(bytes.length), bytes, int32(length)];
  });
  return Buffer.concat([Buffer.from('BAM\x01'), int32(text.length), text, int32(sequences.length), ...names]);
}

/** Records one after the other, of numbers that look like chance and are the same each time (xorshift). */
class RecordWriter {
  #state = 20260504;

  write(number: number): Buffer {
    const name = Buffer.from(`bench:${number}\0`);
    const group = Buffer.from(`RGZ${groups[number % groups.length]}\0`);
    const size = 32 + name.length + 4 + bases / 2 + bases + 4 + group.length;
    const bytes = Buffer.alloc(4 + size);
    const perSequence = Math.ceil(reads / sequences.length);
    const spacing = Math.floor(99_000_000 / perSequence);
    bytes.writeInt32LE(size, 0);
    bytes.writeInt32LE(Math.floor(number / perSequence), 4);
    bytes.writeInt32LE((number % perSequence) * spacing, 8);
    bytes.writeUInt8(name.length, 12);
    bytes.writeUInt8(60, 13);
    bytes.writeUInt16LE(1, 16);
    bytes.writeUInt16LE(number % unalignedEvery === 0 ? 5 : 1, 18);
    bytes.writeInt32LE(bases, 20);
    bytes.writeInt32LE(-1, 24);
    bytes.writeInt32LE(-1, 28);
    let at = name.copy(bytes, 36) + 36;
    at = bytes.writeInt32LE(bases << 4, at);
    for (let index = 0; index < bases / 2; index += 1) {
      const next = this.#next();
      bytes[at++] = ((1 << (next & 3)) << 4) | (1 << ((next >> 2) & 3));
    }
    for (let index = 0; index < bases; index += 1) bytes[at++] = 25 + (this.#next() & 15);
    at += bytes.write('NMC\0', at, 'latin1');
    group.copy(bytes, at);
    return bytes;
  }

  #next(): number {
    let state = this.#state;
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    this.#state = state;
    return state >>> 8;
  }
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
}
