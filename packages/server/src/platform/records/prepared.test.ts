import assert from 'node:assert/strict';
import { testOnRecords } from '../../../../../test/support/records.ts';
import { prepared } from './prepared.ts';

testOnRecords('a prepared read accepts its values in any order, and more than once', async ({ open }) => {
  const records = await open();
  await records.transact(async (tx) => {
    for (const topic of ['a', 'b', 'c', 'd']) await records.announce(tx, topic);
  });
  let built = 0;
  const between = prepared(records.read, (read, last: string, first: string) => {
    built++;
    return read
      .selectFrom('changes')
      .select('topic')
      .where('topic', '>=', first)
      .where('topic', '<=', last)
      .where('topic', '!=', 'c')
      .where((or) => or.or([or('topic', '=', first), or('topic', '!=', 'x')]))
      .orderBy('topic');
  });
  const topics = async (last: string, first: string) => (await between(last, first)).map((row) => row.topic);
  assert.deepEqual(await topics('b', 'a'), ['a', 'b']);
  assert.deepEqual(await topics('d', 'b'), ['b', 'd']);
  assert.deepEqual(await topics('a', 'b'), []);
  assert.equal(built, 1);
});
