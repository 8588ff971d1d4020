import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { generator, mutatedText } from '../../../../../../test/support/mutations.ts';
import { Problem } from '../../../base/problem.ts';
import { where } from './random-where.fixture.ts';
import { readQuery, readStringQuery } from './read/read-query.ts';

/** Asserts a Problem 400 that names a place below `root` for each error. */
function assertReported(error: unknown, root: string, seen: string): void {
  assert.ok(error instanceof Problem && error.status === 400, `${seen}: ${error}`);
  assert.ok((error.details?.length ?? 0) > 0, seen);
  for (const { path, message } of error.details ?? []) {
    assert.ok(
      path.startsWith(root) && message.length > 5 && !message.includes('undefined'),
      `${seen}: ${message}`,
    );
  }
}

const texts = [
  "SELECT patients FROM patient WHERE patient.demographics.age > 50 AND (variant.gene = 'TTN' OR variant.gene = 'MYH7') XOR patient.all = true",
  "SELECT count FROM patient WHERE NOT patient.conditions.code IN ('a', 'b') LIMIT 10",
  "SELECT genes FROM gene WHERE patient.conditions.onset_date BETWEEN '2012-01-01', '2016-12-31'",
  "SELECT samples FROM patient WHERE patient.observations.code STARTSWITH 'O''H' AND variant.gene IS NOT NULL",
];

test('a mutated query text is parsed or refused with the place of its error', () => {
  const random = generator(20260514);
  let read = 0;
  for (let round = 0; round < 12_000; round += 1) {
    const text = mutatedText(Buffer.from(texts[round % texts.length] ?? ''), random).toString('latin1');
    try {
      readStringQuery(text, undefined, { text: 'body/string_query', options: 'body/options' });
      read += 1;
    } catch (error) {
      assertReported(error, 'body/string_query', text);
    }
  }
  assert.ok(read > 100, `${read} were read`);
});

test('deeply nested or repeated query texts are refused in finite time', () => {
  for (const text of [
    `SELECT patients FROM patient WHERE ${'('.repeat(60_000)}`,
    `SELECT patients FROM patient WHERE ${'NOT '.repeat(16_000)}patient.all = true`,
    `SELECT patients FROM patient WHERE ${'patient.all = true AND '.repeat(2800)}patient.all = true`,
    `SELECT patients FROM patient WHERE variant.gene IN (${"'a', ".repeat(13_000)}'a')`,
    `SELECT patients FROM patient WHERE variant.gene = '${"''".repeat(30_000)}`,
  ]) {
    assert.throws(
      () => readStringQuery(text, undefined, { text: 'body/string_query', options: 'body/options' }),
      (error) => {
        assertReported(error, 'body/string_query', text.slice(0, 60));
        return true;
      },
    );
  }
});

test('the message for an unknown target names each target once', () => {
  assert.throws(
    () => readQuery({ target: 'genom' }, 'query'),
    ({ details: [{ path, message }] }: { details: [{ path: string; message: string }] }) => {
      assert.equal(path, 'query/target');
      const [, ...targets] = message.split(/must be one of |, /);
      assert.deepEqual([...new Set(targets)], targets);
      assert.deepEqual(targets.slice(0, 3), ['gene', 'expression', 'variant']);
      return true;
    },
  );
});

test('a query with replaced values is parsed or refused with their places', () => {
  let read = 0;
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.constantFrom('__proto__', 'constructor', 1e308, -0),
  );
  fc.assert(
    fc.property(where, fc.array(fc.tuple(fc.nat(), value), { maxLength: 3 }), (conditions, changes) => {
      const query = structuredClone({ target: 'patient', where: conditions, options: { limit: 5 } });
      for (const [pick, replacement] of changes) replaceSome(query, pick, replacement);
      const seen = JSON.stringify(query);
      try {
        readQuery(query, 'body/query');
        read += 1;
      } catch (error) {
        assertReported(error, 'body/query', seen);
      }
    }),
    { numRuns: 2000, seed: 7 },
  );
  assert.ok(read > 300, `${read} were read`);
});

/** Replaces one member somewhere below by `value`, sometimes under another name. */
function replaceSome(within: object, pick: number, value: unknown): void {
  const keys = Object.keys(within);
  const key = keys[pick % keys.length];
  if (key === undefined) return;
  const member: unknown = Reflect.get(within, key);
  if (typeof member === 'object' && member !== null && pick % 4 !== 0) {
    replaceSome(member, Math.floor(pick / 2), value);
  } else if (pick % 7 === 3 && typeof value === 'string') {
    Object.defineProperty(within, value, {
      value: member,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  } else Reflect.set(within, key, value);
}
