import { bamBytes } from '../../../../../../test/support/bam.ts';

const sequences: [string, number][] = [
  ['chr1', 2_000_000],
  ['2', 1_000_000],
  ['MT', 16_569],
];

/**
 * One read per 500 bases of two sequences, and two unplaced reads. Records straddle blocks, unlike those of
 * BAM writers.
 */
export const reads = [
  ...Array.from({ length: 3000 }, (_, at) => ({ name: `a${at}`, reference: 0, position: at * 500 })),
  ...Array.from({ length: 1000 }, (_, at) => ({ name: `b${at}`, reference: 1, position: at * 500 })),
  ...['u0', 'u1'].map((name) => ({ name, reference: -1, position: -1, flags: 4 })),
];
export const bam = bamBytes({
  text: '@HD\tVN:1.6\tSO:coordinate\n',
  references: sequences,
  reads,
  blockBytes: 1777,
});
const readLength = 10;

/** Lists the names of the written reads that overlap a range. */
export function overlapping(reference: number, start: number, end: number): string[] {
  const found = reads.filter(
    (one) => one.reference === reference && one.position < end && one.position + readLength > start,
  );
  return found.map(({ name }) => name);
}

export const vcf = [
  '##fileformat=VCFv4.3',
  '##contig=<ID=1>',
  '##contig=<ID=3>',
  '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO',
  ...Array.from({ length: 2000 }, (_, at) => `1\t${at * 100 + 1}\tv${at}\tA\tC\t.\tPASS\tDP=${at}`),
  '2\t5\tw\tA\t<DEL>\t.\tPASS\tEND=90000',
  '',
].join('\n');

/** Address of a ticket. */
export interface TicketUrl {
  url: string;
  class: string;
  headers: object;
}

export function urlsOf(reply: { body: { htsget: { urls: TicketUrl[] } } }): TicketUrl[] {
  return reply.body.htsget.urls;
}

/** Bytes of a record of `bcfOf`. */
export const bcfRecordBytes = 40;

/** Makes the inflated bytes of a BCF without samples; records: number of the sequence, position from 0, length. */
export function bcfOf(records: number[][]): Buffer {
  const lines = ['##fileformat=VCFv4.3', ...['1', '2', '3'].map((name) => `##contig=<ID=${name}>`)];
  const text = Buffer.from(`${lines.join('\n')}\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n\0`);
  const head = Buffer.from('BCF\x02\x02\0\0\0\0', 'latin1');
  head.writeUInt32LE(text.length, 5);
  const bodies = records.map(([sequence = 0, position = 0, length = 0]) => {
    const record = Buffer.alloc(bcfRecordBytes);
    const numbers = [bcfRecordBytes - 8, 0, sequence, position, length, 0x7f800001, 2 << 16, 0];
    for (const [at, number] of numbers.entries()) record.writeUInt32LE(number, at * 4);
    // No id, REF A, ALT C, no filter.
    Buffer.from([0x07, 0x17, 0x41, 0x17, 0x43, 0x00]).copy(record, 32);
    return record;
  });
  return Buffer.concat([head, text, ...bodies]);
}
