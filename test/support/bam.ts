import { crc32, deflateRawSync } from 'node:zlib';
import { blockBytesMax, endOfFileBlock, writeBlock } from '../../packages/formats/src/index.ts';

/** A record of a BAM, as little of it as tests need to say. */
export interface TestRead {
  name?: string;
  /** −1: none. */
  reference: number;
  /** Position from 0. */
  position: number;
  flags?: number;
  bases?: string;
  /** `[length, letter]` of MIDNSHP=X; absent: as many M as there are bases. */
  cigar?: [number, string][];
  /** Read group of it. */
  group?: string;
}

export interface TestBam {
  text?: string;
  references?: [string, number][];
  reads?: TestRead[];
  /** Uncompressed bytes of a block. */
  blockBytes?: number;
  /** Without the block that ends a file. */
  endless?: boolean;
}

const operations = 'MIDNSHP=X';
const baseCodes = '=ACMGRSVTWYHKDBN';

/** Returns the bytes of a BAM (SAM spec §4.2). */
export function bamBytes({ text = '', references = [['chr1', 1000]], reads = [], ...file }: TestBam): Buffer {
  const names = references.flatMap(([name, length]) => {
    const bytes = Buffer.from(`${name}\0`);
    return [int32(bytes.length), bytes, int32(length)];
  });
  const header = Buffer.from(text);
  const head = [Buffer.from('BAM\x01'), int32(header.length), header, int32(references.length), ...names];
  return bgzf(Buffer.concat([...head, ...reads.map(readBytes)]), file);
}

/** Bytes as a BGZF file. */
export function bgzf(
  content: Uint8Array,
  { blockBytes = blockBytesMax - 256, endless = false }: { blockBytes?: number; endless?: boolean } = {},
): Buffer {
  const blocks: Uint8Array[] = [];
  for (let at = 0; at < content.length; at += blockBytes) {
    const part = content.subarray(at, at + blockBytes);
    blocks.push(writeBlock(deflateRawSync(part), { crc32: crc32(part), size: part.length }));
  }
  return Buffer.concat(endless ? blocks : [...blocks, endOfFileBlock]);
}

function readBytes(read: TestRead): Buffer {
  const { name = 'read', reference, position, flags = 0, bases = 'ACGTACGTAC', group } = read;
  const cigar = read.cigar ?? (bases === '' ? [] : [[bases.length, 'M'] as [number, string]]);
  const fixed = Buffer.alloc(32);
  fixed.writeInt32LE(reference, 0);
  fixed.writeInt32LE(position, 4);
  fixed.writeUInt8(name.length + 1, 8);
  fixed.writeUInt16LE(cigar.length, 12);
  fixed.writeUInt16LE(flags, 14);
  fixed.writeInt32LE(bases.length, 16);
  fixed.writeInt32LE(-1, 20);
  fixed.writeInt32LE(-1, 24);
  const record = Buffer.concat([
    fixed,
    Buffer.from(`${name}\0`),
    ...cigar.map(([length, letter]) => int32((length << 4) | operations.indexOf(letter))),
    packed(bases),
    Buffer.alloc(bases.length, 30),
    Buffer.from('NMC\0'),
    ...(group === undefined ? [] : [Buffer.from(`RGZ${group}\0`)]),
  ]);
  return Buffer.concat([int32(record.length), record]);
}

function packed(bases: string): Buffer {
  const bytes = Buffer.alloc((bases.length + 1) >> 1);
  for (let at = 0; at < bases.length; at += 1) {
    const code = baseCodes.indexOf(bases[at] ?? '');
    bytes[at >> 1] = (bytes[at >> 1] ?? 0) | (at % 2 === 0 ? code << 4 : code);
  }
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
}
