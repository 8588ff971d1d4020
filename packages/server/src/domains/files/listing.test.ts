import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeApp } from '../../../../../test/support/app.ts';
import { newId } from '../../base/ids.ts';

describeApp('lists of files', (app) => {
  let project: string;

  before(async () => {
    project = (await app.call('POST', '/v1/projects', { body: { name: 'Listing' } })).body.id;
    for (const [name, size] of [
      ['b.txt', 3],
      ['A.txt', 5],
      ['a_1.txt', 1],
      ['a%2.txt', 2],
      ['c/d.txt', 4],
      ['aé.txt', 9],
    ] as const) {
      await app.put(project, name, 'x'.repeat(size));
    }
  });

  const names = async (query: string): Promise<string[]> => {
    const { body } = await app.call('GET', `/v1/files?datasetId=${project}&${query}`);
    return body.items.map((item: { name: string }) => item.name);
  };

  test('files are listed by case-insensitive name or by size, ascending or descending', async () => {
    const byName = ['A.txt', 'a%2.txt', 'a_1.txt', 'aé.txt', 'b.txt', 'c/d.txt'].sort((a, b) =>
      a.toLowerCase() < b.toLowerCase() ? -1 : 1,
    );
    assert.deepEqual(await names(''), byName);
    assert.deepEqual(await names('orderBy=name desc'), byName.toReversed());
    const bySize = ['a_1.txt', 'a%2.txt', 'b.txt', 'c/d.txt', 'A.txt', 'aé.txt'];
    assert.deepEqual(await names('orderBy=size'), bySize);
    for (const spelling of ['size:desc', 'size desc', 'size+desc', 'size%20desc', 'size%3Adesc']) {
      assert.deepEqual(await names(`orderBy=${spelling}`), bySize.toReversed(), spelling);
    }
    assert.equal((await app.call('GET', `/v1/files?orderBy=colour`)).status, 400);
  });

  test('a name filter is a case-insensitive prefix in which %, _ and \\ are literal', async () => {
    assert.deepEqual(await names('name=A'), ['a%2.txt', 'A.txt', 'a_1.txt', 'aé.txt']);
    assert.deepEqual(await names('name=a%25'), ['a%2.txt']);
    assert.deepEqual(await names('name=a_'), ['a_1.txt']);
    assert.deepEqual(await names('name=%5C'), []);
  });

  test('pages skip and repeat nothing while files are added and deleted', async () => {
    const seen: string[] = [];
    let path = `/v1/files?datasetId=${project}&pageSize=2`;
    for (let round = 0; path; round++) {
      const { body } = await app.call('GET', path);
      seen.push(...body.items.map((item: { name: string }) => item.name));
      if (round === 0) await app.put(project, '0-first.txt', 'x');
      if (round === 1) await app.put(project, 'zz-last.txt', 'x');
      path = body.links.next;
      assert.ok(path === undefined || path.startsWith('/v1/files?'));
    }
    assert.equal(new Set(seen).size, seen.length);
    assert.ok(seen.includes('zz-last.txt') && !seen.includes('0-first.txt'));
    assert.equal(seen.length, 7);
  });

  test('a page token that is forged, or issued for another list, order, filter or user, is refused', async () => {
    const { body } = await app.call('GET', `/v1/files?datasetId=${project}&pageSize=2`);
    const token = new URL(body.links.next, app.address).searchParams.get('nextPageToken') ?? '';
    const other = await app.people.member(app.account, ['readData']);
    const cases = [
      app.call('GET', `/v1/files?datasetId=${project}&nextPageToken=${token.slice(0, -1)}x`),
      app.call('GET', `/v1/files?datasetId=${project}&nextPageToken=abc`),
      app.call('GET', `/v1/files?datasetId=${project}&orderBy=size&nextPageToken=${token}`),
      app.call('GET', `/v1/files?datasetId=${project}&name=a&nextPageToken=${token}`),
      app.call('GET', `/v1/files?nextPageToken=${token}`),
      app.call('GET', `/v1/projects?nextPageToken=${token}`),
      app.call('GET', `/v1/files?datasetId=${project}&nextPageToken=${token}`, { key: other.key }),
    ];
    for (const reply of await Promise.all(cases)) assert.equal(reply.status, 400);
    const empty = await app.call('GET', `/v1/files?datasetId=${project}&nextPageToken=`);
    assert.equal(empty.status, 200);
  });

  test('an empty id is a validation error in every list with that parameter', async () => {
    const lists = [
      'files?datasetId=',
      'cohorts?projectId=',
      'ingestions?datasetId=',
      'analytics/data-lake/query?datasetId=',
      'invitations?account=',
      'invitations?user=',
      'evaluated-policy?user=',
    ];
    for (const list of lists) {
      const { status, body } = await app.call('GET', `/v1/${list}`);
      assert.deepEqual([status, body.code], [400, 'INVALID_INPUT'], list);
    }
  });

  test('a list shows exactly the files that the caller’s policies permit', async () => {
    const hidden = (await app.call('POST', '/v1/projects', { body: { name: 'Hidden' } })).body.id;
    await app.put(hidden, 'secret.txt', 'x');
    const rule = { 'resource.dataset': { comparison: 'equals', value: project } };
    const reader = await app.people.member(app.account, ['readData'], rule);
    const { body } = await app.call('GET', '/v1/files?pageSize=1000', { key: reader.key });
    assert.ok(body.items.length >= 6);
    assert.ok(body.items.every((item: { datasetId: string }) => item.datasetId === project));
    const none = await app.people.member(app.account, []);
    assert.deepEqual((await app.call('GET', '/v1/files', { key: none.key })).body.items, []);
  });

  test('a caller of some projects gets their files and own query results in one order, page by page', async () => {
    const made = async (name: string): Promise<string> =>
      (await app.call('POST', '/v1/projects', { body: { name } })).body.id;
    const [first, second, third] = [await made('First'), await made('Second'), await made('Third')];
    const rule = { 'resource.dataset': { comparison: 'in', value: [first, second] } };
    const reader = await app.people.member(app.account, ['readData'], rule);
    const nothing = await app.people.member(app.account, []);
    const sizes: Record<string, number> = {};
    for (const [at, [in_, name]] of [
      [second, 'm1.csv'],
      [first, 'm2.csv'],
      [third, 'result-of-reader.csv'],
      [first, 'result-of-reader.too.csv'],
      [third, 'others.csv'],
      [third, 'result-of-nobody.csv'],
      [second, 'm3.csv'],
    ].entries() as ArrayIterator<[number, [string, string]]>) {
      sizes[name] = (at * 5) % 7;
      const id = await app.put(in_, name, 'x'.repeat(sizes[name]));
      const owner = name.includes('reader') ? reader : name.includes('nobody') ? nothing : undefined;
      if (owner === undefined) continue;
      const result = { origin: 'query' as const, owner_id: owner.userId };
      await app.people.records.transact((tx) =>
        tx.updateTable('files').set(result).where('id', '=', id).execute(),
      );
    }
    const walked = async (key: string, query: string): Promise<string[]> => {
      const found: string[] = [];
      let path = `/v1/files?pageSize=2&${query}`;
      while (path) {
        const { body } = await app.call('GET', path, { key });
        found.push(...body.items.map((item: { name: string }) => item.name));
        path = body.links.next;
      }
      return found;
    };
    const mine = Object.keys(sizes).filter((name) => name.startsWith('m') || name.includes('reader'));
    const byName = mine.toSorted();
    const bySize = mine.toSorted((one, other) => (sizes[one] ?? 0) - (sizes[other] ?? 0));
    assert.deepEqual(await walked(reader.key, ''), byName);
    assert.deepEqual(await walked(reader.key, 'orderBy=name:desc'), byName.toReversed());
    assert.deepEqual(await walked(reader.key, 'orderBy=size'), bySize);
    assert.deepEqual(await walked(reader.key, 'orderBy=size:desc'), bySize.toReversed());
    assert.deepEqual(await walked(reader.key, 'name=m'), ['m1.csv', 'm2.csv', 'm3.csv']);
    assert.deepEqual(
      await walked(reader.key, 'name=RESULT&orderBy=size:desc'),
      bySize.filter((name) => name.startsWith('result')).toReversed(),
    );
    assert.deepEqual(await walked(nothing.key, ''), ['result-of-nobody.csv']);
    const many = [first, second, ...Array.from({ length: 60 }, newId)];
    const among = { 'resource.dataset': { comparison: 'in', value: many } };
    const readerOfMany = await app.people.member(app.account, ['readData'], among);
    const ofOthers = byName.filter((name) => !name.includes('result-of-reader.csv'));
    assert.deepEqual(await walked(readerOfMany.key, ''), ofOthers);
    const everybody = await walked(app.key, 'name=result&orderBy=size');
    assert.deepEqual(everybody.length, 3);
  });

  test('a right to a project id of another account reveals none of its files', async () => {
    const neighbour = await app.people.owner('neighbour');
    const theirs = { key: neighbour.key, account: 'neighbour' };
    const foreign = (await app.call('POST', '/v1/projects', { body: { name: 'Theirs' }, ...theirs })).body.id;
    const begun = await app.call('POST', '/v1/files', {
      body: { name: 'theirs.txt', datasetId: foreign },
      ...theirs,
    });
    assert.equal((await fetch(begun.body.uploadUrl, { method: 'PUT', body: 'x' })).status, 200);
    const rule = { 'resource.dataset': { comparison: 'equals', value: foreign } };
    const reader = await app.people.member(app.account, ['readData'], rule);
    for (const order of ['name', 'size']) {
      const { body } = await app.call('GET', `/v1/files?orderBy=${order}`, { key: reader.key });
      assert.deepEqual(body.items, []);
    }
  });
});
