import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bytesOf } from '../../bytes.ts';
import { companionsOf, recordsNear } from './phased.ts';

const record = (chromosome: string, position: number, ...genotypes: string[]): string =>
  [chromosome, position, '.', 'A', 'C,G', '.', '.', '.', 'GT:PS', ...genotypes].join('\t');

describe('records near another one', () => {
  test('records within two bases on its chromosome are found, and none of another chromosome', () => {
    const lines = [
      ...[record('1', 100, '0|1'), record('1', 5000, '0|1'), record('2', 10, '0|1'), record('2', 11, '0|1')],
      ...[record('2', 13, '0|1'), record('2', 14, '0|1'), record('3', 12, '0|1'), record('3', 13, '0|1')],
    ];
    const text = bytesOf(lines.map((line) => `${line}\n`).join(''));
    const near = (at: number): string[] => {
      const start = lines.slice(0, at).reduce((sum, line) => sum + line.length + 1, 0);
      const end = start + (lines[at]?.length ?? 0);
      return recordsNear(text, start, end).map(([name, position]) => `${name}:${position}`);
    };
    assert.deepEqual(near(2), ['2:11']);
    assert.deepEqual(near(4), ['2:11', '2:14']);
    assert.deepEqual(near(5), ['2:13']);
    assert.deepEqual(near(6), ['3:13']);
  });
});

describe('alleles of one haplotype', () => {
  const companions = (own: string[], ...others: string[][]): string[] =>
    companionsOf(
      record('1', 10, ...own).split('\t'),
      1,
      others.map((genotypes, at) => record('1', 11 + at, ...genotypes).split('\t')),
    ).map((list) => list.map(({ columns, allele }) => `${columns[1]}:${allele}`).join(' '));

  test('alleles of one phase set are together, of each haplotype that has the allele', () => {
    assert.deepEqual(companions(['0|1'], ['0|1'], ['2|1']), ['11:1 12:1']);
    assert.deepEqual(companions(['0|1:5'], ['0|1:5'], ['0|1:6']), ['11:1']);
    assert.deepEqual(companions(['1|1'], ['0|1'], ['2|0']), ['12:2', '11:1']);
    assert.deepEqual(companions(['0|1'], ['1|0']), []);
  });

  test('an allele of all haplotypes is on each, and others without a phase are with it alone', () => {
    assert.deepEqual(companions(['0/1'], ['1/1'], ['0/1']), ['11:1']);
    assert.deepEqual(companions(['1/1'], ['0/1'], ['0/2']), ['11:1', '12:2']);
    assert.deepEqual(companions(['1'], ['2'], ['1']), ['11:2 12:1']);
  });

  test('equal haplotypes of several samples are listed once, and missing alleles are none', () => {
    assert.deepEqual(companions(['0|1', '1|0', '1|1'], ['0|1', '1|0', '.|.']), ['11:1']);
  });
});
