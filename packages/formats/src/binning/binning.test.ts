import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bytesOf } from '../bytes.ts';
import { InputError } from '../input-error.ts';
import { readBai } from './binning-index.ts';
import { referenceNumber } from './reference-names.ts';
import { readTabix, type TabixIndex } from './tabix.ts';
import { TabixBuilder } from './tabix-builder.ts';

interface Placed {
  sequence: number;
  begin: number;
  end: number;
  /** Virtual offsets. */
  from: number;
  to: number;
}

const blockBytes = 65_536;

/** Records in order, some long, in blocks of a few records: a record may begin in one block and end in the next. */
const layouts = fc
  .array(
    fc.record({
      sequence: fc.nat(2),
      begin: fc.oneof(fc.nat(100_000), fc.nat(5_000_000), fc.nat(2 ** 29 - 600_000)),
      length: fc.oneof(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: 500_000 })),
      step: fc.oneof(fc.constant(100), fc.integer({ min: 1, max: 40_000 })),
      skip: fc.constantFrom(0, 0, 0, 70_000),
    }),
    { minLength: 1, maxLength: 120 },
  )
  .map((records) => {
    const ordered = records.toSorted((a, b) => a.sequence - b.sequence || a.begin - b.begin);
    let block = 0;
    let within = 0;
    return ordered.map(({ sequence, begin, length, step, skip }): Placed => {
      const from = block * blockBytes + within;
      within += step;
      if (within >= blockBytes) {
        block += 20_000 + skip;
        within -= blockBytes;
      }
      return { sequence, begin, end: begin + length, from, to: block * blockBytes + within };
    });
  });

function indexed(records: readonly Placed[]): { bytes: Uint8Array; index: TabixIndex } {
  const builder = new TabixBuilder();
  for (const { sequence, begin, end, from, to } of records) {
    const line = `chr${sequence}\t${begin + 1}\t.\tN\t<DEL>\t.\t.\tSVTYPE=DEL;END=${end}`;
    builder.add(bytesOf(line), from, to);
  }
  const bytes = builder.finish();
  return { bytes, index: readTabix(bytes) };
}

test('the chunks of a region hold every overlapping record, ordered and disjoint, and begin and end at records', () => {
  const regions = fc.tuple(fc.nat(2), fc.nat(2 ** 29), fc.oneof(fc.nat(1000), fc.nat(3_000_000)));
  fc.assert(
    fc.property(layouts, fc.array(regions, { minLength: 1, maxLength: 8 }), (records, asked) => {
      const { index } = indexed(records);
      const starts = new Set(records.map(({ from }) => from));
      const ends = new Set(records.map(({ to }) => to));
      const near = records.map(({ sequence, begin }) => [sequence, begin, 100] as const);
      for (const [sequence, begin, length] of [...asked, ...near.slice(0, 20)]) {
        const number = index.names.indexOf(`chr${sequence}`);
        const end = begin + length + 1;
        const chunks = number < 0 ? [] : index.bins.chunks(number, begin, end);
        for (const one of records) {
          if (one.sequence !== sequence || one.end <= begin || one.begin >= end) continue;
          assert.ok(chunks.some((chunk) => chunk.begin <= one.from && one.to <= chunk.end));
        }
        for (const [at, chunk] of chunks.entries()) {
          assert.ok(chunk.begin < chunk.end && starts.has(chunk.begin) && ends.has(chunk.end));
          assert.ok(at === 0 || (chunks[at - 1]?.end ?? 0) < chunk.begin);
        }
      }
    }),
    { numRuns: 200 },
  );
});

test('the ranges of a region start and end with blocks in which an overlapping record starts', () => {
  const regions = fc.tuple(fc.nat(2), fc.oneof(fc.nat(100_000), fc.nat(5_000_000)), fc.nat(20_000));
  fc.assert(
    fc.property(layouts, fc.array(regions, { minLength: 1, maxLength: 8 }), (records, asked) => {
      const { index } = indexed(records);
      for (const [sequence, begin, length] of asked) {
        const number = index.names.indexOf(`chr${sequence}`);
        const end = begin + length + 1;
        const ofSequence = records.filter((one) => one.sequence === sequence);
        for (const chunk of number < 0 ? [] : index.bins.chunks(number, begin, end)) {
          const block = Math.floor(chunk.begin / blockBytes);
          const inFirst = ofSequence.filter((one) => Math.floor(one.from / blockBytes) === block);
          assert.ok(inFirst.some((one) => one.end > begin));
          const within = ofSequence.filter((one) => one.from >= chunk.begin && one.from < chunk.end);
          const last = Math.floor((within.at(-1)?.from ?? 0) / blockBytes);
          const inLast = ofSequence.filter((one) => Math.floor(one.from / blockBytes) === last);
          assert.ok(inLast.some((one) => one.begin < end));
        }
      }
    }),
    { numRuns: 200 },
  );
});

