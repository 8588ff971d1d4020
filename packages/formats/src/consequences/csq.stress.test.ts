import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { randomOf } from '../../../../samples/generator/random.ts';
import {
  type SmallGenome,
  smallGenome,
  type TriedAllele,
  triedAlleles,
} from '../../../../samples/generator/small-genome.ts';
import type { Consequence } from './annotator.ts';
import { annotatorOf, changeOf } from './genome.fixture.ts';
import { jointConsequences } from './haplotype.ts';
import type { Change } from './region.ts';

const isMissing = spawnSync('bcftools', ['--version']).error !== undefined && process.env['CI'] !== 'true';

/** Terms of the Sequence Ontology as `bcftools csq` spells them; empty where it has none. */
const spellings: Readonly<Record<string, string>> = {
  missense_variant: 'missense',
  synonymous_variant: 'synonymous',
  frameshift_variant: 'frameshift',
  stop_retained_variant: 'stop_retained',
  start_retained_variant: 'start_retained',
  splice_acceptor_variant: 'splice_acceptor',
  splice_donor_variant: 'splice_donor',
  splice_region_variant: 'splice_region',
  splice_donor_5th_base_variant: 'splice_region',
  splice_donor_region_variant: 'splice_region',
  splice_polypyrimidine_tract_variant: '',
  '5_prime_UTR_variant': '5_prime_utr',
  '3_prime_UTR_variant': '3_prime_utr',
  coding_sequence_variant: 'coding_sequence',
  intron_variant: '',
  upstream_gene_variant: '',
  downstream_gene_variant: '',
};

interface Compared {
  ours: ReadonlySet<string>;
  theirs: ReadonlySet<string>;
  change: Change;
  consequence: Consequence | undefined;
  edges: readonly number[];
}

const equal = (left: ReadonlySet<string>, right: ReadonlySet<string>): boolean =>
  left.symmetricDifference(right).size === 0;
const without = (terms: ReadonlySet<string>, ...left: string[]): ReadonlySet<string> =>
  terms.difference(new Set(left));
const lengths = ['inframe_insertion', 'inframe_deletion', 'protein_altering_variant'];

/** Differences by design: `bcftools csq` 1.16 against the rules of Ensembl VEP, which are ours. */
const reasons: readonly (readonly [reason: string, applies: (compared: Compared) => boolean])[] = [
  [
    // VEP asks for both bases beside an insertion; csq counts one.
    'insertion near the edge of an exon',
    ({ change: { removed, position }, edges }) =>
      removed === '' && edges.some((edge) => Math.abs(edge - position) <= 9),
  ],
  [
    // VEP calls no codons there.
    'change over the edge of an exon',
    ({ change: { removed, position }, edges }) =>
      edges.some((edge) => position < edge && position + removed.length > edge),
  ],
  [
    // csq merges the parts of a splice region into the site.
    'parts of the splice region beside the site',
    ({ ours, theirs }) =>
      (ours.has('splice_donor') || ours.has('splice_acceptor')) &&
      equal(without(ours, 'splice_region'), without(theirs, 'splice_region', 'synonymous')),
  ],
  [
    // VEP names a stop among the changed codons of a shifted frame as well.
    'stop in a shifted frame',
    ({ ours, theirs }) =>
      ours.has('frameshift') && equal(without(ours, 'stop_gained'), without(theirs, 'stop_gained')),
  ],
  [
    // csq looks at the first changed residue, and keeps the term about the length.
    'stop among several residues',
    ({ ours, theirs }) =>
      ours.has('stop_gained') &&
      equal(without(ours, 'stop_gained', ...lengths), without(theirs, 'stop_gained', 'missense', ...lengths)),
  ],
  [
    // csq reads the codons from the first base on, not those that remain: its call contradicts the new protein.
    'deletion of whole codons that joins two halves',
    ({ ours, theirs, consequence }) =>
      /del$/.test(consequence?.protein ?? '') &&
      ours.has('inframe_deletion') &&
      equal(ours, without(theirs, 'stop_gained', 'stop_lost')),
  ],
  ['start codon', ({ ours, theirs }) => [...ours, ...theirs].some((term) => term.startsWith('start_'))],
  [
    // VEP: a stop is kept where the same residues end with a stop, lost otherwise; csq decides by the bases of the codon.
    'stop codon',
    ({ ours, theirs }) => [...ours, ...theirs].some((term) => /^stop_(?:lost|retained)$/.test(term)),
  ],
];

