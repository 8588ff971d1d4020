import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { GeneModel } from '../../../../samples/generator/gene-models.ts';
import { geneModelLines } from '../../../../samples/generator/gene-models.ts';
import { smallGenome, triedAlleles } from '../../../../samples/generator/small-genome.ts';
import { aminoAcids } from '../vcf/foreign/amino-acids.ts';
import type { Consequence } from './annotator.ts';
import { reverseComplement, translated } from './genetic-code.ts';
import { annotatorOf, basesOf, changeOf } from './genome.fixture.ts';
import type { Change } from './region.ts';
import { Spliced } from './spliced.ts';

const genome = smallGenome(11, 12);
const annotator = annotatorOf(genome);
const alleles = [...triedAlleles(11, genome.bases, 6990, genome.bases.length - 6990)];
const letterOf = new Map(
  Object.entries(aminoAcids).flatMap(([letter, name]) => (letter === 'X' ? [] : [[name, letter]])),
);
const lettersOf = (names: string): string =>
  (names.match(/.{3}/g) ?? []).map((name) => letterOf.get(name) ?? '?').join('');

/** Protein of the changed transcript, up to its first stop; `?` where it has none. */
function newProtein(spliced: Spliced, { position, removed, added }: Change): string {
  const { isReverse } = spliced.transcript;
  const lowest =
    removed === '' ? position - (isReverse ? 1 : 0) : position + (isReverse ? removed.length - 1 : 0);
  const from = spliced.offsetOf(lowest);
  const inserted = isReverse ? reverseComplement(added) : added;
  const bases = spliced.sequence.slice(0, from) + inserted + spliced.sequence.slice(from + removed.length);
  const protein = translated(bases.slice(spliced.frameStart), 1);
  return protein.includes('*') ? protein.slice(0, protein.indexOf('*') + 1) : `${protein}?`;
}

/** Applies a change in HGVS to a protein. Behind the first residue of a shifted frame, only the length is known. */
function applied(protein: string, text: string, actual: string): string {
  if (text.endsWith('=')) return protein;
  const shift = /^p\.(?:\w{3})(\d+)(\w{3})fsTer(\d+|\?)$/.exec(text);
  const longer = /^p\.Ter(\d+)(\w{3})extTer(\d+|\?)$/.exec(text);
  const [, place = '', residue = '', count = ''] = shift ?? longer ?? [];
  if (place !== '') {
    const start = protein.slice(0, Number(place) - 1) + lettersOf(residue);
    assert.equal(actual.slice(0, start.length), start);
    assert.notEqual(protein[start.length - 1], actual[start.length - 1]);
    const length = actual.length - start.length + (shift ? 1 : 0);
    assert.equal(actual.endsWith('?') ? '?' : String(length), count);
    return actual;
  }
  const plain = /^p\.(\w{3})(\d+)(?:_(\w{3})(\d+))?(delins|del|dup|ins|)((?:\w{3})*)$/.exec(text);
  const [, first = '', from = '', last = first, to = from, kind = '', names = ''] = plain ?? [];
  const [start, end] = [Number(from) - 1, Number(to)];
  assert.equal(protein[start], letterOf.get(first), text);
  assert.equal(protein[end - 1], letterOf.get(last), text);
  const added = kind === 'dup' ? protein.slice(start, end) : lettersOf(names);
  const changed =
    kind === 'ins' || kind === 'dup'
      ? protein.slice(0, kind === 'ins' ? start + 1 : end) +
        added +
        protein.slice(kind === 'ins' ? start + 1 : end)
      : protein.slice(0, start) + added + protein.slice(end);
  return changed.replace(/\*.*$/, '*');
}