test('an index without places by block, as other programs and earlier versions make it, gives the same records', () => {
  const records = Array.from({ length: 500 }, (_, at) => ({
    sequence: 0,
    begin: at * 100,
    end: at * 100 + 150,
    from: at * blockBytes * 1000,
    to: (at + 1) * blockBytes * 1000,
  }));
  const { bytes, index } = indexed(records);
  const magic = Buffer.from(bytes).lastIndexOf('EXT\x01');
  const plain = readTabix(bytes.subarray(0, magic));
  const [chunk, ...more] = plain.bins.chunks(0, 20_000, 21_000);
  const [finer] = index.bins.chunks(0, 20_000, 21_000);
  assert.deepEqual(more, []);
  assert.ok(chunk && finer && chunk.begin <= finer.begin && finer.end <= chunk.end);
  assert.deepEqual(finer, { begin: records[199]?.from, end: records[210]?.from });
  assert.ok((finer?.end ?? 0) - finer.begin < (chunk.end - chunk.begin) / 5);
});

test('a region beyond the last record, an empty one and one of an unknown sequence have no chunks', () => {
  const { index } = indexed([{ sequence: 0, begin: 100, end: 200, from: 0, to: 500 }]);
  assert.deepEqual(index.bins.chunks(0, 0, 2 ** 32), [{ begin: 0, end: 500 }]);
  assert.deepEqual(index.bins.chunks(0, 150, 150), []);
  assert.deepEqual(index.bins.chunks(0, 2 ** 29, 2 ** 32), []);
  assert.deepEqual(index.bins.chunks(1, 0, 1000), []);
});

test('bins and windows of a BAI in any order are read', () => {
  const records = Array.from({ length: 300 }, (_, at) => ({
    sequence: 0,
    begin: at * 20_000,
    end: at * 20_000 + 50_000,
    from: at * 3 * 65_536 * 40_000,
    to: (at + 1) * 3 * 65_536 * 40_000,
  }));
  const { bytes, index } = indexed(records);
  const names = bytes.indexOf(0, 36) + 1;
  const bai = new Uint8Array([...bytesOf('BAI\x01'), 1, 0, 0, 0, ...bytes.subarray(names)]);
  assert.deepEqual(readBai(bai).chunks(0, 1_000_000, 1_100_000), index.bins.chunks(0, 1_000_000, 1_100_000));
  assert.deepEqual(readBai(bai).placedEnd, records.at(-1)?.to);
});

test('a changed or cut index is read or refused, never anything else', () => {
  const { bytes } = indexed(
    Array.from({ length: 400 }, (_, at) => ({
      sequence: at < 200 ? 0 : 1,
      begin: (at % 200) * 9000,
      end: (at % 200) * 9000 + 30_000,
      from: at * 65_536 * 9000,
      to: (at + 1) * 65_536 * 9000,
    })),
  );
  const change = fc.tuple(fc.nat(bytes.length - 1), fc.constantFrom(0, 1, 0x7f, 0x80, 0xff));
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 6 }), fc.nat(bytes.length), (changes, length) => {
      const broken = bytes.slice(0, length % 3 === 0 ? length : bytes.length);
      for (const [at, value] of changes) broken[at % Math.max(1, broken.length)] = value;
      try {
        const { bins } = readTabix(broken);
        assert.ok(bins.byteLength <= broken.length * 2 + 1000, 'memory is bounded by the size of the index');
        for (const number of [0, 1, 7]) bins.chunks(number, 0, 2 ** 29);
      } catch (error) {
        assert.ok(error instanceof InputError, String(error));
      }
    }),
    { numRuns: 500 },
  );
});

test('a VCF that is not sorted, has no positions or exceeds 512 Mb is refused with its line', () => {
  const fault = (...lines: string[]): string => {
    const builder = new TabixBuilder();
    try {
      for (const [at, line] of ['##fileformat=VCFv4.2', ...lines].entries()) {
        builder.add(bytesOf(line), at * 100, (at + 1) * 100);
      }
    } catch (error) {
      return (error as InputError).message;
    }
    return '';
  };
  const record = (name: string, position: string) => `${name}\t${position}\t.\tA\tC\t.\t.\t.`;
  assert.equal(fault(record('1', '5'), record('1', '5'), record('2', '1')), '');
  assert.match(fault(record('1', '5'), record('1', '4')), /^Line 3 is before the previous record/);
  assert.match(fault(record('1', '5'), record('2', '4'), record('1', '6')), /^Line 4 returns/);
  assert.match(fault(record('1', 'x')), /^Line 2 is not a VCF record/);
  assert.match(fault('chr1 only'), /^Line 2 is not a VCF record/);
  assert.match(fault(record('1', '536870913')), /^Line 2 is beyond 512 Mb/);
});

test('sequences are found under their other usual names, unless several could be meant', () => {
  const numbers = (...names: string[]) => new Map(names.map((name, at) => [name, at]));
  assert.equal(referenceNumber(numbers('1', '2', 'MT'), 'chr2'), 1);
  assert.equal(referenceNumber(numbers('chr1', 'chrM'), '1'), 0);
  assert.equal(referenceNumber(numbers('chr1', 'chrM'), 'MT'), 1);
  assert.equal(referenceNumber(numbers('1', 'MT'), 'chrM'), 1);
  assert.equal(referenceNumber(numbers('1', 'chr1'), 'chr1'), 1, 'the exact name wins');
  assert.equal(referenceNumber(numbers('M', 'chrM'), 'MT'), undefined, 'two could be meant');
  assert.equal(referenceNumber(numbers('1'), 'chr'), undefined);
  assert.equal(referenceNumber(numbers('1'), '*'), undefined);
});
