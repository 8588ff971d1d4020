import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { randomOf } from './generator/random.ts';
import { firstCallOf, readsOf } from './generator/reads/haplotypes.ts';

const folder = join(import.meta.dirname, 'data');
const textOf = (path: string): string => {
  const bytes = readFileSync(join(folder, path));
  return (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
};

interface Region {
  chromosome: string;
  start: number;
  end: number;
  bases: string;
}

const regions = textOf('fasta/regions.fa')
  .split('>')
  .slice(1)
  .map((text): Region => {
    const [title = '', ...lines] = text.split('\n');
    const [, chromosome = '', start, end] = /^(\w+):(\d+)-(\d+) AS:GRCh38 /.exec(title) ?? [];
    return { chromosome, start: Number(start), end: Number(end), bases: lines.join('') };
  });
const regionOf = (chromosome: string, position: number): Region | undefined =>
  regions.find((one) => one.chromosome === chromosome && one.start <= position && one.end >= position);

interface Aligned {
  sequence: number;
  position: number;
  bases: string;
}

/** Returns a plain reading of the BAM, whose reads have no insertion and no deletion. */
function readBam(): { header: string; sequences: [string, number][]; reads: Aligned[] } {
  const bytes = gunzipSync(readFileSync(join(folder, 'bam/SYN0001.bam')));
  assert.equal(bytes.toString('latin1', 0, 4), 'BAM\x01');
  let at = 8 + bytes.readInt32LE(4);
  const header = bytes.toString('utf8', 8, at);
  const sequences: [string, number][] = [];
  const count = bytes.readInt32LE(at);
  at += 4;
  for (let index = 0; index < count; index += 1) {
    const length = bytes.readInt32LE(at);
    sequences.push([bytes.toString('utf8', at + 4, at + 3 + length), bytes.readInt32LE(at + 4 + length)]);
    at += 8 + length;
  }
  const reads: Aligned[] = [];
  for (; at < bytes.length; at += 4 + bytes.readInt32LE(at)) {
    const [nameLength, operations] = [bytes.readUInt8(at + 12), bytes.readUInt16LE(at + 16)];
    assert.equal(operations, 1);
    const from = at + 36 + nameLength + 4 * operations;
    const bases = Array.from({ length: bytes.readInt32LE(at + 20) }, (_, index) => {
      const both = bytes.readUInt8(from + (index >> 1));
      return '=ACMGRSVTWYHKDBN'[index % 2 === 0 ? both >> 4 : both & 15];
    });
    reads.push({
      sequence: bytes.readInt32LE(at + 4),
      position: bytes.readInt32LE(at + 8) + 1,
      bases: bases.join(''),
    });
  }
  return { header, sequences, reads };
}

const recordsOf = (path: string): string[][] =>
  textOf(path)
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split('\t'));

test('the bases of the reference are the REF of every VCF', () => {
  assert.ok(regions.length > 3);
  let compared = 0;
  for (const name of readdirSync(join(folder, 'vcf')))
    for (const [chromosome = '', position, , reference = ''] of recordsOf(`vcf/${name}`)) {
      const region = regionOf(chromosome, Number(position));
      if (region === undefined) continue;
      const from = Number(position) - region.start;
      const bases = region.bases.slice(from, from + reference.length);
      assert.equal(bases, reference, `${name} ${chromosome}:${position}`);
      compared += 1;
    }
  assert.ok(compared > 20, `${compared} records`);
  for (const { start, end, bases } of regions) assert.equal(bases.length, end - start + 1);
});

test('the reads are sorted, along chromosomes as long as those of the VCF, and cover the regions', () => {
  const { header, sequences, reads } = readBam();
  assert.match(header, /\n@RG\tID:SYN0001\tSM:SYN0001\n/);
  const contigs = [...textOf('vcf/SYN0001.vcf').matchAll(/^##contig=<ID=([^,]*),length=(\d+)/gm)];
  assert.deepEqual(
    sequences,
    contigs.map(([, name, length]) => [name, Number(length)]),
  );
  const places = reads.map(({ sequence, position }) => sequence * 2 ** 30 + position);
  assert.deepEqual(
    places,
    places.toSorted((one, other) => one - other),
  );
  for (const { sequence, position, bases } of reads) {
    const region = regionOf(sequences[sequence]?.[0] ?? '', position);
    assert.ok(region && position + bases.length - 1 <= region.end, `${sequence}:${position}`);
  }
});

test('reads have the alternate base in the proportion of the genotype, and the reference elsewhere', () => {
  const { sequences, reads } = readBam();
  const shares = new Map<string, number[]>();
  const records = recordsOf('vcf/SYN0001.vcf').filter(([chromosome = '', position]) =>
    regionOf(chromosome, Number(position)),
  );
  for (const [chromosome = '', position, , reference = '', alternate = '', , , , , call = ''] of records) {
    assert.ok(reference.length === 1 && alternate.length === 1);
    const found = reads
      .filter(({ sequence }) => sequences[sequence]?.[0] === chromosome)
      .flatMap((read) => read.bases[Number(position) - read.position] ?? []);
    assert.ok(found.length > 10, `${found.length} reads at ${chromosome}:${position}`);
    assert.ok(found.every((base) => base === reference || base === alternate));
    const share = found.filter((base) => base === alternate).length / found.length;
    const genotype = [...(call.split(':')[0] ?? '').replace(/[/|]/, '')].sort().join('');
    shares.set(genotype, [...(shares.get(genotype) ?? []), share]);
  }
  assert.ok(shares.get('01')?.every((share) => share > 0.4 && share < 0.6));
  assert.ok(shares.get('11')?.every((share) => share === 1));
  const sites = new Set(records.map(([chromosome, position]) => `${chromosome}:${position}`));
  for (const { sequence, position, bases } of reads) {
    const chromosome = sequences[sequence]?.[0] ?? '';
    const { start = 0, bases: expected = '' } = regionOf(chromosome, position) ?? {};
    for (const [at, base] of [...bases].entries())
      if (!sites.has(`${chromosome}:${position + at}`)) assert.equal(base, expected[position + at - start]);
  }
});

test('deletions and insertions of a haplotype are in the alignment of its reads', () => {
  const bases = 'ACGT'.repeat(100);
  const region = { chromosome: 'chr1', start: 1001, end: 1400 };
  const call = (position: number, reference: string, alternate: string, genotype: string) =>
    firstCallOf(
      ['chr1', position, '.', reference, alternate, '.', '.', '.', 'GT', `${genotype}:9`].join('\t'),
    ) ?? assert.fail();
  const calls = [call(1101, 'ACG', 'A', '1/1'), call(1201, 'A', 'ATT', '0|1')];
  const reads = [...readsOf(region, bases, calls, randomOf('indels'))];
  const across = reads.filter(({ position, span }) => position <= 1101 && position + span > 1104);
  assert.ok(across.length > 20);
  for (const { position, cigar, bases: text } of across) {
    assert.deepEqual(cigar.slice(0, 2), [
      [1102 - position, 'M'],
      [2, 'D'],
    ]);
    const kept = bases.slice(position - 1001, 101) + bases.slice(103, 200);
    assert.ok(text.startsWith(kept.slice(0, 80)));
  }
  const inserted = reads.filter(({ cigar }) => cigar.some(([, operation]) => operation === 'I'));
  const over = reads.filter(({ position, span }) => position <= 1201 && position + span > 1203);
  assert.ok(inserted.length > 0.3 * over.length && inserted.length < 0.7 * over.length);
  assert.ok(reads.every(({ position }) => position <= 1101 || position > 1103));
});
