/** The outcome is equal for every division of a file among threads. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { ConversionOptions } from '../../../engine/src/conversion.ts';
import { type Conversion, convertFile, pick, vcf } from './conversion.fixture.ts';
import { type StretchPlan, stretchPlan } from './stretches/stretch-plan.ts';

const whole: StretchPlan = { stretchBytes: 1 << 20, threadCount: 1 };
/** Many stretches: on this thread alone, shorter than a line with two threads, and with more threads than there are cores. */
const divided: StretchPlan[] = [
  { stretchBytes: 700, threadCount: 1 },
  { stretchBytes: 97, threadCount: 2 },
  { stretchBytes: 2000, threadCount: 4 },
];

const annotation =
  '##INFO=<ID=ANN,Number=.,Type=String,Description="Functional annotations: \'Allele | Annotation | Annotation_Impact | Gene_Name\'">';

/** Records on some chromosomes, in order; `genotypes`: of the record with this number. */
function records(count: number, genotypes: (number: number) => string): string[] {
  return Array.from({ length: count }, (_, number) => {
    const chromosome = 1 + Math.floor((number * 4) / count);
    const info = `ANN=G|missense_variant|MODERATE|GENE${number % 7},T|stop_gained|HIGH|GENE${number % 3}`;
    const alternates = number % 5 === 0 ? 'G,T' : 'G';
    const columns = genotypes(number);
    return `${chromosome} ${number * 10 + 1} rs${number} A ${alternates} . PASS ${info}${columns && ` GT ${columns}`}`;
  });
}

/** Outcome that must not depend on the division of the file. */
function seen({ variants, copies, fusions, sequences, warnings }: Conversion) {
  return { variants, copies, fusions, sequences, warnings };
}

describe('stretches of a file', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ploidy-stretches-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  async function converted(content: string | Uint8Array, plan: StretchPlan, options: ConversionOptions = {}) {
    const path = join(folder, 'source');
    await writeFile(path, content);
    return convertFile(path, options, 256 << 20, plan);
  }

  /** Checks that every division has the outcome of the whole file, and returns it. */
  async function alike(content: string | Uint8Array, options: ConversionOptions = {}): Promise<Conversion> {
    const expected = await converted(content, whole, options);
    for (const plan of divided) {
      const found = await converted(content, plan, options);
      assert.deepEqual(seen(found), seen(expected), `in stretches of ${plan.stretchBytes} bytes`);
      assert.deepEqual(found.progress.at(-1), expected.progress.at(-1));
    }
    return expected;
  }

  test('consequences at another record are found across the ends of stretches, before and after', async () => {
    const filler = (position: number) => `1 ${position} . A C . PASS BCSQ=intron|F||protein_coding GT 0/1`;
    const lines = Array.from({ length: 400 }, (_, number) => {
      const at = number * 10 + 1;
      const entry = (change: string) => `missense|G${number}|T${number}|protein_coding|+|3E>3T|${change}`;
      const joint = entry(`${at}A>C+${at + 2}A>C`);
      const [first, last] = number % 2 === 0 ? [joint, `@${at}`] : [`@${at + 2}`, joint];
      return [
        `1 ${at} . A C . PASS BCSQ=${first} GT 0/1`,
        filler(at + 1),
        `1 ${at + 2} . A C . PASS BCSQ=${last} GT 0/1`,
      ];
    });
    const text = vcf(lines.flat(), { samples: ['S'] });
    const expected = Array.from({ length: 400 }, (_, number) => [`G${number}`, 'F', `G${number}`]).flat();
    for (const plan of [
      whole,
      { stretchBytes: 3000, threadCount: 1 },
      { stretchBytes: 1300, threadCount: 3 },
    ]) {
      const { variants, warnings } = await converted(text, plan);
      assert.deepEqual(pick(variants, 'gene'), expected, `in stretches of ${plan.stretchBytes} bytes`);
      assert.deepEqual(warnings, []);
    }
    // Stretches shorter than a line lose no line.
    const { variants } = await converted(text, { stretchBytes: 40, threadCount: 1 });
    assert.equal(variants.length, expected.length);
  });

  const one = vcf(
    records(120, () => '0/1'),
    { meta: [annotation], samples: ['S'] },
  );

  test('rows, their order and their number are the same, plain and gzipped', async () => {
    const { variants } = await alike(one);
    assert.equal(variants.length, 120);
    const gzipped = await alike(gzipSync(one));
    assert.deepEqual(gzipped.variants, variants);
  });

  test('a file of several samples, or of none, has the same rows however it is divided', async () => {
    const genotypes = (number: number) => `0/${number % 2} 1|${number % 5 === 0 ? 2 : 1} ./. 0/0`;
    const several = vcf(records(100, genotypes), { meta: [annotation], samples: ['A', 'B', 'C', 'D'] });
    assert.equal((await alike(several)).variants.length, 170);
    const sites = vcf(
      records(50, () => ''),
      { meta: [annotation] },
    );
    assert.equal((await alike(sites, { sampleId: 'S' })).variants.length, 60);
  });

  test('more than a thousand samples, whose lines are longer than a stretch', async () => {
    const samples = Array.from({ length: 1200 }, (_, index) => `S${index}`);
    const row = (number: number) =>
      samples.map((_, index) => (index % 97 === number % 97 ? '0/1' : '0/0')).join(' ');
    const { variants } = await alike(vcf(records(12, row), { samples }));
    assert.ok(variants.length > 140);
  });

  test('records out of order stand in order afterwards', async () => {
    const mixed = records(500, () => '0/1').map(
      (record, index, all) => all[(index * 211) % all.length] ?? record,
    );
    const { variants } = await alike(vcf(mixed, { meta: [annotation], samples: ['S'] }));
    const keys = pick(variants, 'chromosome', 'position');
    const ordered = keys.toSorted((left, right) => left.localeCompare(right, 'en', { numeric: true }));
    assert.deepEqual(keys, ordered);
  });

  test('many small chromosomes, in order or not', async () => {
    const contigs = Array.from({ length: 150 }, (_, index) => `c${1000 + index} 5 . A G . . . GT 0/1`);
    assert.equal((await alike(vcf(contigs, { samples: ['S'] }))).variants.length, 150);
    assert.equal((await alike(vcf(contigs.toReversed(), { samples: ['S'] }))).variants.length, 150);
  });

  test('broken lines keep their numbers, wherever a stretch ends', async () => {
    const lines = records(100, () => '0/1');
    const header = vcf([], { meta: [annotation], samples: ['S'] });
    for (const place of [0, 1, 37, 99]) lines[place] = `broken line ${'x'.repeat(place)}`;
    lines[40] = '';
    lines[60] = `${lines[60]}\r`;
    const text = `${header}${lines.join('\n').replaceAll(' ', '\t')}`;
    const bytes = Buffer.from(text);
    bytes[bytes.indexOf('rs70\t')] = 0xff;
    const { warnings, variants } = await alike(bytes, { onError: 'skip' });
    const inRecords = warnings.map(({ line }) => (line ?? 0) - 4);
    assert.deepEqual(inRecords, [0, 1, 37, 70, 99]);
    assert.equal(variants.length, 94);
  });

  test('the first broken line ends the conversion, also if another thread finds a later one earlier', async () => {
    const lines = one.split('\n');
    for (const place of [30, 90]) lines[place] = 'broken';
    for (const plan of [whole, ...divided])
      await assert.rejects(converted(lines.join('\n'), plan), { name: 'InputError', line: 31 });
  });

  test('a broken line is reported before the end of a truncated file', async () => {
    const lines = vcf(
      records(1500, () => '0/1'),
      { samples: ['S'] },
    ).split('\n');
    lines[20] = 'broken';
    const cut = gzipSync(lines.join('\n')).subarray(0, -200);
    const plan: StretchPlan = { stretchBytes: 4096, threadCount: 2 };
    await assert.rejects(converted(cut, plan), { name: 'InputError', line: 21 });
  });

  test('structural records keep their order', async () => {
    const mates = Array.from({ length: 60 }, (_, index) => {
      const [left, right] = [1000 + index * 3, 9000 + index * 7];
      const fusion = `1 ${left} m${index} A A[2:${right}[ . PASS SVTYPE=BND;QUALITY=${index} GT 0/1`;
      return index % 2 ? fusion : `1 ${left} d${index} A <DEL> . PASS SVTYPE=DEL;END=${left + 500} GT 0/1`;
    });
    const { copies, fusions } = await alike(vcf(mates, { samples: ['S'] }));
    assert.deepEqual([copies.length, fusions.length], [30, 30]);
  });

  test('a file that fails leaves nothing behind for the next one', async () => {
    const plan: StretchPlan = { stretchBytes: 500, threadCount: 2 };
    const expected = await converted(one, whole);
    await assert.rejects(converted(one.replace('rs30\t', 'rs30\n'), plan), { name: 'InputError' });
    assert.deepEqual(seen(await converted(one, plan)), seen(expected));
  });
});

