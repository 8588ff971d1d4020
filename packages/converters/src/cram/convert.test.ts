import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { convertReads } from '../genomics-conversion.fixture.ts';

const folder = new URL('../../../../test/inputs/cram/', import.meta.url);
const stored = (name: string): Buffer => readFileSync(new URL(name, folder));
const convert = (source: Uint8Array) => convertReads(source, {}, undefined, 'cram');

/** Index that samtools makes of `reference.cram`, without the column of containers, which its header moves. */
const places = [
  ['0', '11', '1170', '190', '317'],
  ['0', '1211', '1170', '507', '326'],
  ['0', '2411', '1170', '190', '346'],
  ['0', '3611', '1170', '536', '344'],
  ['0', '4811', '1108', '190', '337'],
  ['1', '11', '1770', '190', '335'],
  ['1', '1811', '1108', '525', '301'],
  ['-1', '0', '1', '177', '149'],
];

describe('conversion of a CRAM', () => {
  const files = ['reference.cram', 'embedded.cram', 'without.cram'];
  for (const name of files) {
    test(`${name}: reads and bases are counted by read group, without the reference`, async () => {
      const { made, warnings } = await convert(stored(name));
      assert.deepEqual(
        warnings.map(({ message }) => message),
        ['44 reads belong to no read group of the header. They are counted in the read set only.'],
      );
      assert.deepEqual(made.summary.counts, { aligned: 132, unaligned: 3, bases: 3990 });
      assert.deepEqual(
        made.summary.groups.map(({ name: id, sampleName, counts }) => [id, sampleName, counts]),
        [
          ['a', 'one', { aligned: 44, unaligned: 3, bases: 1350 }],
          ['b', 'one', { aligned: 44, unaligned: 0, bases: 1320 }],
        ],
      );
      assert.deepEqual([made.format, made.needsReference], ['CRAM', name === 'reference.cram']);
      assert.deepEqual([made.sequences.count, made.checksumCount], [2, 2]);
    });
  }

  test('the index has a line for each sequence in each slice, as samtools has', async () => {
    const { bytes } = await convert(stored('reference.cram'));
    const lines = bytes.toString().trim().split('\n');
    assert.deepEqual(
      lines.map((line) => line.split('\t').filter((_, column) => column !== 3)),
      places,
    );
    const mixed = (await convert(stored('without.cram'))).bytes.toString().trim().split('\n');
    assert.deepEqual(
      mixed.map((line) => line.split('\t').slice(0, 3)),
      [
        ['0', '11', '5908'],
        ['1', '11', '2908'],
        ['-1', '0', '1'],
      ],
    );
  });

  test('a file without the container that ends it is taken with a warning', async () => {
    const { warnings } = await convert(stored('without.cram').subarray(0, -38));
    assert.match(warnings[0]?.message ?? '', /has no end-of-file container/);
  });

  test('a cut, damaged, old or foreign file is refused with the reason', async () => {
    const whole = stored('reference.cram');
    const changed = (at: number, value: number) => {
      const bytes = Buffer.from(whole);
      bytes[at] = value;
      return bytes;
    };
    const refused: [Uint8Array, RegExp][] = [
      [whole.subarray(0, 20), /^The file ends within its header/],
      [whole.subarray(0, 200), /^The file ends within its header/],
      [whole.subarray(0, 1500), /^The file ends within the container at byte \d+/],
      [changed(1000, (whole[1000] ?? 0) ^ 1), /^The container at byte \d+ is damaged/],
      [changed(4, 2), /^The CRAM has version 2\.0; 3\.0 and 3\.1 are supported/],
      [Buffer.from('a text that is long enough to be read'), /^The file is not a CRAM/],
    ];
    for (const [source, message] of refused) {
      await assert.rejects(convert(source), { name: 'InputError', message });
    }
    await assert.rejects(convertReads(whole), /This is a CRAM: ingest it with the type cram/);
  });
});
