import { closeSync, openSync, writeSync } from 'node:fs';
import { crc32, deflateRawSync } from 'node:zlib';
import { endOfFileBlock, writeBlock } from '../packages/formats/src/index.ts';

const contentBytes = 0xff00;
const readLength = 100;
const recordBytes = 4 + 32 + 11 + 4 + readLength / 2 + readLength;
/** One sequence, as long as the reads need at a depth of 30. */
const depth = 30;

/** BAM of reads with random bases, and the place of each. */
export interface MadeBam {
  sequenceLength: number;
  /** Start of each read on the sequence. */
  positions: Int32Array;
  /** Bytes of the blocks of the file, in order, and where its records begin in what they hold. */
  blockSizes: number[];
  firstRecord: number;
  recordBytes: number;
  contentBytes: number;
  readLength: number;
}

/** Writes a sorted BAM of so many reads of 100 bases, in full blocks, at a depth of 30. The same bytes each time. */
export function makeBam(path: string, count: number): MadeBam {
  const sequenceLength = Math.ceil((count * readLength) / depth);
  const head = Buffer.concat([
    Buffer.from('BAM\x01'),
    int32(0),
    int32(1),
    int32(5),
    Buffer.from('chr1\0'),
    int32(sequenceLength),
  ]);
  const file = openSync(path, 'w');
  const blockSizes: number[] = [];
  let rest: Buffer = head;
  const flush = (all: boolean): void => {
    let at = 0;
    for (; rest.length - at >= contentBytes || (all && at < rest.length); at += contentBytes) {
      const content = rest.subarray(at, at + contentBytes);
      const block = writeBlock(deflateRawSync(content, { level: 1 }), {
        crc32: crc32(content),
        size: content.length,
      });
      writeSync(file, block);
      blockSizes.push(block.length);
    }
    rest = rest.subarray(Math.min(at, rest.length));
  };
  const positions = new Int32Array(count);
  let state = 1;
  const random = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state;
  };
  const batch = 10_000;
  for (let from = 0; from < count; from += batch) {
    const records: Buffer[] = [];
    for (let at = from; at < Math.min(count, from + batch); at += 1) {
      positions[at] = Math.floor((at / count) * (sequenceLength - readLength));
      records.push(record(at, positions[at] ?? 0, random));
    }
    rest = Buffer.concat([rest, ...records]);
    flush(false);
  }
  flush(true);
  writeSync(file, endOfFileBlock);
  closeSync(file);
  return {
    sequenceLength,
    positions,
    blockSizes,
    firstRecord: head.length,
    recordBytes,
    contentBytes,
    readLength,
  };
}

function record(number: number, position: number, random: () => number): Buffer {
  const bytes = Buffer.alloc(recordBytes);
  bytes.writeInt32LE(recordBytes - 4, 0);
  bytes.writeInt32LE(position, 8);
  bytes.writeUInt8(11, 12);
  bytes.writeUInt8(60, 13);
  bytes.writeUInt16LE(1, 16);
  bytes.writeInt32LE(readLength, 20);
  bytes.writeInt32LE(-1, 24);
  bytes.writeInt32LE(-1, 28);
  bytes.write(String(number).padStart(10, '0'), 36, 'latin1');
  bytes.writeInt32LE(readLength << 4, 47);
  const codes = [1, 2, 4, 8];
  for (let at = 51; at < 51 + readLength / 2; at += 1) {
    const value = random();
    bytes[at] = ((codes[value >>> 30] ?? 1) << 4) | (codes[(value >>> 28) & 3] ?? 1);
  }
  bytes.fill(37, 51 + readLength / 2);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
}
