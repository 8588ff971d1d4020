import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { InputError } from '@ploidy/formats';
import { bgzf } from '../../../../test/support/bam.ts';
import { generator, mutated } from '../../../../test/support/mutations.ts';
import { sharedData, sharedDataSkip } from '../../../../test/support/shared-data.ts';
import { convertReferences } from '../genomics-conversion.fixture.ts';

const md5 = (text: string) => createHash('md5').update(text).digest('hex');

const digest = (text: string) =>
  createHash('sha512').update(text).digest().subarray(0, 24).toString('base64url');
/** Digest that the specification of refget lists for a sequence without bases. */
const emptyDigest = 'z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXc';

describe('a FASTA', () => {
  test('a FASTA becomes bases in upper case, checksums, and the start of each sequence', async () => {
    const text = '>one first of two\r\nacgT\r\nNN\r\n\r\n>two\nA C\tG\n>none\n>three\nryk-*.';
    const { bytes, references, made } = await convertReferences(text);
    assert.equal(bytes.toString(), 'ACGTNNACGRYK-*.');
    assert.deepEqual(references, [
      {
        name: 'one',
        length: 6,
        md5checksum: md5('ACGTNN'),
        sha512t24u: digest('ACGTNN'),
        offset: 0,
        attributes: { description: 'first of two' },
      },
      ...[
        { name: 'two', length: 3, md5checksum: md5('ACG'), sha512t24u: digest('ACG'), offset: 6 },
        { name: 'none', length: 0, md5checksum: md5(''), sha512t24u: emptyDigest, offset: 9 },
        { name: 'three', length: 6, md5checksum: md5('RYK-*.'), sha512t24u: digest('RYK-*.'), offset: 9 },
      ].map((one) => ({ ...one, attributes: {} })),
    ]);
    const sorted = references.map(({ md5checksum }) => md5checksum).sort();
    assert.equal(made.sequences.md5checksum, md5(sorted.join('')));
    assert.equal(made.sequences.count, 4);
  });

  test('a FASTA is the same plain, as gzip and as bgzip, in pieces of any size', async () => {
    const lines = Array.from({ length: 40_000 }, (_, at) =>
      at % 9000 === 0 ? `>s${at}` : 'ACGTN'.repeat(14),
    );
    const text = lines.join('\n');
    const plain = await convertReferences(text);
    for (const source of [gzipSync(text), bgzf(Buffer.from(text))]) {
      const packed = await convertReferences(source);
      assert.ok(packed.bytes.equals(plain.bytes));
      assert.deepEqual(packed.references, plain.references);
    }
    const oneLine = await convertReferences(`>s\n${'ACGTN'.repeat(600_000)}\n`);
    assert.equal(oneLine.references[0]?.length, 3_000_000);
  });

  test('real files have the checksums of samtools dict', { skip: sharedDataSkip }, async () => {
    const checksums = async (name: string) => {
      const { references } = await convertReferences(readFileSync(sharedData(`fasta/${name}`)));
      return references.map((one) => [one.name, one.length, one.md5checksum]);
    };
    assert.deepEqual(await checksums('volvox.fa'), [
      ['ctgA', 50_001, '0f686526b85b36b4a4a31b166e871ab8'],
      ['ctgB', 6_079, 'bd03f6356f9f625b1cefb62f03887834'],
    ]);
    assert.deepEqual((await checksums('ce.fa')).slice(0, 2), [
      ['CHROMOSOME_I', 1_009_800, '8ede36131e0dbf3417807e48f77f3ebd'],
      ['CHROMOSOME_II', 5_000, '8e7993f7a93158587ee897d7287948ec'],
    ]);
    assert.deepEqual(await checksums('example_1.fa.gz'), [
      ['simple', 1_000, '2707de7e50834af76ceb243b18dad3eb'],
    ]);
  });

  test('titles of NCBI, Ensembl and the 1000 Genomes name accession, assembly and species', async () => {
    const set = async (title: string) => {
      const { references, made } = await convertReferences(`>${title}\nA\n`);
      const { name, accession, assemblyId, species } = references[0] ?? {};
      return [name, accession, assemblyId, species?.term_id, made.sequences.assemblyId];
    };
    assert.deepEqual(await set('NC_000001.11 Homo sapiens chromosome 1, GRCh38.p14 Primary Assembly'), [
      'NC_000001.11',
      'NC_000001.11',
      'GRCh38.p14',
      'NCBITaxon:9606',
      'GRCh38.p14',
    ]);
    assert.deepEqual(await set('1 dna:chromosome chromosome:GRCh37:1:1:249250621:1'), [
      '1',
      undefined,
      'GRCh37',
      undefined,
      'GRCh37',
    ]);
    assert.deepEqual(await set('chr1  AC:CM000663.2  gi:568336023  LN:248956422  rl:Chromosome  AS:GRCh38'), [
      'chr1',
      'CM000663.2',
      'GRCh38',
      undefined,
      'GRCh38',
    ]);
    assert.deepEqual((await set('gi|568336023|gb|CM000663.2| Homo sapiens chromosome 1')).slice(0, 2), [
      'gi|568336023|gb|CM000663.2|',
      'CM000663.2',
    ]);
  });

  test('options of the request override the titles', async () => {
    const options = { assemblyId: 'mine', species: 'Mus musculus', sourceUri: 'https://example.org/a.fa' };
    const { made } = await convertReferences('>1 AS:GRCh38\nA\n', options);
    assert.deepEqual(
      [made.sequences.assemblyId, made.sequences.species, made.sequences.sourceUri],
      ['mine', { term_id: 'NCBITaxon:10090', term: 'Mus musculus' }, 'https://example.org/a.fa'],
    );
  });

  test('a broken one ends with line and column', async () => {
    for (const [text, line, column] of [
      ['>a\nACGT\nAC!T\n', 3, 3],
      ['>a\nMKLV\n', 2, 3],
      ['ACGT\n', 1, 1],
      ['>a\nA\n>a\nC\n', 3, 1],
      ['>a\nA\n> \nC\n', 3, 1],
      [`>${'x'.repeat(70_000)}\nA\n`, 1, 1],
    ] as const) {
      await assert.rejects(convertReferences(text), (error: unknown) => {
        assert.ok(error instanceof InputError, String(error));
        assert.deepEqual([error.line, error.column], [line, column], text.slice(0, 20));
        return true;
      });
    }
    await assert.rejects(convertReferences(''), /no sequence/);
    await assert.rejects(convertReferences(gzipSync('>a\nACGT\n').subarray(0, 20)), /ends too early/);
    await assert.rejects(convertReferences(bamLike), InputError);
  });
});

const bamLike = bgzf(Buffer.from('BAM\x01\0\0\0\0'));

test('a mutated real FASTA ends in references or an InputError, nothing else', {
  skip: sharedDataSkip,
}, async () => {
  const random = generator(20260507);
  for (const name of ['volvox.fa', 'example_1.fa.gz']) {
    const stored = readFileSync(sharedData(`fasta/${name}`));
    for (let round = 0; round < 100; round += 1) {
      try {
        const { bytes, references } = await convertReferences(mutated(stored, random));
        assert.equal(
          bytes.length,
          references.reduce((sum, { length }) => sum + length, 0),
        );
      } catch (error) {
        assert.ok(error instanceof InputError, `${name}, round ${round}: ${error}`);
      }
    }
  }
});
