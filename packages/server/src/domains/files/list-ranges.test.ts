import assert from 'node:assert/strict';
import type { Policy, Rule } from '@ploidy/policy';
import { testOnRecords } from '../../../../../test/support/records.ts';
import { callerWith } from '../../access/caller.fixture.ts';
import type { Caller } from '../../access/caller.ts';
import type { Position } from '../../api/paging.ts';
import { nameKey } from '../../base/names.ts';
import { addIntents } from '../../platform/blobs/intents.ts';
import type { Records } from '../../platform/records/records.ts';
import type { FilesTable } from '../../platform/records/schema.ts';
import { type FileOrder, listFiles } from './store.ts';

const account = 'main';
const projects = ['p0', 'p1', 'p2', 'theirs'];
/** Own results that may not be read as such: every file whose id ends so. */
const uncovered = Array.from({ length: 24 }, (_, at) => `f${String(at * 10).padStart(3, '0')}`);
const owners = ['me', 'o1', 'o2'];
const starts = [
  '',
  'a',
  'A',
  'ab',
  'Ä',
  'a\u0308',
  'ΣΑΣ',
  'σας',
  'ς',
  '\u{1f9ec}',
  'z%',
  '_',
  "'",
  '\uffff',
  'aς',
];
const prefixes = ['', 'a', 'A', 'Ä', 'a\u0308', 'σα', 'ΣΑΣ', 'ς', '\u{1f9ec}', '%', '\uffff', "'", 'aσ'];
const orders: FileOrder[] = (['name', 'size'] as const).flatMap((by) => [
  { by, descending: false },
  { by, descending: true },
]);

/** Makes files of few names and sizes, so that many are equal in an order. */
async function fill(records: Records): Promise<FilesTable[]> {
  const rows = Array.from({ length: 240 }, (_, at): FilesTable => {
    const [project_id = '', owner_id = ''] = [projects[(at * 7) % 4], owners[(at * 5 + (at >> 3)) % 3]];
    const name = `${starts[(at * 11) % starts.length]}${at % 3}`;
    const named = {
      name: `${name}.${project_id}.${at}`.slice(0, at % 2 ? 200 : 3),
      content_type: '',
      blob_key: `b${at}`,
    };
    const sized = { size: (at * 13) % 5, sha256: '', created_at: 0, modified_at: 0 };
    const origin = at % 4 === 0 ? 'query' : 'upload';
    const id = `f${String((at * 101) % 240).padStart(3, '0')}`;
    const account_id = project_id === 'theirs' ? 'else' : account;
    return {
      id,
      account_id,
      project_id,
      owner_id,
      ...named,
      name_key: nameKey(named.name),
      ...sized,
      origin,
    };
  });
  await records.transact(async (tx) => {
    for (const id of projects) {
      const of = { id, account_id: id === 'theirs' ? 'else' : account, deletion_at: null, created_at: 0 };
      const named = { name: id, name_key: id, description: '' };
      await tx
        .insertInto('projects')
        .values({ ...of, ...named })
        .execute();
    }
    const taken = new Set<string>();
    for (const row of rows) {
      while (taken.has(`${row.project_id}/${row.name}`)) row.name += 'x';
      row.name_key = nameKey(row.name);
      taken.add(`${row.project_id}/${row.name}`);
    }
    await addIntents(
      tx,
      rows.map(({ blob_key }) => blob_key),
    );
    await tx.insertInto('files').values(rows).execute();
  });
  return rows;
}

interface Asked {
  datasetId: string | undefined;
  name: string;
  order: FileOrder;
}

