import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { InputError } from '../input-error.ts';
import { isVcf, parseVcfHeader } from './index.ts';

const columns = '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO';

describe('the header of a VCF', () => {
  test('INFO and FORMAT definitions are read, whatever the order and quoting of their attributes', () => {
    const { info, format } = parseVcfHeader([
      '##INFO=<ID=AF,Number=A,Type=Float,Description="Share, with , and > and \\"quotes\\"">',
      '##INFO=<Number=1,ID=DP, Type=Integer,Source="ID=no",Description=unquoted>',
      '##INFO=<ID=OLD>',
      '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">',
      '##contig=<ID=chr1>',
    ]);
    assert.deepEqual([...info.keys()], ['AF', 'DP', 'OLD']);
    assert.equal(info.get('AF')?.number, 'A');
    assert.equal(info.get('AF')?.description, 'Share, with , and > and \\"quotes\\"');
    assert.deepEqual(info.get('DP'), { id: 'DP', number: '1', type: 'Integer', description: 'unquoted' });
    assert.deepEqual(info.get('OLD'), { id: 'OLD', number: '.', type: 'String', description: '' });
    assert.equal(format.get('GT')?.type, 'String');
  });

  test('a definition of any length is read in linear time', () => {
    const blanks = ' '.repeat(1_000_000);
    const description = (text: string) =>
      parseVcfHeader([`##INFO=<ID=X,Description=${text}`]).info.get('X')?.description;
    assert.equal(description(`"a${blanks}x">y`), `a${blanks}x">y`);
    assert.equal(description(`${blanks}\ra${blanks}">${blanks}`), `a${blanks}`);
  });

  test('samples are the columns behind FORMAT; tabs at the end are none', () => {
    assert.deepEqual(parseVcfHeader([columns]).samples, []);
    assert.deepEqual(parseVcfHeader([`${columns}\t`]).samples, []);
    assert.deepEqual(parseVcfHeader([`${columns}\tFORMAT`]).samples, []);
    assert.deepEqual(parseVcfHeader([`${columns}\tFORMAT\tA\tB b\t\t`]).samples, ['A', 'B b']);
    assert.deepEqual(parseVcfHeader([`${columns}\tFORMAT\tA \tB b  `]).samples, ['A ', 'B b']);
    assert.deepEqual(parseVcfHeader([`${columns}\tFORMAT\tA\tA `]).samples, ['A', 'A ']);
    assert.equal(parseVcfHeader(['##fileformat=VCFv4.2']).samples, undefined);
  });

  test('samples of one name, without a name, or too few columns are refused with their place', () => {
    const refused = (line: string, place: { line: number; column?: number }): void => {
      assert.throws(
        () => parseVcfHeader(['##fileformat=VCFv4.2', line]),
        (error) => error instanceof InputError && error.line === place.line && error.column === place.column,
      );
    };
    refused(`${columns}\tFORMAT\tA\tB\tA`, { line: 2, column: 12 });
    refused(`${columns}\tFORMAT\tA\t\tB`, { line: 2, column: 11 });
    refused('#CHROM\tPOS\tID', { line: 2 });
    refused('#CHROM POS ID REF ALT QUAL FILTER INFO', { line: 2 });
  });
});

test('alleles are unchanged only where bcftools names itself as splitter, and no program trims', () => {
  const is = (commands: string[], ...others: string[]): boolean =>
    parseVcfHeader([
      ...commands.map((command) => `##bcftools_normCommand=norm ${command}; Date=x`),
      ...others,
    ]).isNeverTrimmed;
  for (const command of ['-m-', '-m -any in.vcf', '-Ozm-both', '--multiallelics -snps', '--multiallelics=-'])
    assert.ok(is([command]), command);
  for (const command of [
    '-d all',
    '-m +any',
    '-m- -f ref.fa',
    '-Ouf ref.fa -m -',
    '-m - --fasta-ref=r',
    '-m- -a',
  ])
    assert.ok(!is([command]), command);
  assert.ok(is(['-d all', '-m-']));
  assert.ok(!is(['-m-', '-f ref.fa']));
  assert.ok(!is([]));
  for (const line of [
    '##INFO=<ID=OLD_VARIANT,Number=.,Type=String,Description="Original chr:pos:ref:alt encoding">',
    '##INFO=<ID=OLD_MULTIALLELIC,Number=1,Type=String,Description="Original chr:pos:ref:alt encoding">',
    '##GATKCommandLine=<ID=LeftAlignAndTrimVariants,CommandLine="LeftAlignAndTrimVariants --output x">',
  ])
    assert.ok(!is(['-m-'], line), line);
});

describe('recognising a VCF', () => {
  test('a header is recognised by its file format, its column line, or its first record', () => {
    assert.ok(isVcf('##fileformat=VCFv4.2\n'));
    assert.ok(isVcf('\ufeff##fileformat=VCFv4.2\r\n'));
    assert.ok(isVcf(`##source=x\n${columns}\n`));
    assert.ok(isVcf('7\t107919079\t.\tA\tG\t.\t.\tAC=1\tGT\t0/1\n'));
    assert.ok(isVcf('\n1\t5\trs1\tA\t<DEL>,C\t.\t.\t.\n'));
  });

  test('nothing else is one', () => {
    for (const text of [
      '',
      '{"a":1}',
      '@HD\tVN:1.6',
      '>chr1\nACGT',
      'chr1\t5\t9\tname',
      '##gff-version 3\nchr1\ta\tb\t1\t2\t.\t.\t.',
      'Hugo_Symbol\tChromosome',
    ]) {
      assert.ok(!isVcf(text), text);
    }
  });
});
