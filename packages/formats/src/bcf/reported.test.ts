/** Binary files of public bug reports, built byte by byte: each is read as the text of the same VCF, or refused. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTabix } from '../binning/tabix.ts';
import { TabixBuilder } from '../binning/tabix-builder.ts';
import { BcfPlaces, BcfText } from './index.ts';

const le = (bytes: 1 | 2 | 4, ...values: number[]): Buffer => {
  const buffer = Buffer.alloc(bytes * values.length);
  for (const [at, value] of values.entries()) buffer.writeIntLE(value, at * bytes, bytes);
  return buffer;
};
const sizes = { 1: 1, 2: 2, 3: 4 } as const;
const head = (count: number, type: number): Buffer =>
  count < 15
    ? le(1, (((count << 4) | type) << 24) >> 24)
    : Buffer.concat([le(1, -16 + type), ints(3, count)]);
const ints = (type: 1 | 2 | 3, ...values: number[]): Buffer =>
  Buffer.concat([head(values.length, type), le(sizes[type], ...values)]);
const text = (value: string): Buffer => Buffer.concat([head(value.length, 7), Buffer.from(value)]);

interface TestRecord {
  contig?: number;
  /** Position from 0. */
  position?: number;
  length?: number;
  alleles?: string[];
  info?: Buffer[];
  /** Key, type, count a sample, values. */
  format?: Buffer[];
}

function recordBytes(
  { contig = 0, position = 99, length = 1, alleles = ['A', 'G'], info = [], format = [] }: TestRecord,
  samples: number,
): Buffer {
  const quality = le(4, 0x7f800001);
  const counts = [le(2, info.length / 2, alleles.length), le(4, (format.length / 2) * 2 ** 24 + samples)];
  const shared = [
    le(4, contig, position, length),
    quality,
    ...counts,
    head(0, 7),
    ...alleles.map(text),
    head(0, 0),
  ];
  const [own, calls] = [Buffer.concat([...shared, ...info]), Buffer.concat(format)];
  return Buffer.concat([le(4, own.length, calls.length), own, calls]);
}

function bcf(meta: string[], records: TestRecord[], samples: string[] = []): Buffer {
  const columns = '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO'.concat(
    samples.length > 0 ? '\tFORMAT\t' : '',
  );
  const header = Buffer.from(`##fileformat=VCFv4.2\n${meta.join('\n')}\n${columns}${samples.join('\t')}\n\0`);
  const bytes = records.map((record) => recordBytes(record, samples.length));
  return Buffer.concat([Buffer.from('BCF\x02\x02'), le(4, header.length), header, ...bytes]);
}

/** Records as in a VCF, without the columns from POS to FILTER where these have their usual values. */
function linesOf(bytes: Buffer): string[] {
  const reader = new BcfText();
  const read = Buffer.from(reader.add(bytes)).toString();
  reader.end();
  return read
    .trimEnd()
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .map((line) => line.replaceAll('\t', ' '));
}

test('numbers of the dictionaries are found however IDX is written', () => {
  const read = (...meta: string[]): string[] =>
    linesOf(bcf(meta, [{ contig: 2, info: [ints(1, 5), ints(1, 7)] }]));
  const expected = ['c 100 . A G . . DP=7'];
  // noodles 64 quoted it; bcftools 1559 and htsjdk 507 ask about gaps and its place.
  assert.deepEqual(read('##contig=<ID=c,IDX="2">', '##INFO=<ID=DP,Number=1,IDX="5">'), expected);
  assert.deepEqual(read('##contig=<IDX=2,ID=c,length=9>', '##INFO=<IDX=5,ID=DP,Description="x">'), expected);
  const described = '##INFO=<Description="a, ID=no,IDX=9> \\"b\\"",ID=DP,IDX=5>';
  assert.deepEqual(read('##contig=<ID=c,IDX=2>', described), expected);
  // Without IDX repeated lines have no numbers of their own, as in htslib.
  const [a, b, c] = ['a', 'b', 'c'].map((id) => `##contig=<ID=${id}>`) as [string, string, string];
  const keys = ['AA', 'BB', 'BB', 'CC', 'EE', 'DP'].map((id) => `##INFO=<ID=${id}>`);
  assert.deepEqual(read(a, b, b, c, ...keys), expected);
  // samtools 440, htslib 38: version 2.1, as Picard writes it without compression.
  const old = bcf([a], [{}]);
  old[4] = 1;
  assert.deepEqual(linesOf(old), ['a 100 . A G . . .']);
  assert.throws(() => read('##contig=<ID=c,IDX=2>', '##INFO=<ID=DP,IDX=4>'), /names a key that the header/);
});

test('values next to the reserved ones, and lists of samples of other lengths', () => {
  const meta = ['##contig=<ID=c>', ...['SVLEN', 'GT', 'X', 'S'].map((id) => `##INFO=<ID=${id}>`)];
  const info = (...value: Buffer[]): string =>
    linesOf(
      bcf(
        meta,
        value.map((one) => ({ info: [ints(1, 1), one] })),
      ),
    ).join();
  // htslib 832: bcftools 1.9 wrote -127 into one byte. BCF has no values of 64 bits (htslib 999, bcftools 1202).
  assert.match(info(ints(1, -127)), /SVLEN=-127$/);
  assert.match(info(ints(1, -120, -128, -127)), /SVLEN=-120,\.$/);
  assert.match(info(ints(2, -129)), /SVLEN=-129$/);
  assert.match(info(ints(3, 2 ** 31 - 1)), /SVLEN=2147483647$/);
  assert.match(info(text('x'.repeat(70_000))), /x{70000}$/);
  assert.throws(() => info(Buffer.concat([head(1, 4), Buffer.alloc(8)])), /a value has an unknown type/);
  // noodles 151, 328, shapeit5 99, gamgee 369, htslib 204: haploid, missing and phased genotypes, long texts of samples.
  const format = [
    ...[ints(1, 2), Buffer.concat([head(2, 1), le(1, 2, 5, 4, -127, 0, 0, 0, -127, -128, -127)])],
    ...[ints(1, 4), Buffer.concat([head(20, 7), Buffer.from('y'.repeat(20)), Buffer.alloc(80)])],
  ];
  const [line] = linesOf(bcf(meta, [{ format }], ['a', 'b', 'c', 'd', 'e']));
  assert.equal(line, `c 100 . A G . . . GT:S 0|1:${'y'.repeat(20)} 1:. ./.:. .:. .:.`);
});

// bcftools 2492: htslib before 1.10 wrote END - POS as the length.
test('the index accepts a record whose END is before POS, as far as its REF', () => {
  for (const length of [-81_907, 0, 1, 10]) {
    const builder = new TabixBuilder();
    const places = new BcfPlaces(builder);
    const record = { position: 16_380, length, alleles: ['A'.repeat(53), 'A'] };
    const bytes = bcf(['##contig=<ID=c>'], [record]);
    places.take(bytes, [{ start: 0, size: bytes.length }], 5000);
    places.end();
    const { bins } = readTabix(builder.finish());
    const found = [16_380, 16_384, 40_000].map((at) => bins.chunks(0, at, at + 1).length);
    assert.deepEqual(found, [1, 1, 0], String(length));
  }
});
