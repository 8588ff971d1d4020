import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { InputError } from '@ploidy/formats';
import { printedBy, realFiles, realFilesSkip } from '../../../../test/support/real-files.ts';
import { convertReads, convertReferences } from '../genomics-conversion.fixture.ts';

const packages = ['htslib', 'samtools'];
const skip = realFilesSkip(packages, 'samtools');
const folder = mkdtempSync(join(tmpdir(), 'ploidy-reads-ledger-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const shortName = (path: string): string => path.split('/').slice(-2).join('/');
const sums = { files: 0, unread: 0, refused: 0, reads: 0, regions: 0, sequences: 0 };

/** Reasons to refuse a file that samtools sorts. */
const reasons = /beyond position 536,870,912|read group .* (?:twice|name)|no reference|reference sequence/;

/** Read of samtools, with what a summary counts. */
interface Read {
  flag: number;
  bases: number;
  group: string | undefined;
}

const isUnmapped = ({ flag }: Read): boolean => (flag & 4) !== 0;

function readsIn(text: string): Read[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const fields = line.split('\t');
      const group = fields.find((field) => field.startsWith('RG:Z:'))?.slice(5);
      const sequence = fields[9] ?? '*';
      return { flag: Number(fields[1]), bases: sequence === '*' ? 0 : sequence.length, group };
    });
}

/** Values of a tag in the lines of a header. */
const headerValues = (header: string, record: string, tag: string): string[] =>
  header
    .split('\n')
    .filter((line) => line.startsWith(`@${record}\t`))
    .map(
      (line) =>
        line
          .split('\t')
          .find((field) => field.startsWith(`${tag}:`))
          ?.slice(tag.length + 1) ?? '',
    );

describe('reads of real files are those of samtools', { skip }, () => {
  for (const path of packages.flatMap((name) => realFiles(name, ['.sam', '.bam'])))
    for (const type of ['bam', 'cram'] as const)
      test(`${shortName(path)} as ${type}`, async () => {
        const sorted = join(folder, `sorted.${type}`);
        const format = type === 'bam' ? 'bam' : 'cram,no_ref=1';
        const isSorted = printedBy('samtools', ['sort', '-O', format, '-o', sorted, path]) !== undefined;
        const printed = isSorted ? printedBy('samtools', ['view', sorted]) : undefined;
        if (printed === undefined) {
          sums.unread += 1;
          return;
        }
        const header = printedBy('samtools', ['view', '-H', '--no-PG', sorted]) ?? '';
        const reads = readsIn(printed);
        const made = await convertReads(readFileSync(sorted), {}, undefined, type).catch((error: unknown) => {
          assert.ok(error instanceof InputError, String(error));
          assert.match(error.message, reasons);
        });
        if (!made) {
          sums.refused += 1;
          return;
        }
        sums.files += 1;
        sums.reads += reads.length;
        const { summary, sequences } = made.made;
        const counted = (of: readonly Read[]) => ({
          aligned: of.filter((read) => !isUnmapped(read)).length,
          unaligned: of.filter(isUnmapped).length,
          bases: of.reduce((sum, { bases }) => sum + bases, 0),
        });
        assert.equal(summary.records, reads.length);
        assert.deepEqual(summary.counts, counted(reads));
        const groups = headerValues(header, 'RG', 'ID');
        const samples = headerValues(header, 'RG', 'SM');
        for (const [place, group] of groups.entries()) {
          const found = summary.groups.find(({ name }) => name === group);
          assert.deepEqual(found?.counts, counted(reads.filter((read) => read.group === group)), group);
          assert.equal(found?.sampleName ?? '', samples[place], group);
        }
        assert.equal(sequences.count, headerValues(header, 'SQ', 'SN').length);
        assert.equal(summary.programs.length, headerValues(header, 'PG', 'ID').length);
        if (type === 'bam') requireRegions(sorted, header, made.bytes);
      });

  test('most files are read by both', (context) => {
    context.diagnostic(JSON.stringify(sums));
    assert.ok(sums.files > 250 && sums.reads > 10_000 && sums.regions > 500);
  });
});

/** Compares counts of regions by our index with those of a filter that uses none. */
function requireRegions(path: string, header: string, index: Uint8Array): void {
  const indexPath = join(folder, 'index.bai');
  writeFileSync(indexPath, index);
  const names = headerValues(header, 'SQ', 'SN');
  const lengths = headerValues(header, 'SQ', 'LN').map(Number);
  for (const [place, name] of names.slice(0, 4).entries()) {
    const length = lengths[place] ?? 1;
    for (const [start, end] of [
      [1, length],
      [Math.ceil(length / 3), Math.ceil(length / 2)],
    ] as const) {
      const region = `{${name}}:${start}-${end}`;
      const found = printedBy('samtools', ['view', '-c', '-X', path, indexPath, region]);
      const filter = `rname=="${name}" && pos<=${end} && endpos>=${start}`;
      const expected = printedBy('samtools', ['view', '-c', '-e', filter, path]);
      assert.equal(found, expected, region);
      sums.regions += 1;
    }
  }
}

describe('sequences of real files are those of samtools', { skip }, () => {
  for (const path of packages.flatMap((name) => realFiles(name, ['.fa', '.fasta', '.fna', '.fa.gz'])))
    test(shortName(path), async () => {
      const dictionary = printedBy('samtools', ['dict', path]);
      const made = await convertReferences(readFileSync(path)).catch((error: unknown) => {
        assert.ok(error instanceof InputError, String(error));
      });
      if (!made || dictionary === undefined) return;
      const of = (tag: string): string[] => headerValues(dictionary, 'SQ', tag);
      assert.deepEqual(
        made.references.map(({ name, length, md5checksum }) => [name, String(length), md5checksum]),
        of('SN').map((name, place) => [name, of('LN')[place], of('M5')[place]]),
      );
      sums.sequences += made.references.length;
    });

  test('sequences are compared', () => assert.ok(sums.sequences > 50));
});
