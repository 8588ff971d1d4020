import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { compactJson, type JsonObject, viewOf } from '@ploidy/formats';
import fc from 'fast-check';
import { ResourceReader } from './resource-reader.ts';

/** What it reads of texts that stand one behind the other, as the lines of a slice do. */
function readAll(texts: readonly string[], reader = new ResourceReader()): (JsonObject | undefined)[] {
  const bytes = Buffer.from(texts.map((text) => `${text}\n`).join(''));
  const view = viewOf(bytes);
  let start = 0;
  return texts.map((text) => {
    const end = start + Buffer.byteLength(text);
    const isAscii = end - start === text.length;
    const resource = reader.read(bytes, view, start, end, isAscii);
    start = end + 1;
    return resource;
  });
}

/** What JSON says of a text without escapes, whose members have plain names; undefined for others. */
function parsed(text: string): unknown {
  try {
    return compactJson(text) === text ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

const word = fc.stringMatching(/^[a-zäß :,{}[\]-]{0,12}$/);
const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    word,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(true, false, null, '', 0, 'final', 'http://loinc.org'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('coding', 'code', 'system', 'value', '1'), tie('value')),
  ),
})).value;
const resources = fc
  .array(fc.dictionary(fc.constantFrom('id', 'code', 'status', 'component', 'note_'), value), {
    maxLength: 6,
  })
  // Again and again, so that members and values are known.
  .map((few) => [...few, ...few, ...few.toReversed(), ...few]);

test('whatever stood before it, a resource is what JSON says of its text', () => {
  fc.assert(
    fc.property(resources, (all) => {
      const texts = all.map((resource) => JSON.stringify(resource));
      for (const [index, read] of readAll(texts).entries()) {
        const text = texts[index] ?? '';
        if (read) assert.equal(JSON.stringify(read), JSON.stringify(JSON.parse(text)));
        else assert.match(text, /^\{\}$|\\/);
      }
    }),
  );
});

test('a text that is broken, or that is not compact, is never read, whatever is known', () => {
  const change = fc.record({
    at: fc.nat(200),
    cut: fc.nat(3),
    put: fc.stringMatching(/^[{}[\]",: 0a\\\t]{0,3}$/),
  });
  fc.assert(
    fc.property(resources, fc.array(change, { maxLength: 12 }), (all, changes) => {
      const texts = all.map((resource) => JSON.stringify(resource));
      const broken = changes.map(({ at, cut, put }, index) => {
        const text = texts[index % Math.max(1, texts.length)] ?? '{"id":"1","code":"final"}';
        return text.slice(0, at % text.length) + put + text.slice((at % text.length) + cut);
      });
      const mixed = [...texts, ...broken, ...texts];
      for (const [index, read] of readAll(mixed).entries())
        if (read) assert.deepEqual({ ...read }, parsed(mixed[index] ?? ''));
    }),
    { numRuns: 500 },
  );
});

test('texts that JSON refuses or that mean something special are left to it', () => {
  const good = '{"id":"abcdef","n":1234567,"code":{"coding":[{"code":"x"}]}}';
  const others = [
    '{"id":"abcdef","n":12345678,}',
    '{"id":"abc\u0001def"}',
    '{"id":"abcdef","n":01234}',
    '{"id":"abcdef" ,"n":1}',
    '{"id":"abcdef","n":1234567 }',
    '{"id":"abcdef"}{}',
    '{"id":"abcdef"',
    '{"__proto__":"abcdef"}',
    '{"1":"abcdef"}',
    '{"id":"a\\u0062cdef"}',
    `{"${'a'.repeat(101)}":"abcdef"}`,
    '{"id":"abcdef","code":{"coding":[{"code":"x"]}}}',
    '{"id":"abcdef","code":{"coding": [{"code":"x"}]}}',
    '[]',
    '',
  ];
  const all = readAll([good, good, good, ...others, good]);
  assert.deepEqual(
    all.map((read) => read !== undefined),
    [true, true, true, ...others.map(() => false), true],
  );
});

test('of members with one name the last counts, and a value that begins like a known one is another', () => {
  const texts = [
    '{"status":"final","n":1000,"status":"draft"}',
    '{"status":"final","n":1000,"status":"draft"}',
    '{"status":"final","n":1000,"status":"draft"}',
    '{"status":"final","n":10001,"status":"final-"}',
    '{"n":1000.5,"status":"finally"}',
  ];
  assert.deepEqual(
    readAll(texts).map((read) => ({ ...read })),
    texts.map((text) => JSON.parse(text)),
  );
});

test('it remembers more texts than it keeps at once without mixing them up', () => {
  const texts = Array.from({ length: 3 }, () =>
    Array.from(
      { length: 3000 },
      (_, index) => `{"id":"${index}","code":{"text":"${String(index).repeat(60)}"}}`,
    ),
  ).flatMap((round) => round.flatMap((text) => [text, text]));
  for (const [index, read] of readAll(texts).entries()) assert.equal(JSON.stringify(read), texts[index]);
});

test('a member that comes no more does not make it keep what came after', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const patients = (from: number, count: number, member: string) =>
    Array.from({ length: count * 3 }, (_, index) => {
      const id = String(from + Math.floor(index / 3)).padStart(60, '0');
      return `{"resourceType":"Observation","${member}":{"reference":"Patient/${id}"}}`;
    });
  const reader = new ResourceReader();
  const kept = (): number => {
    collect();
    return process.memoryUsage().arrayBuffers;
  };
  const before = kept();
  readAll(patients(0, 10, 'patient'), reader);
  for (let round = 0; round < 10; round += 1)
    readAll(patients(9 + round * 10_000, 10_000, 'subject'), reader);
  // The bytes of the last round may still be in hand; those of a single resource are few.
  assert.equal(readAll(patients(0, 1, 'subject'), reader).length, 3);
  const grown = kept() - before;
  assert.ok(grown < 4 << 20, `${grown} bytes`);
});
