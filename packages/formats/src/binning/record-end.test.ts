import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesOf } from '../bytes.ts';
import { readTabix } from './tabix.ts';
import { TabixBuilder } from './tabix-builder.ts';

test('a record reaches as far as END, SVLEN of what it deletes or copies, or LEN of a sample say', () => {
  const long: [alternates: string, info: string, samples: string, end: number][] = [
    ['<DEL>', 'SVLEN=50000', '', 51_000],
    ['<DEL>', 'DP=3;SVLEN=-50000;X', '', 51_000],
    ['<DUP:TANDEM>', 'SVLEN=50000', '', 51_000],
    ['<CNV:TR>', 'SVLEN=50000', '', 51_000],
    ['<INV>,A', 'SVLEN=50000,.', '', 51_000],
    ['<INS>,<DEL>', 'SVLEN=90000,50000', '', 51_000],
    ['<DEL>', 'END=40000;SVLEN=50000', '', 51_000],
    ['<DEL>', 'END=60000;SVLEN=50000', '', 60_000],
    ['<*>', '.', 'GT:LEN\t0/0:50000\t0/0:.\t0/0', 50_999],
    ['C,<NON_REF>', 'DP=2', 'LEN:GT\t1:0/0\t50000:0/0', 50_999],
    ['<NON_REF>', 'END=50999', 'GT:LEN\t0/0:3', 50_999],
    ['<INS>', 'SVLEN=50000', '', 1003],
    ['<BND>', 'SVLEN=50000', '', 1003],
    ['C', 'SVLEN=50000', 'LEN\t50000', 1003],
    ['<DEL>', 'SVLEN=.', '', 1003],
    ['<DEL>', 'XSVLEN=50000;XEND=7000', '', 1003],
    ['<*>', '.', 'GT\t0/0', 1003],
    ['<DEL>', 'SVLEN=99999999999', '', 2 ** 29],
    // END on another sequence: htslib 428, cuteSV 17, Jasmine 26.
    ['<TRA>', 'CHR2=chr9;END=60000', '', 1003],
    ['A[chr9:60000[', 'END=60000;SVTYPE=BND', '', 1003],
    ['<DEL>', 'CHR2=chr1;END=60000', '', 60_000],
  ];
  for (const [alternates, info, samples, end] of long) {
    const builder = new TabixBuilder();
    const fields = ['chr1', '1000', '.', 'ACGT', alternates, '.', '.', info, ...(samples ? [samples] : [])];
    builder.add(bytesOf(fields.join('\t')), 0, 100);
    const { bins } = readTabix(builder.finish());
    const isFound = (from: number) => bins.chunks(0, from, from + 1).length > 0;
    // Windows are 16,384 bases wide: records in the window of the end are found.
    assert.ok(isFound(end - 1), `${alternates} ${info}`);
    assert.ok(!isFound(end + 16_384), `${alternates} ${info} is not found far behind it`);
  }
});

test('a record reaches at least over its REF, for any END', () => {
  for (const info of ['END=16383', 'END=5', '.']) {
    const builder = new TabixBuilder();
    builder.add(bytesOf(`chr1\t16383\t.\tACGT\tA\t.\t.\t${info}`), 0, 100);
    const { bins } = readTabix(builder.finish());
    assert.equal(bins.chunks(0, 16_385, 16_386).length, 1, info);
  }
});
