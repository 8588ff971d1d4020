/** The outcome is equal for every division of blocks of BGZF among threads that inflate them. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { endOfFileBlock } from '@ploidy/formats';
import { bgzf } from '../../../../../test/support/bam.ts';
import type { ConversionOptions } from '../../../../engine/src/conversion.ts';
import { type Conversion, convertFile, pick, vcf } from '../conversion.fixture.ts';
import { mapBlocks } from './block-map.ts';
import type { StretchPlan } from './stretch-plan.ts';

const whole: StretchPlan = { stretchBytes: 1 << 20, threadCount: 1 };
/** Smaller than a line, some lines, all of them. */
const divided: StretchPlan[] = [40, 700, 1 << 20].map((stretchBytes) => ({ stretchBytes, threadCount: 2 }));

const blocksOf = (content: string, blockBytes: number): Buffer => bgzf(Buffer.from(content), { blockBytes });

/** `width`: further length of the INFO of a record. */
function text(count: number, width: (number: number) => number = () => 0): string {
  const lines = Array.from({ length: count }, (_, number) => {
    const info = `ANN=G|missense_variant|MODERATE|GENE${number % 7};X=${'x'.repeat(width(number))}`;
    return `${1 + (number >> 5)} ${number * 10 + 1} rs${number} A G . PASS ${info} GT 0/1`;
  });
  const meta =
    '##INFO=<ID=ANN,Number=.,Type=String,Description="\'Allele | Annotation | Annotation_Impact | Gene_Name\'">';
  return vcf(lines, { meta: [meta], samples: ['S'] });
}

function seen({ variants, sequences, copies, fusions, warnings, progress }: Conversion) {
  return { variants, sequences, copies, fusions, warnings, rows: progress.at(-1)?.[1] };
}

