import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tables as fixed, ownTable } from '@ploidy/formats/tables';
import { compilePolicy, type Policy } from '@ploidy/policy';
import fc from 'fast-check';
import { callerWith } from '../../../access/caller.fixture.ts';
import type { Rows, SubjectTest } from '../../../access/rows.ts';
import { ids, rules, tables } from '../../../access/subject-policies.fixture.ts';
import { RowRights } from './made-with.ts';
import { Masks } from './masks.ts';
import { fullAccess, type RowAccess } from './row-access.ts';

const rightsOf = (countsMin: number, key = 'key') =>
  new RowRights(Buffer.from(key), countsMin, async () => fixed);
const read = ['patient'];
const kept = (made_with: string | null, masked = 0) => ({ tables: JSON.stringify(read), masked, made_with });

/** Policy of real and masked rows; a privilege may cover all rows or none. */
const grant = fc.oneof({ weight: 4, arbitrary: rules }, fc.constant(true), fc.constant(undefined));
const readers = fc.record({ real: grant, masked: grant, countsMin: fc.constantFrom(0, 0, 3, 5) });
type Reader = typeof readers extends fc.Arbitrary<infer T> ? T : never;

const policyOf = ({ real, masked }: Reader): Policy =>
  ({
    rules: { ...(real && { readData: real }), ...(masked && { readMaskedData: masked }) },
  }) as Policy;

const accessOf = (reader: Reader): RowAccess =>
  rightsOf(reader.countsMin).accessOf(callerWith(tables.account, policyOf(reader)), tables);

/** Decides how a single row is shown: `undefined` is the patient of a row without one. */
function shownTo(reader: Reader, access: RowAccess, subject: string | undefined): 'real' | 'masked' | 'not' {
  const decides = compilePolicy(policyOf(reader));
  const resource = { ...tables, ...(subject !== undefined && { subject }) };
  const asWhole = decides.allows('readData', { resource: tables });
  if (asWhole || (subject !== undefined && decides.allows('readData', { resource }))) return 'real';
  // With small counts on, a reader of some real rows sees no masked ones.
  if (reader.countsMin > 0 && access.real !== false) return 'not';
  const isMasked =
    decides.allows('readMaskedData', { resource: tables }) ||
    (subject !== undefined && decides.allows('readMaskedData', { resource }));
  return isMasked ? 'masked' : 'not';
}

test('rows that the present access covers are all visible now, and as well as then', () => {
  let covered = 0;
  fc.assert(
    fc.property(readers, readers, (before, now) => {
      const [made, present] = [accessOf(before), accessOf(now)];
      const rights = rightsOf(now.countsMin);
      const text = rights.madeWith(made, read, fixed);
      if (!rights.coversAccess(present, kept(text), fixed)) return;
      covered += 1;
      for (const subject of [...ids, 'abc', 'x', undefined]) {
        const [then, today] = [shownTo(before, made, subject), shownTo(now, present, subject)];
        const about = `${String(subject)}: ${then}, now ${today}, of ${text}`;
        if (then === 'real') assert.equal(today, 'real', about);
        if (then === 'masked') assert.notEqual(today, 'not', about);
        if (then === 'masked' && today === 'masked') assert.ok(before.countsMin >= now.countsMin, about);
      }
    }),
    { numRuns: 2000 },
  );
  assert.ok(covered > 200, `only ${covered} of the pairs were covered`);
});

test('equal rights cover, whatever the order of their rules, and further rules cover', () => {
  fc.assert(
    fc.property(readers, rules, (reader, more) => {
      const rights = rightsOf(reader.countsMin);
      const text = rights.madeWith(accessOf(reader), read, fixed);
      const turned = (one: Reader['real']) => (Array.isArray(one) ? one.toReversed() : one);
      const same = { ...reader, real: turned(reader.real), masked: turned(reader.masked) };
      assert.equal(rights.madeWith(accessOf(same), read, fixed), text);
      assert.equal(rights.coversAccess(accessOf(same), kept(text), fixed), true);
      const wider = { ...reader, real: Array.isArray(reader.real) ? [...reader.real, ...more] : reader.real };
      // With small counts on, a first real row hides the masked ones.
      if (reader.countsMin === 0) assert.equal(rights.coversAccess(accessOf(wider), kept(text), fixed), true);
    }),
    { numRuns: 1000 },
  );
});

const some = (...names: string[]): SubjectTest[] => [[{ comparison: 'in', value: names }]];
const real = (rows: Rows): RowAccess => ({ real: rows, masked: false, countsMin: 0 });
const masked = (rows: Rows, countsMin = 0): RowAccess => ({ real: false, masked: rows, countsMin });

