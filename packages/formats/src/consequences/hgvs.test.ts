import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Annotator } from './annotator.ts';
import { basesOf, changeOf } from './genome.fixture.ts';
import { PlacedTranscripts, type Transcript } from './transcript.ts';

/** Transcripts of the tests of the hgvs package (Apache-2.0), their coding range and sequence. */
const sequences: Readonly<Record<string, readonly [start: number, end: number, bases: string]>> = {
  'NM_999999.1': [9, 39, 'AAAATCAAAATGAAAGCGAAAGCGTTTCGCGCGAAATAGGGG'],
  'NM_999998.1': [9, 39, 'AAAATCAAAATGAAAGCGAAAGCGTTTCGCGCGAAATAGAGGAGGTAGTTTCGC'],
  'NM_999997.1': [9, 39, 'AAAATCAAAATGAAAGCGAAAGCGTTTCGCGTAGAATAGAGGAGGCAGTTTCGC'],
  'NM_999996.1': [9, 39, 'AAAATCAAAATGAAATCGAAAGCGTTTCGCGCGAAATAGAGGAGGCAGTTTCGC'],
  'NM_999995.1': [9, 42, 'AAAATCAAAATGAAAAAATCGAAAGCGTTTCGCGCGAAATAGAGGAGGCAGTTTCGC'],
  'NM_999994.1': [9, 45, 'AAAATCAAAATGAAAAAAAAATCGAAAGCGTTTCGCGCGAAATAGAGGAGGCAGTTTCGC'],
  'NM_999993.1': [9, 39, 'AAAATCAAAATGGGGAGGGCCCGGCAGCCAGCTTTATAGAGGAGGCAGTTTCGC'],
};

/** Change of a transcript and that of its protein. `spelled`: the change by the 3' rule, where it differs. */
const published: readonly [change: string, protein: string, spelled?: string][] = [
  ['NM_999999.1:c.6A>G', 'p.Lys2='],
  ['NM_999999.1:c.6A>T', 'p.Lys2Asn'],
  ['NM_999996.1:c.8C>A', 'p.Ser3Ter'],
  ['NM_999998.1:c.30G>T', 'p.Ter10TyrextTer3'],
  ['NM_999999.1:c.6_7insGGG', 'p.Lys2_Ala3insGly', 'c.7_8insGGG'],
  ['NM_999999.1:c.22_23insT', 'p.Ala8ValfsTer?'],
  ['NM_999999.1:c.8_9insTT', 'p.Lys4Ter'],
  ['NM_999999.1:c.10_12del', 'p.Lys4del'],
  ['NM_999999.1:c.4_15del', 'p.Lys2_Ala5del'],
  ['NM_999995.1:c.4_6del', 'p.Lys3del', 'c.7_9del'],
  ['NM_999994.1:c.4_9del', 'p.Lys3_Lys4del', 'c.7_12del'],
  ['NM_999994.1:c.20_25del', 'p.Ala7_Arg9delinsGly'],
  ['NM_999999.1:c.5_7del', 'p.Lys2_Ala3delinsThr'],
  ['NM_999993.1:c.13_24del', 'p.Arg5_Ala8del'],
  ['NM_999999.1:c.11_12del', 'p.Lys4SerfsTer?'],
  ['NM_999997.1:c.7del', 'p.Ala3ArgfsTer6'],
  ['NM_999999.1:c.11_12delinsTCCCA', 'p.Lys4delinsIlePro', 'c.11delinsTCCC'],
  ['NM_999999.1:c.11_18delinsTCCCA', 'p.Lys4_Phe6delinsIlePro'],
  ['NM_999999.1:c.8delinsGG', 'p.Ala3GlyfsTer?'],
  ['NM_999999.1:c.10_12dup', 'p.Lys4dup'],
  ['NM_999999.1:c.16_18dup', 'p.Phe6dup'],
  ['NM_999999.1:c.16_21dup', 'p.Phe6_Arg7dup'],
  ['NM_999995.1:c.4_6dup', 'p.Lys3dup', 'c.7_9dup'],
  ['NM_999999.1:c.16_24dup', 'p.Phe6_Ala8dup'],
  ['NM_999999.1:c.12_13dup', 'p.Ala5GlufsTer?'],
  ['NM_999999.1:c.1A>G', 'p.Met1?'],
  ['NM_999999.1:c.-3_1del', 'p.Met1?'],
];

function transcriptOf(id: string): { transcript: Transcript; bases: string } {
  const [codingStart, codingEnd, bases] = sequences[id] ?? [0, 0, ''];
  const transcript: Transcript = {
    ...{ chromosome: 'x', id, proteinId: '', gene: '', biotype: 'protein_coding', standing: '' },
    ...{ isReverse: false, exonStarts: Int32Array.of(1), exonEnds: Int32Array.of(bases.length) },
    ...{ codingStart, codingEnd, phase: 0, hasStart: true, hasEnd: true, isExact: true },
    ...{ geneticCode: 1, selenocysteines: [] },
  };
  return { transcript, bases };
}

/** Reads a change of a transcript with one exon. */
function allelesOf(change: string, codingStart: number, bases: string): [number, string, string] {
  const [, first = '', last = first, kind = ''] = /^c\.(-?\d+)(?:_(-?\d+))?(.*)$/.exec(change) ?? [];
  const place = (text: string): number => codingStart + Number(text) + (Number(text) < 0 ? 1 : 0);
  const [start, end] = [place(first), place(last)];
  const stretch = bases.slice(start - 1, end);
  const [, from = '', to = ''] = /^([ACGT])>([ACGT])$/.exec(kind) ?? [];
  if (from !== '') return [start, from, to];
  if (kind === 'del') return [start, stretch, ''];
  if (kind === 'dup') return [start, stretch, stretch + stretch];
  if (kind.startsWith('ins')) return [end, '', kind.slice(3)];
  return [start, stretch, kind.replace('delins', '')];
}

describe('HGVS', () => {
  for (const [change, protein, spelled] of published) {
    test(`${change} is ${protein}`, () => {
      const [id = '', coding = ''] = change.split(':');
      const { transcript, bases } = transcriptOf(id);
      const placed = new PlacedTranscripts([transcript]);
      const annotator = new Annotator({ bases: basesOf(bases), transcripts: () => placed });
      const alleles = allelesOf(coding, transcript.codingStart, bases);
      const [found] = annotator.consequencesOf(changeOf('x', ...alleles));
      assert.equal(found?.protein, protein);
      assert.equal(found?.coding, spelled ?? coding);
    });
  }
});
