import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { convertText, pick, vcf } from './conversion.fixture.ts';

const allelesOf = async (...records: string[]): Promise<string[]> => {
  const { variants } = await convertText(vcf(records.map((record) => `${record} . PASS .`)));
  return pick(variants, 'chromosome', 'position', 'reference', 'alternate');
};

describe('alleles', () => {
  test('ends that both alleles share are cut, the end first, one base stays', async () => {
    assert.deepEqual(await allelesOf('1 100 . CATG CTTG'), ['chr1 101 A T']);
    const several = await allelesOf('1 100 . ATAT AAT,A');
    assert.deepEqual(several.toSorted(), ['chr1 100 AT A', 'chr1 100 ATAT A']);
    assert.deepEqual(await allelesOf('1 100 . GAAA GAA'), ['chr1 100 GA G']);
    assert.deepEqual(await allelesOf('1 100 . AC ACAC'), ['chr1 100 A ACA']);
    assert.deepEqual(await allelesOf('1 100 . CAG CAGCAG'), ['chr1 100 C CAGC']);
    assert.deepEqual(await allelesOf('1 100 . ACG TGA'), ['chr1 100 ACG TGA']);
    assert.deepEqual(await allelesOf('1 100 . AAC AAG'), ['chr1 102 C G']);
  });

  test('very long alleles are cut in linear time', async () => {
    const long = 'ACGT'.repeat(25_000);
    assert.deepEqual(await allelesOf(`1 100 . ${long}A${long} ${long}C${long}`), [
      `chr1 ${100 + long.length} A C`,
    ]);
  });

  test('lower-case bases are the same bases', async () => {
    assert.deepEqual(await allelesOf('1 5 . ac aT'), ['chr1 6 C T']);
  });

  test('ambiguity codes of REF are concrete, also where the alternate repeats them; others are reported', async () => {
    for (const [alleles, expected, ambiguous] of [
      ['R G', '5 A G', 0],
      ['RT R', '5 AT A', 0],
      ['rt R', '5 AT A', 0],
      ['R TR', '5 A TA', 0],
      ['AR AG', '6 A G', 0],
      ['A R', '5 A R', 1],
      ['A ANN', '5 A ANN', 1],
      ['N T', '5 N T', 1],
      ['NA N', '5 NA N', 1],
    ] as const) {
      const { variants, warnings } = await convertText(vcf([`1 5 . ${alleles} . . .`]));
      assert.deepEqual(pick(variants, 'position', 'reference', 'alternate'), [expected], alleles);
      assert.equal(
        warnings.filter(({ message }) => /letters for several bases/.test(message)).length,
        ambiguous,
      );
    }
  });

  test('alternates that stand for anything else, and a repeated reference, give no row', async () => {
    assert.deepEqual(
      await allelesOf('1 5 . A <NON_REF>', '1 6 . A *', '1 7 . A .', '1 8 . A <*>,G', '1 9 . A A'),
      ['chr1 8 A G'],
    );
  });

  test('symbolic alleles and breakends are no variants; what belongs into no table at all is counted in one warning', async () => {
    const { variants, copies, fusions, warnings } = await convertText(
      vcf(['1 5 . A <DEL> . . END=9', '1 6 . A A[2:7[,G . . .', '1 7 . N <INS> . . .', '1 8 . G G. . . .']),
    );
    assert.deepEqual(pick(variants, 'position', 'alternate'), ['6 G']);
    assert.deepEqual([copies.length, fusions.length], [1, 1]);
    assert.deepEqual(
      warnings.map(({ message }) => message.split(' ')[0]),
      ['2'],
    );
  });

  test('human chromosomes have one spelling, other contigs stay as they are', async () => {
    const names = [
      'chr7',
      '7',
      'CHR8',
      'x',
      'chrX',
      'MT',
      'chrM',
      'M',
      'GL000220.1',
      'chrUn_KI270742v1',
      '23',
      'HLA-A*01:01',
    ];
    const rows = await allelesOf(...names.map((name, index) => `${name} ${index + 1} . A C`));
    const byPosition = new Map(rows.map((row) => [row.split(' ')[1], row.split(' ')[0]]));
    const expected = ['chr7', 'chr7', 'chr8', 'chrX', 'chrX', 'chrM', 'chrM', 'chrM', ...names.slice(8)];
    assert.deepEqual(
      names.map((_, index) => byPosition.get(String(index + 1))),
      expected,
    );
  });

  test('rows are sorted by chromosome and position, whatever the order of the file', async () => {
    const rows = await allelesOf('2 5 . A C', '10 7 . A C', '1 9 . A C', '10 3 . A C', '1 2 . A C');
    assert.deepEqual(rows, ['chr1 2 A C', 'chr1 9 A C', 'chr10 3 A C', 'chr10 7 A C', 'chr2 5 A C']);
  });

  test('rows are sorted in files of many small contigs, in any order, too', async () => {
    const contigs = Array.from({ length: 260 }, (_, index) => `contig${index}`);
    const records = contigs.toReversed().flatMap((contig) => [`${contig} 9 . A C`, `${contig} 4 . A C`]);
    const expected = contigs.toSorted().flatMap((contig) => [`${contig} 4 A C`, `${contig} 9 A C`]);
    assert.deepEqual(await allelesOf(...records), expected);
  });

  test('rows are sorted where a trimmed allele moves behind the next record', async () => {
    const rows = await allelesOf(
      '1 100 . CATG CATT',
      '1 101 . A C',
      '2 5 . A C',
      '1 102 . A C',
      '1 50 . A C',
    );
    assert.deepEqual(rows, ['chr1 50 A C', 'chr1 101 A C', 'chr1 102 A C', 'chr1 103 G T', 'chr2 5 A C']);
    const inOrder = await allelesOf('1 100 . CATG CATT', '1 101 . A C', '2 5 . A C');
    assert.deepEqual(inOrder, ['chr1 101 A C', 'chr1 103 G T', 'chr2 5 A C']);
  });

  test('an allele has one hash in its id, in any spelling', async () => {
    const { variants } = await convertText(
      vcf(['1 5 . AT AC . . .', 'chr1 6 . T C . . .', '1 6 . T G . . .']),
    );
    const ids = variants.map((row) => String(row['variant_id']));
    assert.match(ids[0] ?? '', /^set:[0-9a-f]{16}:$/);
    assert.equal(new Set(ids).size, 2);
  });

  test('passOnly keeps PASS and unfiltered records', async () => {
    const text = vcf(['1 1 . A C . PASS .', '1 2 . A C . . .', '1 3 . A C . q10 .', '1 4 . A C . q10;s50 .']);
    assert.equal((await convertText(text)).variants.length, 4);
    assert.deepEqual(pick((await convertText(text, { passOnly: true })).variants, 'position'), ['1', '2']);
  });
});