test('supersets are recognised: longer lists, fewer exclusions, shorter beginnings', () => {
  const one = (comparison: string, value: unknown): Rows => [[{ comparison, value } as never]];
  const pairs: [made: Rows, present: Rows, isCovered: boolean][] = [
    [some('b', 'a'), some('a', 'b', 'c'), true],
    [some('a', 'b'), some('a'), false],
    [some('a', 'b'), [...some('a'), ...some('b')], true],
    [some('ab'), one('startsWith', 'a'), true],
    [one('startsWith', 'ab'), one('startsWith', 'a'), true],
    [one('startsWith', 'a'), one('startsWith', 'ab'), false],
    [one('notIn', ['a', 'b']), one('notEquals', 'a'), true],
    [one('notEquals', 'a'), one('notIn', ['a', 'b']), false],
    [one('startsWith', 'a'), one('notEquals', 'b'), true],
    [one('notEquals', 'a'), [[{ comparison: 'exists' }]], true],
    [true, [[{ comparison: 'exists' }]], false],
    [false, some('a'), true],
  ];
  for (const [made, present, isCovered] of pairs) {
    const rights = rightsOf(0);
    const text = rights.madeWith(real(made), read, fixed);
    assert.equal(
      rights.coversAccess(real(present), kept(text), fixed),
      isCovered,
      `${text} by ${String(present)}`,
    );
  }
});

test('rows in a long list are kept as a digest, which equal and full rights cover', () => {
  const rights = rightsOf(0);
  const many = Array.from({ length: 5000 }, (_, at) => `patient-${at}`);
  const text = rights.madeWith(real(some(...many)), read, fixed);
  assert.ok(text.length < 100);
  assert.equal(rights.coversAccess(real(some(...many.toReversed())), kept(text), fixed), true);
  assert.equal(rights.coversAccess(real(true), kept(text), fixed), true);
  assert.equal(rights.coversAccess(real(some(...many.slice(1))), kept(text), fixed), false);
  assert.equal(rights.coversAccess(real(some(...many, 'one more')), kept(text), fixed), false);
});

test('masked rows are covered by the same masks only, or in full', () => {
  const text = rightsOf(0).madeWith(masked(true), read, fixed);
  assert.equal(rightsOf(0).coversAccess(masked(true), kept(text), fixed), true);
  assert.equal(rightsOf(0, 'another').coversAccess(masked(true), kept(text), fixed), false);
  assert.equal(rightsOf(0, 'another').coversAccess(fullAccess('real'), kept(text), fixed), true);
  const masks = new Masks(Buffer.from('key'), '');
  assert.notEqual(masks.digestOf(['patient'], fixed), masks.digestOf(['variant'], fixed));
});

test('masked rows of an own table are covered while its masks are the same, and not after it is gone', () => {
  const definedBy = (mask: 'none' | 'code' | 'null', name = 'freezer') =>
    new Map([['biobank', ownTable('biobank', [{ name, type: 'string', mask }])]]);
  const rights = rightsOf(0);
  const isCovered = (then: ReturnType<typeof definedBy>, now: typeof then) => {
    const made_with = rights.madeWith(masked(true), ['biobank'], then);
    return rights.coversAccess(masked(true), { tables: '["biobank"]', masked: 1, made_with }, now);
  };
  assert.equal(isCovered(definedBy('code'), definedBy('code')), true);
  assert.equal(isCovered(definedBy('none'), definedBy('null')), false);
  assert.equal(isCovered(definedBy('code'), definedBy('code', 'shelf')), false);
  assert.equal(isCovered(definedBy('code'), new Map()), false);
});

test('a result from before these texts is covered by all rows in the form that it may have', () => {
  const rights = rightsOf(0);
  assert.equal(rights.coversAccess(fullAccess('real'), kept(null), fixed), true);
  assert.equal(rights.coversAccess(real(some('a')), kept(null), fixed), false);
  assert.equal(rights.coversAccess({ ...masked(true), real: some('a') }, kept(null), fixed), false);
  assert.equal(rights.coversAccess(masked(true), kept(null), fixed), false);
  assert.equal(rights.coversAccess(masked(true), kept(null, 1), fixed), true);
  assert.equal(rights.coversAccess(masked(some('a')), kept(null, 1), fixed), false);
  assert.equal(rights.coversAccess(masked(true, 5), kept(null, 1), fixed), false);
});