describe('stretches of blocks', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ploidy-blocks-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  async function converted(
    content: string | Uint8Array,
    plan: StretchPlan,
    options: ConversionOptions = {},
  ): Promise<Conversion> {
    const path = join(folder, 'source');
    await writeFile(path, content);
    return convertFile(path, options, 256 << 20, plan);
  }

  /** Outcome of all stretches. */
  async function alike(
    content: string,
    sizes: number[],
    options: ConversionOptions = {},
  ): Promise<Conversion> {
    const expected = await converted(content, whole, options);
    for (const size of sizes) {
      const packed = blocksOf(content, size);
      for (const plan of divided) {
        const found = await converted(packed, plan, options);
        assert.deepEqual(
          seen(found),
          seen(expected),
          `${size} bytes a block, ${plan.stretchBytes} a stretch`,
        );
      }
    }
    return expected;
  }

  test('lines are read once, wherever blocks and stretches end', async () => {
    const content = text(40);
    const { variants } = await alike(content, [1, 7, 63, 64, 65, 97, 1000, 65_280]);
    assert.equal(variants.length, 40);
    // Blocks that end where lines do.
    const line = content.split('\n').at(-2)?.length ?? 0;
    await alike(content, [line + 1, (line + 1) * 2]);
  });

  test('a last line without an end is read, and blank lines at the end are none', async () => {
    const content = text(30);
    assert.equal((await alike(content.trimEnd(), [50, 333])).variants.length, 30);
    assert.equal((await alike(`${content}\n\n`, [50, 333])).variants.length, 30);
  });

  test('lines are read whole that go on for many blocks, or behind all that is read with a stretch', async () => {
    const uneven = text(20, (number) => (number === 12 ? 30_000 : 0));
    assert.equal((await alike(uneven, [300, 4096])).variants.length, 20);
    const late = text(1100, (number) => (number === 1050 ? 1 << 20 : 0));
    const found = await converted(blocksOf(late, 4096), { stretchBytes: 20_000, threadCount: 2 });
    assert.equal(found.variants.length, 1100);
  });

  test('broken lines keep their numbers, and the first ends it without `skip`', async () => {
    const lines = text(60).split('\n');
    for (const place of [10, 40]) lines[place] = 'broken';
    const content = lines.join('\n');
    const { warnings } = await alike(content, [80, 500], { onError: 'skip' });
    assert.deepEqual(
      warnings.map(({ line }) => line),
      [11, 41],
    );
    for (const plan of divided)
      await assert.rejects(converted(blocksOf(content, 80), plan), { name: 'InputError', line: 11 });
  });

  test('structural records and consequences at other records are found across blocks', async () => {
    const entry = (at: number, change: string) => `missense|G${at}|T|protein_coding|+|3E>3T|${change}`;
    const records = Array.from({ length: 60 }, (_, number) => {
      const at = number * 100 + 1;
      return [
        `1 ${at} . A C . PASS BCSQ=${entry(at, `${at}A>C+${at + 2}A>C`)} GT 0/1`,
        `1 ${at + 2} . A C . PASS BCSQ=@${at} GT 0/1`,
        `1 ${at + 50} d${number} A <DEL> . PASS SVTYPE=DEL;END=${at + 90} GT 0/1`,
      ];
    });
    const content = vcf(records.flat(), { samples: ['S'] });
    const expected = await converted(content, whole);
    assert.deepEqual([expected.variants.length, expected.copies.length], [120, 60]);
    for (const size of [200, 900]) {
      const found = await converted(blocksOf(content, size), { stretchBytes: 3000, threadCount: 2 });
      assert.deepEqual(seen(found), seen(expected));
    }
    assert.equal(new Set(pick(expected.variants, 'gene')).size, 60);
  });

  test('a line over the maximum is reported with its number', async () => {
    const content = text(30, (number) => (number === 20 ? 65 << 20 : 0));
    const error = { name: 'InputError', line: 24, message: /Line 24 is longer than 64 MiB/ };
    await assert.rejects(converted(content, whole), error);
    const packed = blocksOf(content, 65_280);
    for (const stretchBytes of [700, 6 << 20])
      await assert.rejects(converted(packed, { stretchBytes, threadCount: 2 }), error);
  });

  test('a damaged block ends the file, after the content before it', async () => {
    const packed = blocksOf(text(200), 500);
    const damaged = Uint8Array.from(packed);
    damaged[damaged.length - 200] = (damaged[damaged.length - 200] as number) ^ 255;
    for (const plan of divided)
      await assert.rejects(converted(damaged, plan), {
        name: 'InputError',
        message: /gzip stream is damaged/,
      });
  });

  test('a block longer than its stated size is damaged', async () => {
    const content = text(600);
    const first = blocksOf(content.slice(0, 100), 100).subarray(0, -endOfFileBlock.length);
    const last = blocksOf(content.slice(100), 65_280);
    last.writeUInt32LE(0, last.length - endOfFileBlock.length - 4);
    const plan: StretchPlan = { stretchBytes: 50, threadCount: 2 };
    await assert.rejects(converted(Buffer.concat([first, last]), plan), {
      name: 'InputError',
      message: /gzip stream is damaged/,
    });
  });

  test('plain gzip is read whole; a beginning as BGZF without its last block is refused', async () => {
    const content = text(50);
    const at = content.indexOf('\n', 2000) - 5;
    const mixed = Buffer.concat([blocksOf(content.slice(0, at), 300), gzipSync(content.slice(at))]);
    const padded = Buffer.concat([blocksOf(content, 300), Buffer.alloc(1000)]);
    const cut = blocksOf(content, 300).subarray(0, -40);
    for (const plan of divided) {
      assert.equal((await converted(gzipSync(content), plan)).variants.length, 50);
      for (const source of [mixed, padded, cut])
        await assert.rejects(converted(source, plan), {
          name: 'InputError',
          message: /has no BGZF end-of-file block/,
        });
    }
  });

  test('files are only then divided by blocks when they are whole blocks', async () => {
    const path = join(folder, 'blocks');
    const packed = blocksOf(text(50), 300);
    const whether = async (content: Uint8Array) => {
      await writeFile(path, content);
      return await mapBlocks(path);
    };
    const map = await whether(packed);
    assert.equal(map?.offsets.at(-1), packed.length);
    assert.equal(map?.textOffsets.at(-1), text(50).length);
    assert.equal(map?.offsets.length, Math.ceil(text(50).length / 300) + 2);
    assert.ok(await whether(packed.subarray(0, -endOfFileBlock.length)));
    assert.equal(await whether(packed.subarray(0, -1)), undefined);
    assert.equal(await whether(Buffer.concat([packed, Buffer.alloc(5)])), undefined);
    assert.equal(await whether(gzipSync(text(50))), undefined);
    assert.equal(await whether(Buffer.from(text(50))), undefined);
  });
});
