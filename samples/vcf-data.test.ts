import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { Manifest } from './generator/project.ts';

const folder = join(import.meta.dirname, 'data');
const manifest: Manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
const vcfs = manifest.files.filter(({ kind }) => kind === 'vcf');

function textOf(path: string): string {
  const bytes = readFileSync(join(folder, path));
  return (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
}

const all = vcfs.map(({ path }) => textOf(path)).join('');

const recordsOf = (text: string): string[][] =>
  text
    .trimEnd()
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .map((line) => line.split('\t'));

const infoOf = (fields: string[]): Map<string, string> =>
  new Map((fields[7] ?? '').split(';').map((pair) => pair.split('=', 2) as [string, string]));

const annotationsOf = (fields: string[]): string[][] =>
  (infoOf(fields).get('ANN') ?? '').split(',').map((entry) => entry.split('|'));

const alternatesOf = (fields: string[]): string[] => (fields[4] ?? '').split(',');

/** Rows of a record in the table `variant`: sample × allele × gene, by its text alone. */
function rowsOf(fields: string[]): number {
  const genotypes = fields.slice(9).map((call) => call.split(':')[0]?.split(/[/|]/) ?? []);
  const annotations = annotationsOf(fields);
  const rows = alternatesOf(fields).map((alternate, index) => {
    const carriers = genotypes.filter((alleles) => alleles.includes(String(index + 1))).length;
    const genes = annotations.filter(([allele]) => allele === alternate).map((entry) => entry[3]);
    return carriers * new Set(genes).size;
  });
  return rows.reduce((sum, count) => sum + count, 0);
}

test('the manifest counts the records of each file and the rows that they give', () => {
  for (const { path, count, rows } of vcfs) {
    const records = recordsOf(textOf(path));
    assert.equal(records.length, count, path);
    assert.equal(
      records.map(rowsOf).reduce((sum, each) => sum + each, 0),
      rows,
      path,
    );
  }
});

test('the records of each file are sorted by contig and position', () => {
  for (const { path } of vcfs) {
    const text = textOf(path);
    const contigs = [...text.matchAll(/^##contig=<ID=([^,]*),length=(\d+)/gm)];
    const lengths = new Map(contigs.map(([, name = '', length]) => [name, Number(length)]));
    const names = [...lengths.keys()];
    let before: readonly [number, number] = [-1, 0];
    for (const [chromosome = '', positionText, , reference = ''] of recordsOf(text)) {
      const place = [names.indexOf(chromosome), Number(positionText)] as const;
      const isSorted = place[0] > before[0] || (place[0] === before[0] && place[1] >= before[1]);
      assert.ok(isSorted, `${path} at ${chromosome}:${positionText}`);
      assert.ok(place[1] >= 1 && place[1] + reference.length - 1 <= (lengths.get(chromosome) ?? 0));
      before = place;
    }
  }
});

test('every REF and ALT is a sequence of its own, and every INFO key is declared', () => {
  const declared = new Set([...all.matchAll(/^##INFO=<ID=([^,]*)/gm)].map(([, key]) => key));
  for (const fields of recordsOf(all)) {
    const [, , , reference = '', , quality, filter, , format] = fields;
    const alternates = alternatesOf(fields);
    assert.match(reference, /^[ACGT]+$/);
    assert.ok(alternates.every((alternate) => /^([ACGT]+|\*)$/.test(alternate) && alternate !== reference));
    assert.equal(new Set(alternates).size, alternates.length);
    assert.match(`${quality} ${filter}`, /^\d+ (PASS|LowQual|LowDepth|LowQual;LowDepth)$/);
    assert.equal(format, 'GT:AD:DP:GQ:PL');
    for (const key of infoOf(fields).keys()) assert.ok(declared.has(key), key);
  }
});

test('every annotation has its sixteen fields and speaks of an allele of its record', () => {
  for (const fields of recordsOf(all)) {
    const annotations = annotationsOf(fields);
    const alternates = alternatesOf(fields);
    for (const entry of annotations) {
      assert.equal(entry.length, 16, entry.join('|'));
      assert.ok(alternates.includes(entry[0] ?? ''), fields.join(' '));
      assert.match(entry[2] ?? '', /^(HIGH|MODERATE|LOW|MODIFIER)$/);
      assert.match(entry[9] ?? '', /^[cn]\.\S+$/);
      assert.match(entry[10] ?? '', /^(p\.[A-Z][a-z]{2}\d+([A-Z][a-z]{2}|\*|fs|del))?$/);
    }
    for (const alternate of alternates) {
      assert.equal(
        annotations.some(([allele]) => allele === alternate),
        alternate !== '*',
        fields.join(' '),
      );
    }
  }
});

test('no simulated variant of a real gene is called pathogenic', () => {
  for (const fields of recordsOf(all)) {
    const isSimulated = !/^rs\d{1,9}(;rs\d+)?$|^rs1\d{9}$/.test(fields[2] ?? '');
    const isHarmful = /^(Likely_p|P)athogenic/.test(infoOf(fields).get('CLNSIG') ?? '');
    if (isSimulated && isHarmful) {
      assert.ok(
        annotationsOf(fields).every((entry) => entry[3]?.startsWith('SIMG')),
        fields.join(' '),
      );
    }
  }
});

test('the project shows what a reader has to cope with', () => {
  const sights: [string, RegExp][] = [
    ['more than one alternate allele', /\t[ACGT]+,[ACGT]+\t/],
    ['an allele that a deletion covers', /\t[ACGT],\*\t/],
    ['a record that did not pass', /\tLowQual\t/],
    ['a homozygous reference', /\t0\/0:/],
    ['a genotype that was not called', /\t\.\/\.:/],
    ['a haploid genotype', /\t1:\d/],
    ['a phased genotype', /\t0\|1:/],
    ['a variant beside a second gene', /\|upstream_gene_variant\|/],
    ['a transcript without protein', /\|retained_intron\|/],
    ['a conflict in ClinVar', /CLNSIG=Conflicting/],
    ['a variant that no database knows', /\tchr\w+\t\d+\t\.\t|\nchr\w+\t\d+\t\.\t/],
  ];
  for (const [what, pattern] of sights) assert.match(all, pattern, what);
});

test('well-known variants have their GRCh38 positions', () => {
  for (const record of [
    'chr1\t114713909\trs121913254\tG\tT',
    'chr1\t169549811\trs6025\tC\tT',
    'chr3\t179234297\trs121913279\tA\tG',
    'chr6\t26092913\trs1800562\tG\tA',
    'chr7\t55191822\trs121434568\tT\tG',
    'chr7\t117559590\trs113993960\tATCT\tA',
    'chr7\t140753336\trs113488022\tA\tT',
    'chr9\t5073770\trs77375493\tG\tT',
    'chr12\t25245350\trs121913529\tC\tT',
    'chr13\t32340300\trs80359550\tGT\tG',
    'chr17\t7675088\trs28934578\tC\tT',
    'chr17\t43124027\trs80357914\tACT\tA',
    'chr19\t44908684\trs429358\tT\tC',
  ]) {
    assert.ok(all.includes(`\n${record}\t`), record);
  }
});
