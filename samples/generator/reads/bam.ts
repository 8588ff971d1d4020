import { contigs } from '../contigs.ts';
import type { Read } from './haplotypes.ts';

const operations = 'MID';
const baseCodes = '=ACMGRSVTWYHKDBN';
const reverse = 0x10;
const mappingQuality = 60;
const baseQuality = 37;

const rank = new Map(contigs.map(({ name }, index) => [name, index]));

/** Bytes of a BAM before compression (SAM specification §4.2): the header, then reads as they come. */
export function* bamBytes(sample: string, reads: Iterable<Read>): Generator<Buffer> {
  yield header(sample);
  let number = 0;
  for (const read of reads) {
    number += 1;
    yield record(read, `${sample}.${number}`, sample);
  }
}

function header(sample: string): Buffer {
  const lines = [
    '@HD\tVN:1.6\tSO:coordinate',
    ...contigs.map(({ name, length }) => `@SQ\tSN:${name}\tLN:${length}\tAS:GRCh38`),
    `@RG\tID:${sample}\tSM:${sample}`,
    '@PG\tID:PloidySampleGenerator\tPN:PloidySampleGenerator',
    '@CO\tInvented reads of a person who does not exist, around some variants of the VCF',
  ];
  const text = Buffer.from(`${lines.join('\n')}\n`);
  const sequences = contigs.flatMap(({ name, length }) => {
    const bytes = Buffer.from(`${name}\0`);
    return [int32(bytes.length), bytes, int32(length)];
  });
  return Buffer.concat([
    Buffer.from('BAM\x01'),
    int32(text.length),
    text,
    int32(contigs.length),
    ...sequences,
  ]);
}

function record(read: Read, name: string, group: string): Buffer {
  const { bases, cigar } = read;
  const start = read.position - 1;
  const fixed = Buffer.alloc(32);
  fixed.writeInt32LE(rank.get(read.chromosome) ?? -1, 0);
  fixed.writeInt32LE(start, 4);
  fixed.writeUInt8(name.length + 1, 8);
  fixed.writeUInt8(mappingQuality, 9);
  fixed.writeUInt16LE(binOf(start, start + read.span), 10);
  fixed.writeUInt16LE(cigar.length, 12);
  fixed.writeUInt16LE(read.isReverse ? reverse : 0, 14);
  fixed.writeInt32LE(bases.length, 16);
  // No mate.
  fixed.writeInt32LE(-1, 20);
  fixed.writeInt32LE(-1, 24);
  const content = Buffer.concat([
    fixed,
    Buffer.from(`${name}\0`),
    ...cigar.map(([length, operation]) => int32((length << 4) | operations.indexOf(operation))),
    packed(bases),
    Buffer.alloc(bases.length, baseQuality),
    Buffer.from(`RGZ${group}\0`),
  ]);
  return Buffer.concat([int32(content.length), content]);
}

/** Packs two bases a byte (§4.2.3). */
function packed(bases: string): Buffer {
  const bytes = Buffer.alloc((bases.length + 1) >> 1);
  for (const [at, base] of [...bases].entries())
    bytes[at >> 1] = (bytes[at >> 1] ?? 0) | (baseCodes.indexOf(base) << (at % 2 === 0 ? 4 : 0));
  return bytes;
}

/** Returns the smallest bin that holds a range (§5.3, reg2bin). */
function binOf(start: number, end: number): number {
  for (const [shift, offset] of [
    [14, 4681],
    [17, 585],
    [20, 73],
    [23, 9],
    [26, 1],
  ] as const)
    if (start >> shift === (end - 1) >> shift) return offset + (start >> shift);
  return 0;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
}
