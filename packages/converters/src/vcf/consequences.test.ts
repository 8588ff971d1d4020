import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { TaskGenome } from '@ploidy/engine';
import { type Account, InputError } from '@ploidy/formats';
import { knownChanges, smallGenome } from '../../../../samples/generator/small-genome.ts';
import { keptSql } from '../../../../test/support/kept-sql.ts';
import { convertGeneModels } from '../gene-models/convert.ts';
import { convertReferences } from '../genomics-conversion.fixture.ts';
import { type Conversion, convertFile, pick, vcf } from './conversion.fixture.ts';

const genome = smallGenome(5, 12);
const changes = knownChanges(genome);
const meta = [`##contig=<ID=chr1,length=${genome.bases.length}>`];
const records = changes.map(
  ({ position, reference, alternate }) => `chr1 ${position} . ${reference} ${alternate} 50 PASS . GT 0/1`,
);

let folder = '';
let known: TaskGenome;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ploidy-genome-'));
  // Bases may follow the features, without a last line end.
  known = await genomeOf('genes.gff3', gzipSync(`${genome.gff3}\n##FASTA\n>1\nACGT`));
});
after(() => rm(folder, { recursive: true, force: true }));

/** Converts gene models and the reference as ingestions do. */
async function genomeOf(name: string, gff3: Uint8Array): Promise<TaskGenome> {
  const outputFolder = join(folder, name);
  await mkdir(outputFolder);
  const sourcePath = join(outputFolder, 'source');
  await writeFile(sourcePath, gff3);
  const task = { type: 'gff3', sourcePath, sourceSize: gff3.length, sourceName: name, outputFolder };
  let account: Account | undefined;
  const [made] = await convertGeneModels(
    { ...task, setId: 'models', options: {} },
    await keptSql(256 << 20),
    {
      progress: () => undefined,
      warn: ({ message }) => assert.fail(message),
      account: (given) => {
        account = given;
      },
    },
  );
  assert.ok((account?.records ?? 0) > 0, 'its features are accounted for');
  const { bytes, references } = await convertReferences(genome.fasta);
  const basesPath = join(outputFolder, 'bases');
  await writeFile(basesPath, bytes);
  return { name, modelsPath: made?.path ?? '', references: [{ basesPath, sequences: references }] };
}

async function convert(
  text: string,
  genomes = [known],
  plan?: Parameters<typeof convertFile>[3],
): Promise<Conversion> {
  const path = join(folder, 'in.vcf');
  await writeFile(path, text);
  return convertFile(path, {}, 256 << 20, plan, genomes);
}

/** A base in the first exon of a gene. */
const startOf = (at: number): number => (genome.genes[at]?.transcripts[0]?.exons[0]?.[0] ?? 0) + 2;

const expected = changes.map(
  ({ gene, transcript, term, protein }) => `${gene} ${transcript} ${term} ${protein}`,
);
const shown = ['gene', 'transcript_id', 'ebcanon_class', 'amino_acid_change'];

