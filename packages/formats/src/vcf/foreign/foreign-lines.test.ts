import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesOf, textOf } from '../../bytes.ts';
import { annotationLayouts } from '../annotations.ts';
import { parseVcfHeader } from '../header.ts';
import { ForeignLines } from './foreign-lines.ts';

const header = parseVcfHeader([
  '##fileformat=VCFv4.2',
  '##INFO=<ID=BCSQ,Number=.,Type=String,Description="Local consequence annotation from BCFtools/csq. Format: Consequence|gene|transcript|biotype|strand|amino_acid_change|dna_change">',
  '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO',
]);

function open(): ForeignLines {
  const lines = ForeignLines.open(annotationLayouts(header, new Map([['BCSQ', 'x']])));
  assert.ok(lines);
  return lines;
}

/** Annotations of the last of these lines. */
function annotationsOf(lines: ForeignLines, ...given: string[]): string {
  const text = bytesOf(given.map((line) => `${line}\n`).join(''));
  lines.enter(text);
  let at = 0;
  for (const line of given) {
    const { length } = bytesOf(line);
    assert.ok(lines.rewrite(text, at, at + length));
    at += length + 1;
  }
  lines.leave();
  const written = textOf(lines.line, 0, lines.line.length);
  return /BCSQ=([^;]*)/.exec(written)?.[1] ?? '';
}

const numbered = (count: number, text: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => text(at)).join(',');

test('two entries about one change keep their common effects', () => {
  const line =
    '1\t173\t.\tT\tTAACA\t.\t.\tBCSQ=frameshift|G|T|p|+||173T>TAACA,stop_gained&frameshift|G|T|p|+||173T>TAACA';
  assert.match(annotationsOf(open(), line), /^frameshift_variant\|HIGH\|G\|T\|/);
});

test('a record of thousands of alternates and transcripts has its genes, and not each with each', () => {
  const lines = open();
  const alternates = numbered(3000, (at) => `A${at.toString(2).replaceAll('0', 'C').replaceAll('1', 'G')}`);
  const entries = numbered(3000, (at) => `missense|G|T${at}|p|+`);
  const found = annotationsOf(lines, `1\t100\t.\tA\t${alternates}\t.\t.\tBCSQ=${entries}`).split(',');
  assert.equal(found.length, 3000);
  assert.equal(lines.unclearCount, 3000);
});

test('records that all point to the consequences of one are read as far as that is bounded, and counted', () => {
  const lines = open();
  const joint = numbered(3000, (at) => `missense|G|T|p|+||100A>C+${101 + at}A>C`);
  const pointing = Array.from({ length: 2000 }, (_, at) => `1\t${101 + at}\t.\tA\tC\t.\t.\tBCSQ=@100`);
  annotationsOf(lines, `1\t100\t.\tA\tC\t.\t.\tBCSQ=${joint}`, ...pointing);
  assert.equal(lines.unclearCount, 2000 - Math.floor(2_000_000 / 3000));
});