/** Computes the expected list row by row. */
function expected(rows: FilesTable[], caller: Caller, { datasetId, name, order }: Asked): string[] {
  const alike = (text: string) => nameKey(text).replaceAll('ς', 'σ');
  const mayRead = ({ id, project_id: dataset, owner_id: ownerId, origin }: FilesTable) =>
    origin === 'query' && ownerId === 'me'
      ? !uncovered.includes(id) || caller.allows('readData', { account, dataset, type: 'file', id })
      : caller.allows('readData', { account, dataset, type: 'file', id, ownerId });
  const found = rows
    .filter((row) => row.account_id === account && mayRead(row))
    .filter((row) => datasetId === undefined || row.project_id === datasetId)
    .filter((row) => alike(row.name).startsWith(alike(name)));
  const compare = (one: string | number, other: string | number) =>
    typeof one === 'number'
      ? one - Number(other)
      : Buffer.compare(Buffer.from(one), Buffer.from(String(other)));
  const value = (row: FilesTable) => (order.by === 'name' ? row.name_key : row.size);
  found.sort((one, other) => compare(value(one), value(other)) || compare(one.id, other.id));
  const ids = found.map(({ id }) => id);
  return order.descending ? ids.reverse() : ids;
}

async function walked(records: Records, caller: Caller, asked: Asked, size: number): Promise<string[]> {
  const ids: string[] = [];
  for (let after: Position | undefined; ; ) {
    const rows = await listFiles(records.read, caller, {
      account,
      uncovered,
      ...asked,
      page: { size, after },
    });
    const page = rows.slice(0, size);
    ids.push(...page.map(({ id }) => id));
    const last = page.at(-1);
    if (last === undefined || rows.length <= size) return ids;
    after = [asked.order.by === 'name' ? last.name_key : last.size, last.id];
  }
}

const among = (path: string, value: string[]): Rule => ({ [path]: { comparison: 'in', value } });
const policies: Policy['rules'][string][] = [
  true,
  [],
  [among('resource.dataset', ['p0', 'theirs'])],
  [among('resource.dataset', ['p0', 'p1', 'none']), among('resource.ownerId', ['o1'])],
  [
    {
      'resource.dataset': { comparison: 'equals', value: 'p2' },
      'resource.ownerId': { comparison: 'equals', value: 'o2' },
    },
  ],
  [among('resource.dataset', ['p1']), { 'resource.id': { comparison: 'startsWith', value: 'f1' } }],
  [{ 'resource.dataset': { comparison: 'notEquals', value: 'p1' } }],
  [
    {
      'resource.dataset': {
        comparison: 'all',
        of: [
          { comparison: 'startsWith', value: 'p' },
          { comparison: 'in', value: ['p1', 'p2'] },
        ],
      },
    },
  ],
];

testOnRecords('a list of files is complete and ordered, page by page, for every caller', async ({ open }) => {
  const records = await open();
  const rows = await fill(records);
  for (const readData of policies) {
    const caller = callerWith(account, { rules: { readData } } as Policy);
    for (const order of orders)
      for (const name of prefixes)
        for (const datasetId of [undefined, 'p1', 'theirs']) {
          const asked = { datasetId, name, order };
          const wanted = expected(rows, caller, asked);
          const said = JSON.stringify({ readData, ...asked });
          assert.deepEqual(await walked(records, caller, asked, 1000), wanted, said);
          if (name.length < 2) assert.deepEqual(await walked(records, caller, asked, 7), wanted, said);
        }
  }
});

testOnRecords('a caller with thousands of owners or rules sees all permitted files', async ({ open }) => {
  const records = await open();
  const rows = await fill(records);
  const names = Array.from({ length: 3000 }, (_, at) => `n${at}`);
  const ofProject = (dataset: string, id: string): Rule => ({
    'resource.dataset': { comparison: 'equals', value: dataset },
    'resource.id': { comparison: 'startsWith', value: id },
  });
  for (const readData of [
    [among('resource.ownerId', [...names, 'o1', 'me'])],
    [...names.map((name, at) => ofProject(`n${at % 45}`, name)), ofProject('p1', 'f')],
    [
      among('resource.dataset', ['p1', ...names.slice(0, 40)]),
      among('resource.ownerId', names.slice(0, 900)),
    ],
  ]) {
    const caller = callerWith(account, { rules: { readData } });
    const asked = { datasetId: undefined, name: '', order: { by: 'name', descending: false } } as const;
    assert.deepEqual(await walked(records, caller, asked, 50), expected(rows, caller, asked));
  }
});