function termsOf(consequence: Consequence, { removed, added }: Change): Set<string> {
  const found = new Set<string>();
  for (const term of consequence.terms) {
    const altering = added.length > removed.length ? 'inframe_insertion' : 'inframe_deletion';
    const spelled = term === 'protein_altering_variant' ? altering : (spellings[term] ?? term);
    if (spelled !== '') found.add(spelled);
  }
  return found;
}

/** Calls alleles with `bcftools csq`; returns the values of BCSQ of the records, in their order. `genotype`: of one sample. */
function called(genome: SmallGenome, alleles: readonly TriedAllele[], genotype?: string): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-csq-'));
  try {
    const { chromosome, bases, fasta, gff3 } = genome;
    const end = genotype === undefined ? '\n' : `\tGT\t${genotype}\n`;
    const lines = alleles.map(
      ({ position, reference, alternate }) =>
        `${chromosome}\t${position}\t.\t${reference}\t${alternate}\t.\t.\t.${end}`,
    );
    const header = [
      '##fileformat=VCFv4.2',
      `##contig=<ID=${chromosome},length=${bases.length}>`,
      '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">',
      `#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO${genotype === undefined ? '' : '\tFORMAT\tS1'}\n`,
    ].join('\n');
    writeFileSync(join(folder, 'reference.fa'), fasta);
    writeFileSync(join(folder, 'genes.gff3.gz'), gzipSync(gff3));
    writeFileSync(join(folder, 'in.vcf'), header + lines.join(''));
    const options = ['-f', 'reference.fa', '-g', 'genes.gff3.gz', 'in.vcf'];
    const mode = genotype === undefined ? ['-l'] : ['-p', 'a'];
    const { stdout, status, stderr } = spawnSync('bcftools', ['csq', ...mode, ...options], {
      cwd: folder,
      maxBuffer: 1 << 30,
    });
    assert.equal(status, 0, stderr.toString());
    const records = stdout
      .toString()
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    assert.equal(records.length, alleles.length);
    return records.map((line) => /BCSQ=([^\t;]+)/.exec(line)?.[1] ?? '');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Terms by transcript of a value of BCSQ. */
function termsByTranscript(value: string): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const entry of value.split(',')) {
    const [terms = '', , transcript = ''] = entry.split('|');
    const known = found.get(transcript) ?? new Set();
    for (const term of terms.split('&')) if (term !== 'intron') known.add(term);
    if (transcript !== '') found.set(transcript, known);
  }
  return found;
}