describe('changes of proteins', () => {
  test('each change in HGVS makes the protein that the changed bases have', () => {
    let compared = 0;
    for (const { position, reference, alternate } of alleles) {
      const change = changeOf('chr1', position, reference, alternate);
      for (const { transcript, protein, terms } of annotator.consequencesOf(change)) {
        if (protein === undefined || protein === 'p.Met1?' || terms[0]?.startsWith('start_')) continue;
        const spliced = new Spliced(transcript, basesOf(genome.bases));
        const actual = newProtein(spliced, change);
        assert.equal(
          applied(spliced.protein, protein, actual),
          actual,
          `${position} ${reference} ${alternate} ${protein}`,
        );
        compared += 1;
      }
    }
    assert.ok(compared > 5000, String(compared));
  });

  /** One exon on chr1 that is coded as a whole, with 30 bases before and behind it. */
  const ofCoding = (coding: string) => {
    const bases = `${'C'.repeat(30)}${coding}${'C'.repeat(30)}`;
    const exon: [number, number] = [31, 30 + coding.length];
    const transcripts = [{ id: 'T', exons: [exon], coding: [0, coding.length] as [number, number] }];
    const gene = { chromosome: 'chr1', id: 'G', symbol: 'G', isReverse: false, biotype: 'protein_coding' };
    const single = annotatorOf({ bases, gff3: [...geneModelLines([{ ...gene, transcripts }])].join('') });
    return (position: number, reference: string, alternate: string): string => {
      const [found] = single.consequencesOf(changeOf('chr1', 30 + position, reference, alternate));
      return `${found?.terms.join('&')} ${found?.protein}`;
    };
  };

  test('an unknown base leaves the residue unknown, and the length of a shifted frame', () => {
    const of = ofCoding('ATGAAACCNGGGTTTTAA');
    assert.equal(of(4, 'A', 'N'), 'coding_sequence_variant undefined');
    assert.equal(of(7, 'C', 'G'), 'coding_sequence_variant undefined');
    assert.equal(of(10, 'G', 'T'), 'missense_variant p.Gly4Trp');
    assert.equal(of(5, 'A', ''), 'frameshift_variant undefined');
  });

  test('TGA within a protein is selenocysteine, and another stop there is not', () => {
    const of = ofCoding('ATGAAATGAGGGTTTTAA');
    assert.equal(of(9, 'A', 'T'), 'missense_variant p.Sec3Cys');
    assert.equal(of(8, 'G', 'A'), 'stop_gained p.Sec3Ter');
    assert.equal(of(17, 'A', 'C'), 'stop_lost p.Ter6SerextTer?');
  });
});

/** Consequence without what names the strand. */
const summaryOf = ({ transcript, ...rest }: Consequence): unknown => ({ id: transcript.id, ...rest });

describe('a genome and its mirror image', () => {
  test('a change and its mirror image have the same consequences', () => {
    const length = genome.bases.length;
    const mirror = ([start, end]: readonly [number, number]): [number, number] => [
      length + 1 - end,
      length + 1 - start,
    ];
    const genes: GeneModel[] = genome.genes.map((gene) => ({
      ...gene,
      isReverse: !gene.isReverse,
      transcripts: gene.transcripts.map((one) => ({ ...one, exons: one.exons.map(mirror).toReversed() })),
    }));
    const mirrored = annotatorOf({
      bases: reverseComplement(genome.bases),
      gff3: [...geneModelLines(genes)].join(''),
    });
    for (const { position, reference, alternate } of alleles) {
      const change = changeOf('chr1', position, reference, alternate);
      const other: Change = {
        chromosome: 'chr1',
        position: length + 2 - change.position - change.removed.length,
        removed: reverseComplement(change.removed),
        added: reverseComplement(change.added),
      };
      const sorted = (all: Consequence[]): unknown[] =>
        all.toSorted((a, b) => (a.transcript.id < b.transcript.id ? -1 : 1)).map(summaryOf);
      assert.deepEqual(
        sorted(mirrored.consequencesOf(other)),
        sorted(annotator.consequencesOf(change)),
        `${position} ${reference} ${alternate}`,
      );
    }
  });
});
