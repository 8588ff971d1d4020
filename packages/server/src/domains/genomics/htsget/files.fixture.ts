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