test('chromosomes with accessions of several builds are reported, and the file has no build', async () => {
  const reported = async (records: string[], meta: string[] = [], options = {}) => {
    const { tables, warnings } = await convertText(vcf(records, { meta }), options);
    return [tables[0]?.genomeBuild, ...warnings.map(({ message }) => message.split(',')[0])];
  };
  const [older, newer] = ['NC_000001.10 5 . A C . . .', 'NC_000001.11 2000 . A C . . .'];
  const told37 = '##contig=<ID=chr1,length=249250621>';
  const warning = (names: string) => `The file has chromosomes of several genome builds (${names}`;
  const both = [undefined, warning('GRCh37')];
  assert.deepEqual(await reported([older, 'NC_000002.11 5 . A C . . .']), ['GRCh37']);
  assert.deepEqual(await reported([older, newer]), both);
  // Beyond the lines that are checked first.
  const many = Array.from({ length: 1100 }, (_, at) => older.replace(' 5 ', ` ${at + 5} `));
  assert.deepEqual(await reported([...many, newer]), both);
  assert.deepEqual(await reported([newer], [told37]), both);
  assert.deepEqual(await reported([older, newer], [], { genomeBuild: 'GRCh38' }), [
    'GRCh38',
    warning('GRCh37'),
  ]);
  assert.deepEqual(await reported(['1 5 . A C . . .', 'NC_012920.1 5 . A C . . .'], [told37]), ['GRCh37']);
});