describe('consequences beside bcftools csq', {
  skip: isMissing ? 'bcftools is not installed' : false,
}, () => {
  for (const seed of [1, 2, 3]) {
    test(`seed ${seed}: terms of each transcript agree, outside of the differences by design`, () => {
      const genome = smallGenome(seed, 24);
      const { bases, chromosome, genes } = genome;
      const alleles = [...triedAlleles(seed, bases, 6900, bases.length - 6900)];
      const values = called(genome, alleles);
      const annotator = annotatorOf(genome);
      // csq does not name transcripts without a protein.
      const coding = new Map(
        genes
          .flatMap(({ transcripts }) => transcripts)
          .filter((one) => one.coding)
          .map(({ id, exons }) => [id, exons.flatMap(([start, end]) => [start, end + 1])]),
      );
      let [agreeing, compared] = [0, 0];
      const counts = new Map<string, number>();
      const different: string[] = [];
      for (const [at, { position, reference, alternate }] of alleles.entries()) {
        const change = changeOf(chromosome, position, reference, alternate);
        const terms = termsByTranscript(values[at] ?? '');
        const ours = new Map(annotator.consequencesOf(change).map((one) => [one.transcript.id, one]));
        for (const [id, edges] of coding) {
          const consequence = ours.get(id);
          const own = consequence ? termsOf(consequence, change) : new Set<string>();
          const theirs = terms.get(id) ?? new Set();
          if (own.size + theirs.size === 0) continue;
          compared += 1;
          const all: Compared = { ours: own, theirs, change, consequence, edges };
          const reason = equal(own, theirs) ? '' : reasons.find(([, applies]) => applies(all))?.[0];
          if (reason === undefined)
            different.push(
              `${position} ${reference} ${alternate} ${id}: csq ${[...theirs]}, own ${[...own]}`,
            );
          else if (reason === '') agreeing += 1;
          else counts.set(reason, (counts.get(reason) ?? 0) + 1);
        }
      }
      const explained = [...counts.values()].reduce((sum, count) => sum + count, 0);
      const report = `${agreeing} of ${compared} agree, ${JSON.stringify([...counts])}\n${different.join('\n')}`;
      assert.ok(agreeing / (compared - explained) >= 0.999, report);
      // A reason that explains much would hide a fault.
      assert.ok(explained / compared < 0.05, report);
      assert.ok(compared > 10_000, report);
    });
  }

  test('substitutions of a codon on one haplotype have the terms of csq, in all their transcripts', () => {
    const genome = smallGenome(4, 24);
    const { bases, chromosome } = genome;
    const random = randomOf('pairs');
    const groups: TriedAllele[][] = [];
    const substitution = (position: number): TriedAllele => {
      const reference = bases[position - 1] ?? 'N';
      return {
        position,
        reference,
        alternate: random.pick(['A', 'C', 'G', 'T'].filter((base) => base !== reference)),
      };
    };
    for (let position = 6990; position < bases.length - 6990; position += 9 + random.below(9))
      groups.push(
        random
          .pick([
            [0, 1],
            [0, 2],
            [0, 1, 2],
          ])
          .map((at) => substitution(position + at)),
      );
    const values = called(genome, groups.flat(), '0|1');
    const annotator = annotatorOf(genome);
    let [compared, at] = [0, 0];
    for (const group of groups) {
      const calls = values.slice(at, at + group.length);
      at += group.length;
      const changes = group.map((one) => changeOf(chromosome, one.position, one.reference, one.alternate));
      const joint = changes.flatMap((change) => {
        const touched = annotator.consequencesOf(change).filter(({ protein }) => protein !== undefined);
        const transcripts = touched.map(({ transcript }) => transcript);
        return jointConsequences(
          annotator,
          change,
          changes.filter((other) => other !== change),
          transcripts,
        );
      });
      // csq joins no changes of a start codon.
      if (joint.some(({ terms }) => terms[0]?.startsWith('start_'))) continue;
      const ours = joint.map(({ transcript, terms }) => {
        const coding = terms
          .filter((term) => !/splice|intron/.test(term))
          .map((term) => spellings[term] ?? term);
        return `${transcript.id} ${coding.join('&')}`;
      });
      // A star marks what follows a stop of the haplotype.
      const theirs = new Set(
        calls
          .flatMap((value) => value.split(','))
          .filter((entry) => entry.includes('+') && entry.split('|')[6]?.includes('+'))
          .map((entry) => `${entry.split('|')[2]} ${entry.split('|')[0]?.replaceAll('*', '')}`),
      );
      assert.deepEqual(new Set(ours), theirs, `${JSON.stringify(group)} ${calls.join(' ')}`);
      compared += ours.length;
    }
    assert.ok(compared > 200, String(compared));
  });
});
