import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Comparison,
  type Json,
  type Operator,
  operators,
  type Policy,
  type Rule,
  sidesOf,
} from '@ploidy/policy';
import fc from 'fast-check';
import { testOnRecords } from '../../../../test/support/records.ts';
import { addIntents } from '../platform/blobs/intents.ts';
import type { Records } from '../platform/records/records.ts';
import type { FilesTable } from '../platform/records/schema.ts';
import { callerWith } from './caller.fixture.ts';
import type { Caller } from './caller.ts';
import { boundsOf, listFilter, oneOfRules } from './filter.ts';
import type { ResourceAttributes } from './resource.ts';

const account = 'main';
/** Words with equal beginnings and ends, letters beyond the basic plane, SQL wildcards and both cases. */
const words = [
  '',
  'a',
  'A',
  'ab',
  'ba',
  'aba',
  'ä',
  'a\u0308',
  '%',
  'a_',
  '\\',
  '\u{1f9ec}a',
  'a\u{1f9ec}',
  "'",
  '1',
];
const word = fc.constantFrom(...words, account, 'file');
const plain = fc.oneof({ weight: 8, arbitrary: word }, fc.constantFrom<Json>(1, true, false));
const list = fc.array(fc.oneof(plain, fc.constantFrom<Json>(null, ['a'])), { maxLength: 5 });
const path = fc.constantFrom(
  'resource.account',
  'resource.dataset',
  'resource.type',
  'resource.id',
  'resource.ownerId',
  'resource.other',
  'resource.id.0',
  'resource',
);
const operator = fc.constantFrom(...operators);
const single = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(operator, plain, list, word).map(withValue) },
  { weight: 3, arbitrary: fc.record({ comparison: operator, target: path }) },
  fc.constant({ comparison: 'exists' as const }),
);
const comparison: fc.Arbitrary<Comparison | boolean> = fc.oneof(
  { weight: 9, arbitrary: single },
  fc.array(single, { minLength: 1, maxLength: 3 }).map((of) => ({ comparison: 'all' as const, of })),
  fc.boolean(),
);
const rule: fc.Arbitrary<Rule> = fc.dictionary(path, comparison, {
  minKeys: 1,
  maxKeys: 3,
  noNullPrototype: true,
});
const policies: fc.Arbitrary<Policy> = fc
  .oneof({ weight: 1, arbitrary: fc.constant<true>(true) }, fc.array(rule, { minLength: 1, maxLength: 4 }))
  .map((readData) => ({ rules: { readData } }));

function withValue([comparison, any, values, text]: [Operator, Json, Json[], string]) {
  return { comparison, value: { list: values, text, any }[sidesOf(comparison).value] };
}

/** Builds files whose project, id and owner are words, in many combinations. */
function filesOfWords(): FilesTable[] {
  return words.map((id, at): FilesTable => {
    const [project_id = '', owner_id = ''] = [
      words[(at * 7) % words.length],
      words[(at * 4 + 1) % words.length],
    ];
    const named = { name: `n${at}`, name_key: `n${at}`, content_type: 'text/plain', blob_key: `${at}` };
    const sized = { size: at, sha256: '', origin: 'upload' as const, created_at: 0, modified_at: 0 };
    return { id, account_id: account, project_id, owner_id, ...named, ...sized };
  });
}

async function fill(records: Records): Promise<FilesTable[]> {
  const rows = filesOfWords();
  await records.transact(async (tx) => {
    await addIntents(
      tx,
      rows.map(({ blob_key }) => blob_key),
    );
    await tx.insertInto('files').values(rows).execute();
  });
  return rows;
}

async function shown(records: Records, caller: Caller): Promise<string[]> {
  const rows = await records.read
    .selectFrom('files')
    .select('id')
    .where((where) =>
      listFilter(caller, account, ['readData'], {
        columns: {
          'resource.dataset': where.ref('project_id'),
          'resource.id': where.ref('id'),
          'resource.ownerId': where.ref('owner_id'),
        },
        constants: { 'resource.account': account, 'resource.type': 'file' },
      }),
    )
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}

function allowed(rows: FilesTable[], caller: Caller): string[] {
  const attributes = (row: FilesTable): ResourceAttributes => ({
    account,
    dataset: row.project_id,
    type: 'file',
    id: row.id,
    ownerId: row.owner_id,
  });
  return rows.filter((row) => caller.allows('readData', attributes(row))).map(({ id }) => id);
}

testOnRecords('a list shows exactly the resources that a random policy allows', async ({ open }) => {
  const records = await open();
  const rows = await fill(records);
  await fc.assert(
    fc.asyncProperty(policies, async (policy) => {
      const caller = callerWith(account, policy);
      assert.deepEqual((await shown(records, caller)).sort(), allowed(rows, caller).sort());
    }),
    { numRuns: 600 },
  );
});