describe('the plan of a file', () => {
  const record = `chr1\t100\t.\tA\tC\t50\tPASS\tDP=9\tGT:DP\t0/1:9`;
  const one = { isCompressed: false, records: [record], sampleCount: 1 };

  test('small files start no thread, and large ones as many as are allowed', () => {
    const threads = (sourceSize: number, isCompressed: boolean, most: number) =>
      stretchPlan({ ...one, sourceSize, isCompressed }, most).threadCount;
    assert.equal(threads(1 << 20, true, 8), 1);
    assert.equal(threads(17 << 20, true, 2), 2);
    assert.equal(threads(17 << 20, true, 1), 1);
    assert.equal(threads(2 ** 40, false, 64), 64);
  });

  test('a stretch has the rows of a group, within bounds: memory does not grow with the file', () => {
    const bytes = (sourceSize: number, records: string[], sampleCount: number) =>
      stretchPlan({ isCompressed: false, sourceSize, records, sampleCount }, 2).stretchBytes;
    assert.equal(bytes(0, [], 1), 64 << 10);
    assert.equal(bytes(2 ** 40, [record], 1), 6 << 20);
    const long = `${record}${'x'.repeat(1000)}`;
    assert.equal(bytes(2 ** 40, [long], 1), 8 << 20);
    const carriers = (count: number) => `${record}${'\t0|1'.repeat(count)}${'\t0|0'.repeat(2503 - count)}`;
    assert.equal(bytes(2 ** 30, [carriers(9)], 2504), 24 << 20);
    assert.equal(bytes(2 ** 30, [carriers(2503)], 2504), 6 << 20);
  });

  test('a file with few rows is one group', () => {
    const isOneGroup = (sourceSize: number, isCompressed = false) =>
      stretchPlan({ ...one, sourceSize, isCompressed }, 2).isOneGroup;
    assert.deepEqual([isOneGroup(5000), isOneGroup(1 << 20), isOneGroup(4 << 20)], [true, true, false]);
    assert.deepEqual([isOneGroup(100_000, true), isOneGroup(1 << 20, true)], [true, false]);
  });
});
