import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { bamBytes, bgzf, type TestRead } from '../../../../test/support/bam.ts';
import { sharedData, sharedDataSkip } from '../../../../test/support/shared-data.ts';
import { convertReads } from '../genomics-conversion.fixture.ts';

const good: TestRead[] = [
  { reference: 0, position: 5 },
  { reference: 0, position: 9 },
  { reference: -1, position: -1, flags: 4 },
];

async function messageOf(bytes: Uint8Array, options = {}): Promise<string> {
  const error: unknown = await convertReads(bytes, options).then(
    () => assert.fail('it was converted'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof Error && error.name === 'InputError', String(error));
  return error.message;
}

describe('counts and header', () => {
  test('reads of a real file are those of samtools', { skip: sharedDataSkip }, async () => {
    const { made, progress, warnings, account } = await convertReads(
      readFileSync(sharedData('bam/htsnexus_test_NA12878.bam')),
    );
    const { summary, sequences } = made;
    assert.deepEqual(summary.counts, { aligned: 27_214, unaligned: 12_704, bases: 3_033_768 });
    assert.equal(sequences.count, 86);
    assert.equal(sequences.assemblyId, 'NCBI37');
    assert.deepEqual(
      summary.groups.map(({ name, sampleName, predictedInsertSize, counts }) => ({
        name,
        sampleName,
        predictedInsertSize,
        counts,
      })),
      [{ name: 'SRR098401', sampleName: 'NA12878', predictedInsertSize: 220, counts: summary.counts }],
    );
    assert.deepEqual(progress.at(-1), [2_596_799, 39_918]);
    assert.equal(account.records, 39_918);
    assert.deepEqual(warnings, []);
  });

  test('a missing end is warned of, and all records count', { skip: sharedDataSkip }, async () => {
    const { made, warnings } = await convertReads(readFileSync(sharedData('bam/quickcheck_badeof.bam')));
    assert.equal(made.summary.records, 40);
    assert.match(warnings[0]?.message ?? '', /has no end-of-file block/);
    const endless = await convertReads(bamBytes({ reads: good, endless: true }));
    assert.match(endless.warnings[0]?.message ?? '', /has no end-of-file block/);
  });

  test('reads count in their own group, and those of none in the file alone', async () => {
    const text =
      '@HD\tVN:1.6\tSO:coordinate\n@RG\tID:a\tSM:one\tPL:ILLUMINA\tPM:NovaSeq\tFO:*\tPI:301\n@RG\tID:b\tSM:one\tDS:second\n';
    const reads = ['a', 'b', 'b', 'unknown', undefined].map((group, position) => ({
      reference: 0,
      position,
      flags: position === 2 ? 4 : 1,
      ...(group !== undefined && { group }),
    }));
    const { made, warnings } = await convertReads(bamBytes({ text, reads }));
    const [a, b] = made.summary.groups;
    assert.deepEqual(a?.counts, { aligned: 1, unaligned: 0, bases: 10 });
    assert.deepEqual(b?.counts, { aligned: 1, unaligned: 1, bases: 20 });
    assert.deepEqual(made.summary.counts, { aligned: 4, unaligned: 1, bases: 50 });
    assert.deepEqual(a?.experiment, { instrumentModel: 'NovaSeq', libraryLayout: 'PAIRED' });
    assert.deepEqual([a?.attributes, a?.predictedInsertSize, b?.description], [{ FO: '*' }, 301, 'second']);
    assert.deepEqual(made.summary.attributes, { VN: '1.6', SO: 'coordinate' });
    assert.match(warnings[0]?.message ?? '', /^2 reads belong to no read group/);
  });

  test('a file without read groups has one, which all reads are in', async () => {
    const { made, warnings } = await convertReads(bamBytes({ reads: good }));
    assert.deepEqual(
      made.summary.groups.map(({ name, counts }) => [name, counts]),
      [['default', { aligned: 2, unaligned: 1, bases: 30 }]],
    );
    assert.deepEqual(warnings, []);
  });

  test('sequences are listed only when each has its checksum', async () => {
    const references: [string, number][] = [
      ['a', 4],
      ['b', 5],
    ];
    const line = (name: string, m5: string) =>
      `@SQ\tSN:${name}\tLN:${name === 'a' ? 4 : 5}\tAS:X1\tSP:Homo sapiens${m5}\n`;
    const some = line('a', `\tM5:${'0'.repeat(32)}`) + line('b', '');
    const all = line('a', `\tM5:${'A'.repeat(32)}`) + line('b', `\tM5:${'0'.repeat(32)}`);
    const partly = await convertReads(bamBytes({ references, text: some }));
    assert.deepEqual(
      [
        partly.references.map(({ name }) => name),
        partly.made.checksumCount,
        partly.made.sequences.md5checksum,
      ],
      [['a'], 1, ''],
    );
    const { references: listed, made } = await convertReads(bamBytes({ references, text: all }));
    assert.deepEqual(
      listed.map(({ name, length, md5checksum }) => [name, length, md5checksum]),
      [
        ['a', 4, 'a'.repeat(32)],
        ['b', 5, '0'.repeat(32)],
      ],
    );
    assert.deepEqual(made.sequences.species, { term_id: 'NCBITaxon:9606', term: 'Homo sapiens' });
  });
});

describe('invalid input ends with a reason', () => {
  test('a file that is not sorted: the record is named', async () => {
    for (const reads of [
      [
        { reference: 0, position: 9 },
        { reference: 0, position: 5 },
      ],
      [
        { reference: 1, position: 9 },
        { reference: 0, position: 50 },
      ],
      [
        { reference: -1, position: -1, flags: 4 },
        { reference: 0, position: 5 },
      ],
    ]) {
      const bytes = bamBytes({
        references: [
          ['a', 99],
          ['b', 99],
        ],
        reads,
      });
      assert.match(await messageOf(bytes), /^Record 2 is before its predecessor.*samtools sort/);
    }
  });

  test('positions beyond the range of a BAI', async () => {
    const references: [string, number][] = [['long', 2 ** 30]];
    const at = (position: number) => bamBytes({ references, reads: [{ reference: 0, position }] });
    assert.match(await messageOf(at(2 ** 29 - 5)), /^Record 1 is beyond position 536,870,912/);
    assert.ok(await convertReads(at(2 ** 29 - 10)));
  });

  test('a few records that skip whole sequences make no index of gigabytes', async () => {
    const over = (count: number): Buffer => {
      const references = Array.from({ length: count }, (_, at): [string, number] => [`c${at}`, 2 ** 29]);
      const skips: [number, string][] = [
        [2 ** 28 - 1, 'N'],
        [2 ** 28 - 9, 'N'],
        [10, 'M'],
      ];
      const reads = references.map((_, reference) => ({ reference, position: 0, cigar: skips }));
      return bamBytes({ references, reads });
    };
    assert.ok(await convertReads(over(128)));
    assert.match(await messageOf(over(129)), /^The index would be too large/);
  });

  test('two sequences of one name', async () => {
    const references: [string, number][] = [
      ['a', 9],
      ['b', 9],
      ['a', 99],
    ];
    assert.match(await messageOf(bamBytes({ references })), /^Two sequences .* the same name/);
  });

  test('a file that breaks off, wherever it does, never gives an index', async () => {
    const bytes = bamBytes({ reads: good, blockBytes: 40 });
    const whole = bytes.length - 28;
    for (let size = 1; size < whole; size += 1) {
      const message = await messageOf(bytes.subarray(0, size));
      assert.match(message, /not complete|not a BAM/, `${size}: ${message}`);
    }
  });

  test('a block whose bytes were changed is named by its place', async () => {
    const bytes = Buffer.concat([bamBytes({ reads: good, blockBytes: 64 })]);
    const second = bytes.indexOf(Buffer.from([0x1f, 0x8b, 0x08, 0x04]), 1);
    for (const at of [second + 2, second + 20, second + 22]) {
      const damaged = Buffer.from(bytes);
      damaged[at] = (damaged[at] ?? 0) ^ 0xff;
      assert.match(await messageOf(damaged), new RegExp(`^The block at byte ${second} is damaged`));
    }
  });

  test('records whose parts do not fit, or that name what is not there', async () => {
    assert.match(await messageOf(bamBytes({ reads: [{ reference: 7, position: 0 }] })), /^Record 1 names/);
    const content = Buffer.from([...Buffer.from('BAM\x01'), 0, 0, 0, 0, 0, 0, 0, 0, 200, 0, 0, 0]);
    const record = Buffer.concat([content, Buffer.alloc(200, 0xff)]);
    assert.match(await messageOf(bgzf(record)), /^Record 1 is damaged/);
    record.writeInt32LE(-5, 12);
    assert.match(await messageOf(bgzf(record)), /^Record 1 is damaged/);
  });

  test('errors about other formats name the way out', async () => {
    assert.match(await messageOf(Buffer.from('CRAM\x03\x00')), /CRAM.*type cram/);
    assert.match(await messageOf(Buffer.from('@HD\tVN:1.6\n')), /SAM.*samtools view -b/);
    assert.match(await messageOf(Buffer.from('BAI\x01')), /index/);
    assert.match(await messageOf(Buffer.from('>chr1\nACGT\n')), /not complete|not a BAM/);
    assert.match(await messageOf(Buffer.alloc(0)), /empty/);
    assert.match(await messageOf(gzipSync('BAM\x01')), /bgzip/);
    assert.match(await messageOf(bgzf(Buffer.from('##fileformat=VCFv4.3\n'))), /but is not a BAM/);
  });

  test('a header with more text than an answer may have', async () => {
    const long = 'd'.repeat(17 * 2 ** 20);
    for (const line of [`@RG\tID:a\tDS:${long}\n`, `@HD\tVN:1.6\tzz:${long}\n`])
      assert.match(await messageOf(bamBytes({ text: line })), /more than 16 MiB of text/);
  });

  test('options for one sample are refused for a file of several', async () => {
    const bytes = bamBytes({ text: '@RG\tID:a\tSM:one\n@RG\tID:b\tSM:two\n' });
    assert.match(await messageOf(bytes, { patientId: 'p' }), /this file has 2: use samples/);
    assert.match(await messageOf(bytes, { sampleId: 's' }), /this file has 2: name them with sampleIds/);
    const samples = [{ sampleId: 'three', patientId: 'p' }];
    assert.equal((await convertReads(bytes, { samples })).warnings.length, 1);
  });
});