testOnRecords(
  'every project of a resource that is allowed is in view, and lists show those',
  async ({ open }) => {
    const records = await open();
    const rows = await fill(records);
    const projects = [...new Set(rows.map(({ project_id }) => project_id))].sort();
    await fc.assert(
      fc.asyncProperty(policies, async (policy) => {
        const caller = callerWith(account, policy);
        const view = caller.projectsOf(account);
        const inView = projects.filter((project) => view.has(project));
        const reached = allowed(rows, caller);
        for (const { id, project_id } of rows)
          if (reached.includes(id)) assert.ok(inView.includes(project_id), id);
        const { rules } = view;
        const listed = await records.read
          .selectFrom('files')
          .select('project_id')
          .distinct()
          .where((where) =>
            oneOfRules(rules === true ? [{ 'resource.account': true }] : rules, {
              columns: { 'resource.dataset': where.ref('project_id') },
              constants: { 'resource.account': account },
            }),
          )
          .execute();
        assert.deepEqual(listed.map(({ project_id }) => project_id).sort(), inView);
        for (const project of projects) {
          const rights = view.rightsIn(project);
          assert.equal(rights.length > 0, inView.includes(project));
          const whole = rights.some(({ privilege, isWhole }) => privilege === 'readData' && isWhole);
          if (whole)
            for (const row of rows) if (row.project_id === project) assert.ok(reached.includes(row.id));
        }
        assert.equal(callerWith('other', policy).projectsOf(account).has('a'), false);
      }),
      { numRuns: 600 },
    );
  },
);

test('every resource of a list has one of the bounding values', () => {
  const paths = ['resource.dataset', 'resource.ownerId'] as const;
  const boundsFor = (policy: Policy) => boundsOf(callerWith(account, policy), account, 'readData', paths);
  const among = (path: string, value: Json): Rule => ({ [path]: { comparison: 'in', value } });
  const rules = [among(paths[0], ['a', 'b']), among(paths[1], ['me']), among(paths[0], ['b', 1])];
  const bounded = { 'resource.dataset': ['a', 'b'], 'resource.ownerId': ['me'] };
  assert.deepEqual(boundsFor({ rules: { readData: rules } }), bounded);
  assert.equal(boundsFor({ rules: { readData: [...rules, among('resource.id', ['c'])] } }), undefined);
  assert.equal(boundsFor({ rules: { readData: true } }), undefined);
  assert.deepEqual(boundsFor({ rules: {} }), { 'resource.dataset': [], 'resource.ownerId': [] });
  const rows = filesOfWords();
  fc.assert(
    fc.property(policies, (policy) => {
      const bounds = boundsFor(policy);
      const reached = new Set(allowed(rows, callerWith(account, policy)));
      for (const row of bounds === undefined ? [] : rows.filter(({ id }) => reached.has(id))) {
        const isBound =
          bounds?.[paths[0]].includes(row.project_id) || bounds?.[paths[1]].includes(row.owner_id);
        assert.ok(isBound, row.id);
      }
    }),
    { numRuns: 600 },
  );
});

testOnRecords('a list works with thousands of rules and values', async ({ open }) => {
  const records = await open();
  const rows = await fill(records);
  const value = Array.from({ length: 50_000 }, (_, n) => `v${n}`);
  const starts = value
    .slice(0, 5000)
    .map((one): Rule => ({ 'resource.id': { comparison: 'startsWith', value: one } }));
  const equal = value
    .slice(0, 20_000)
    .map((one): Rule => ({ 'resource.id': { comparison: 'equals', value: one } }));
  const among = (comparison: 'in' | 'notIn', more: string[]): Rule[] => [
    { 'resource.id': { comparison, value: [...value, ...more] } },
  ];
  for (const readData of [
    [...starts, { 'resource.id': { comparison: 'equals', value: 'ab' } } satisfies Rule],
    [...equal, ...among('in', ['ba'])],
    among('in', ['%', '\u{1f9ec}a', '']),
    among('notIn', ['%', '\u{1f9ec}a', '']),
    [
      {
        'resource.id': {
          comparison: 'all',
          of: ['', 'ä'].map((one) => ({ comparison: 'startsWith', value: one })),
        },
      },
    ],
  ] satisfies Rule[][]) {
    const caller = callerWith(account, { rules: { readData } });
    const wanted = allowed(rows, caller);
    assert.ok(wanted.length > 0);
    assert.deepEqual((await shown(records, caller)).sort(), wanted.sort());
  }
});