describe('consequences of files without annotations', () => {
  test('genes, terms and changes of the protein are those of the generator, on one thread and on several', async () => {
    assert.ok(changes.length > 200, String(changes.length));
    const text = vcf(records, { meta, samples: ['S1'] });
    for (const threadCount of [1, 2]) {
      const made = await convert(text, [known], { stretchBytes: 4096, threadCount });
      assert.deepEqual(pick(made.variants, ...shown), expected);
      assert.deepEqual(made.warnings, []);
    }
  });

  test('a cohort has a row for each carrier, and hgvs_p names the protein', async () => {
    const cohort = records.map((record) => `${record} 0/0 1|1`);
    const { variants, calls } = await convert(vcf(cohort, { meta, samples: ['S1', 'S2', 'S3'] }));
    assert.equal(variants.length, 2 * changes.length);
    assert.deepEqual(
      pick(
        variants.filter((row) => row['sample_id'] === 'S3'),
        ...shown,
      ),
      expected,
    );
    const [first] = changes;
    assert.equal(calls[0]?.['hgvs_p'], `P${first?.transcript}:${first?.protein}`);
    assert.match(String(calls[0]?.['hgvs_c']), new RegExp(`^${first?.transcript}:c\\.\\d+[ACGT]>[ACGT]$`));
    const [list] = JSON.parse(String(calls[0]?.['consequences'])) as Record<string, string>[];
    assert.match(String(list?.['exon']), /^\d+\/\d+$/);
  });

  test('annotations of the file stay, record by record', async () => {
    const annotated = [
      ...meta,
      '##INFO=<ID=CSQ,Number=.,Type=String,Description="Format: Allele|Consequence|IMPACT|SYMBOL|Feature">',
    ];
    const [one, two] = records;
    const own = one?.replace(' . GT', ` CSQ=${changes[0]?.alternate}|intron_variant|MODIFIER|OWN|OWN1 GT`);
    const { variants } = await convert(vcf([own ?? '', two ?? ''], { meta: annotated, samples: ['S1'] }));
    assert.deepEqual(pick(variants, 'gene', 'ebcanon_class'), [
      'OWN intron_variant',
      `${changes[1]?.gene} ${changes[1]?.term}`,
    ]);
  });

  test('a deletion of a gene has its gene as copy number', async () => {
    const [gene] = genome.genes;
    const ends = gene?.transcripts.flatMap(({ exons }) => exons.flat()) ?? [];
    const [start, end] = [Math.min(...ends) - 10, Math.max(...ends) + 10];
    const record = `chr1 ${start} . ${genome.bases[start - 1]} <DEL> 50 PASS SVTYPE=DEL;END=${end} GT 0/1`;
    const { copies } = await convert(vcf([record], { meta, samples: ['S1'] }));
    assert.deepEqual(pick(copies, 'gene'), [String(gene?.symbol)]);
    assert.match(String(copies[0]?.['attributes']), /"effect":"transcript_ablation","exons":"1\/1"/);
  });

  test('substitutions of one codon on one haplotype have their joint change beside their own', async () => {
    const [first] = changes;
    const at = first?.position ?? 0;
    // The second base of the codon is before the third, or behind it on the other strand.
    const isReverse = genome.genes.find(({ symbol }) => symbol === first?.gene)?.isReverse ?? false;
    const [low, high] = isReverse ? [at, at + 1] : [at - 1, at];
    const bases = genome.bases.slice(low - 1, high);
    const other = Array.from(bases, (base) => (base === 'A' ? 'C' : 'A')).join('');
    const both = await convert(
      vcf([`chr1 ${low} . ${bases} ${other} 9 PASS . GT 0/1`], { meta, samples: ['S1'] }),
    );
    const [change] = pick(both.variants, 'amino_acid_change');
    const joint = async (one: string, two: string): Promise<string[]> => {
      const lines = [one, two].map(
        (genotype, place) => `chr1 ${low + place} . ${bases[place]} ${other[place]} 9 PASS . GT ${genotype}`,
      );
      const { calls } = await convert(vcf(lines, { meta, samples: ['S1'] }));
      return calls.flatMap(({ consequences }) =>
        (JSON.parse(String(consequences)) as Record<string, string>[])
          .filter((entry) => entry['with'] !== undefined && entry['transcript_id'] === first?.transcript)
          .map((entry) => `${entry['hgvs_p']?.split(':')[1]} ${entry['with']}`),
      );
    };
    const expected = [
      `${change} chr1:${high}:${bases[1]}>${other[1]}`,
      `${change} chr1:${low}:${bases[0]}>${other[0]}`,
    ];
    for (const [one, two] of [
      ['0|1', '0|1'],
      ['1/1', '0/1'],
      ['1|0', '1|1'],
    ] as const)
      assert.deepEqual(await joint(one, two), expected, `${one} ${two}`);
    for (const [one, two] of [
      ['0|1', '1|0'],
      ['0/1', '0/1'],
      ['0|1', '0/1'],
    ] as const)
      assert.deepEqual(await joint(one, two), [], `${one} ${two}`);
  });

  test('a joint of two genes names both', async () => {
    const [left, right] = [1, 3].map((at) => ({ gene: genome.genes[at], position: startOf(at) }));
    const [at, to] = [left?.position ?? 0, right?.position ?? 0];
    const base = genome.bases[at - 1];
    const record = `chr1 ${at} . ${base} ${base}[chr1:${to}[ 50 PASS SVTYPE=BND GT 0/1`;
    const { fusions } = await convert(vcf([record], { meta, samples: ['S1'] }));
    assert.deepEqual(pick(fusions, 'gene1', 'gene2'), [`${left?.gene?.symbol} ${right?.gene?.symbol}`]);
  });

  test('a file of another build is refused with the remedy; single differences are counted', async () => {
    const wrong = (record: string): string => {
      const columns = record.split(' ');
      const [reference = '', alternate = ''] = columns.slice(3, 5);
      return [...columns.slice(0, 3), alternate, reference, ...columns.slice(5)].join(' ');
    };
    await assert.rejects(convert(vcf(records.map(wrong), { meta, samples: ['S1'] })), (error: unknown) => {
      assert.ok(error instanceof InputError);
      assert.match(error.message, /differs from the reference of the gene models genes\.gff3.+genomeBuild/);
      return true;
    });
    const few = [wrong(records[0] ?? ''), ...records.slice(1)];
    const { variants, warnings } = await convert(vcf(few, { meta, samples: ['S1'] }));
    assert.deepEqual(pick(variants, ...shown), ['- - - -', ...expected.slice(1)]);
    assert.match(warnings[0]?.message ?? '', /^REF of 1 records differs/);
  });

  test('gene models of another known build do not count', async () => {
    const onBuild = { ...known, genomeBuild: 'GRCh37' as const };
    const text = vcf(records.slice(0, 3), { meta: [...meta, '##reference=GRCh38'], samples: ['S1'] });
    const { variants } = await convert(text, [onBuild]);
    assert.deepEqual(pick(variants, 'gene'), ['-', '-', '-']);
  });
});
