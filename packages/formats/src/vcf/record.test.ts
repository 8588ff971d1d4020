import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { recordFault } from './index.ts';

const fault = (record: string, sampleCount = 1): string | undefined =>
  recordFault(record.replaceAll(' ', '\t'), sampleCount)?.reason;

describe('a record', () => {
  test('a record of every kind in the specification is sound', () => {
    const alternates = [
      'C',
      'acgtn',
      '.',
      '*',
      '<DEL>',
      '<INS:ME:ALU>',
      'G]17:198982]',
      ']13:123456]T',
      'C[<ctg1>:7[',
      '.A',
      'G.',
      'C,<NON_REF>',
    ];
    for (const alternate of alternates)
      assert.equal(fault(`1 5 . A ${alternate} . . .`, 0), undefined, alternate);
    const genotypes = ['0/1', '1|0', '.', './.', '1', '0/0/1', '/1', '|1|0', '', './1'];
    for (const genotype of genotypes)
      assert.equal(fault(`1 5 . A C . . . GT:DP ${genotype}:3`), undefined, genotype);
    assert.equal(fault('1 5 . A C . . . DP 9/9'), undefined);
    assert.equal(fault('1 0 . A C . . . GT 0/1 '), undefined);
  });

  test('a record of any length is checked, with any number of alleles', () => {
    const many = 4 << 20;
    assert.equal(fault(`1 5 . A ${'*,'.repeat(many)}C . . .`, 0), undefined);
    assert.match(fault(`1 5 . A ${'C,'.repeat(many)}; . . .`, 0) ?? '', /ALT/);
    assert.equal(fault(`1 5 . A C . . . GT ${'0/'.repeat(many)}1`), undefined);
    assert.match(fault(`1 5 . A C . . . GT ${'0/'.repeat(many)}x`) ?? '', /cannot be read/);
  });

  test('a broken record is reported with its column and the reason, without its values', () => {
    const cases: [string, RegExp][] = [
      ['1 5 . A', /only 4/],
      ['1 5 . A C . . . GT', /9 columns, but the header has 10/],
      ['1 x . A C . . . GT 0/1', /POS/],
      ['1 9999999999999999 . A C . . . GT 0/1', /POS/],
      ['1 5 . . C . . . GT 0/1', /REF/],
      ['1 5 . A C;G . . . GT 0/1', /ALT/],
      ['1 5 . A <DEL . . . GT 0/1', /ALT/],
      ['1 5 . A C . . . GT 0/2', /column 10 names an allele/],
      ['1 5 . A C . . . GT 0//1', /column 10 cannot be read/],
      ['1 5 . A C . . . GT:DP 0/1:3:4', /column 10 has more values than FORMAT has keys/],
      ['#1 5 . A C . . . GT 0/1', /header/],
    ];
    for (const [record, reason] of cases) assert.match(fault(record) ?? 'sound', reason, record);
  });
});
