import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { convertText, pick, vcf } from './conversion.fixture.ts';

const genotypesOf = async (alt: string, format: string, ...columns: string[]): Promise<string[]> => {
  const samples = columns.map((_, index) => `S${index + 1}`);
  const { variants } = await convertText(
    vcf([`1 10 . A ${alt} . PASS . ${format} ${columns.join(' ')}`], { samples }),
  );
  return pick(variants, 'sample_id', 'alternate', 'genotype').toSorted();
};

describe('carriers of an allele', () => {
  test('reference and missing genotypes have no row', async () => {
    const rows = await genotypesOf('C', 'GT', '0/0', './.', '0|0', '.', '0', './0', '0/0/0', '0/1');
    assert.deepEqual(rows, ['S8 C 0/1']);
  });

  test('a file without rows for any record is reported; one without records is not', async () => {
    const warningsOf = async (...records: string[]): Promise<string[]> => {
      const { warnings } = await convertText(vcf(records, { samples: ['S'] }));
      return warnings.map(({ message }) => message);
    };
    const nothing = 'None of the 2 records gave a row: the file adds no data.';
    const reference = ['1 10 . A C . PASS . GT 0/0', '1 20 . A C . PASS . GT ./.'];
    assert.deepEqual(await warningsOf(...reference), [nothing]);
    assert.deepEqual(await warningsOf(...reference, '1 30 . A C . PASS . GT 0/1'), []);
    assert.deepEqual(await warningsOf('1 30 . A <DEL> . PASS END=40 GT 0/1'), []);
    assert.deepEqual(await warningsOf(), []);
  });

  test('phased, haploid, polyploid and half calls keep their genotype as written', async () => {
    const rows = await genotypesOf('C', 'GT:DP', '0|1:3', '1:9', '0/0/1/1:1', './1:2', '|1', '1/1:5');
    assert.deepEqual(rows, ['S1 C 0|1', 'S2 C 1', 'S3 C 0/0/1/1', 'S4 C ./1', 'S5 C |1', 'S6 C 1/1']);
  });

  test('each alternate has its rows, with itself as 1 and other alternates as 0', async () => {
    const rows = await genotypesOf('C,G', 'GT', '1/2', '2|2', '0/1', './2', '2');
    assert.deepEqual(rows, ['S1 C 1/0', 'S1 G 0/1', 'S2 G 1|1', 'S3 C 0/1', 'S4 G ./1', 'S5 G 1']);
  });

  test('allele 1 and allele 10 are distinguished', async () => {
    const alts = ['AC', 'AG', 'AT', 'ACC', 'ACG', 'ACT', 'AGC', 'AGG', 'AGT', 'ATC'].join(',');
    assert.deepEqual(await genotypesOf(alts, 'GT', '0/10', '1/1'), ['S1 ATC 0/1', 'S2 AC 1/1']);
    assert.deepEqual(await genotypesOf(alts, 'GT', '1/10'), ['S1 AC 1/0', 'S1 ATC 0/1']);
  });

  test('GT may follow other fields, and trailing fields may be missing', async () => {
    assert.deepEqual(await genotypesOf('C', 'DP:GT', '3:0/1', '.', '7:1|1', '4'), ['S1 C 0/1', 'S3 C 1|1']);
    assert.deepEqual(await genotypesOf('C,G', 'DP:GT', '3:1/2'), ['S1 C 1/0', 'S1 G 0/1']);
  });

  test('without GT a record belongs to its only sample, and to none of several', async () => {
    assert.deepEqual(await genotypesOf('C,G', 'DP', '7'), ['S1 C -', 'S1 G -']);
    const { variants, warnings } = await convertText(
      vcf(['1 10 . A C . PASS . DP 1 2', '1 11 . A C . PASS . GT 0/1 0/0'], { samples: ['N', 'T'] }),
    );
    assert.deepEqual(pick(variants, 'sample_id', 'position'), ['N 11']);
    assert.match(warnings.map(({ message }) => message).join(), /^1 records have no genotypes/);
  });

  test('a local genotype is read by the list of its sample, with REF in it or without', async () => {
    const alternates = 'C,G,T';
    assert.deepEqual(
      await genotypesOf(alternates, 'LGT:LAA', '0/1:3', '1|2:2,3', '0/0:.', './.:.', '.', '1:1'),
      ['S1 T 0/1', 'S2 G 1|0', 'S2 T 0|1', 'S6 C 1'],
    );
    assert.deepEqual(await genotypesOf(alternates, 'LA:DP:LGT', '0,3:7:0/1', '0:7:0/0', '0,1,2:7:1/2'), [
      'S1 T 0/1',
      'S3 C 1/0',
      'S3 G 0/1',
    ]);
    assert.deepEqual(
      await genotypesOf(alternates, 'LGT:LAA:GT', '0/1:3:0/1'),
      ['S1 C 0/1'],
      'GT goes before',
    );
    assert.deepEqual(await genotypesOf('AC,AG,AT,CA,CC,CG,CT,GA,GC,GG,GT', 'LGT:LAA', '0/1:11'), [
      'S1 GT 0/1',
    ]);
  });

  test('a local genotype of an allele that is not listed, or not there, is broken', async () => {
    for (const sample of ['0/1:.', '0/2:3', '0/1:4', '0/1', '0/1:x'])
      await assert.rejects(genotypesOf('C,G,T', 'LGT:LAA', sample), { name: 'InputError' }, sample);
  });

  test('a local genotype without its list makes its sample carry nothing, and is counted', async () => {
    const records = ['1 10 . A C,G,T . PASS . LGT:DP 0/1:3', '1 20 . A C,G . PASS . DP:LGT 3:0/0'];
    const { variants, warnings } = await convertText(
      vcf([...records, '1 30 . A C . PASS . GT 0/1'], { samples: ['S'] }),
    );
    assert.deepEqual(pick(variants, 'sample_id', 'position'), ['S 30']);
    assert.match(warnings.map(({ message }) => message).join(), /^2 records have no genotypes/);
  });

  test('a file of 2,500 samples has the rows of its few carriers', async () => {
    const samples = Array.from({ length: 2500 }, (_, index) => `S${index}`);
    const records = Array.from({ length: 300 }, (_, row) => {
      const genotypes = samples.map((_sample, index) =>
        index % 500 === row % 500 ? '0|1:12,9' : '0|0:20,0',
      );
      return `1 ${row + 1} . A C . PASS . GT:AD ${genotypes.join(' ')}`;
    });
    const { variants, sequences } = await convertText(vcf(records, { samples }));
    assert.equal(sequences.length, 2500);
    assert.equal(variants.length, 1500);
    assert.deepEqual(pick(variants.slice(0, 1), 'position', 'genotype'), ['1 0|1']);
    assert.ok(
      variants.every(
        (row) => Number(String(row['sample_id']).slice(1)) % 500 === Number(row['position']) - 1,
      ),
    );
  });
});

test('a carrier with more values than FORMAT has keys breaks its record; fewer are missing ones', async () => {
  const text = (sample: string) => vcf([`1 5 . A C . . . GT:DP:GQ ${sample}`], { samples: ['a'] });
  for (const sample of ['0/1:3:4:5', '0/1:3:4:', '1:::9'])
    await assert.rejects(
      convertText(text(sample)),
      { name: 'InputError', message: /column 10 has more values than FORMAT has keys/ },
      sample,
    );
  for (const sample of ['0/1', '0/1:3', '0/1:3:4'])
    assert.equal((await convertText(text(sample))).variants.length, 1, sample);
});
