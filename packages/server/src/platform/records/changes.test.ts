import assert from 'node:assert/strict';
import { testOnRecords } from '../../../../../test/support/records.ts';
import { until } from '../../../../../test/support/until.ts';
import type { Records } from './records.ts';

function topicsOf(records: Records, prefix: string): string[] {
  const topics: string[] = [];
  records.onChange(prefix, (topic) => topics.push(topic));
  return topics;
}
const announce = (records: Records, ...topics: string[]) =>
  records.transact(async (tx) => {
    for (const topic of topics) await records.announce(tx, topic);
  });
const sorted = (topics: string[]) => [...topics].sort();

testOnRecords(
  'a committed announcement is delivered once to this and to every other process',
  async ({ open }) => {
    const [one, other, third] = [await open(), await open(), await open()];
    const heard = [one, other, third].map((records) => topicsOf(records, 'policy/'));
    await announce(one, 'policy/1', 'policy/2');
    assert.deepEqual(heard[0], ['policy/1', 'policy/2'], 'reported here before transact resolves');
    await Promise.all([announce(other, 'policy/3'), announce(third, 'policy/4'), announce(one, 'other/5')]);
    const all = [one, other, third];
    await until(() => {
      for (const records of all) records.catchUp();
      return heard.every((topics) => topics.length >= 4);
    }, 'all hear of all');
    for (const records of all) records.catchUp();
    for (const topics of heard)
      assert.deepEqual(sorted(topics), ['policy/1', 'policy/2', 'policy/3', 'policy/4']);
  },
);

testOnRecords('an announcement of a rolled back transaction is never delivered', async ({ open }) => {
  const [one, other] = [await open(), await open()];
  const heard = [topicsOf(one, ''), topicsOf(other, '')];
  await assert.rejects(
    one.transact(async (tx) => {
      await one.announce(tx, 'never');
      throw new Error('no');
    }),
  );
  await announce(one, 'reported');
  await until(() => {
    other.catchUp();
    return heard.every((topics) => topics.includes('reported'));
  }, 'the other one is reported');
  assert.deepEqual(heard, [['reported'], ['reported']]);
});

testOnRecords(
  'a listener that throws hides nothing from the others and fails no commit',
  async ({ open }) => {
    const records = await open();
    records.onChange('a', () => {
      throw new Error('broken listener');
    });
    const heard = topicsOf(records, 'a');
    await announce(records, 'a1');
    assert.deepEqual(heard, ['a1']);
  },
);

testOnRecords('a listener may look for changes itself and begin transactions', async ({ open }) => {
  const records = await open();
  const heard = topicsOf(records, '');
  const later: Promise<void>[] = [];
  records.onChange('first', () => {
    records.catchUp();
    later.push(announce(records, 'second'));
  });
  await announce(records, 'first1', 'first2');
  await Promise.all(later);
  assert.deepEqual(heard, ['first1', 'first2', 'second', 'second']);
});

testOnRecords('a process that starts late receives no earlier announcements', async ({ open }) => {
  const early = await open();
  await announce(early, 'before');
  const late = await open();
  const heard = topicsOf(late, '');
  await announce(early, 'after');
  await until(() => {
    late.catchUp();
    return heard.length > 0;
  }, 'the late one is reported');
  assert.deepEqual(heard, ['after']);
});

testOnRecords(
  'reads after a look for changes see what was committed since, by whomever',
  async ({ open }) => {
    const [one, other] = [await open(), await open()];
    const topics = async () => {
      const rows = await one.read.selectFrom('changes').select('topic').orderBy('topic').execute();
      return rows.map(({ topic }) => topic);
    };
    await one.transact(async (tx) => {
      await one.announce(tx, 'a');
      // From here on reads of this turn of the event loop may share one view; the commit is still to come, in the same turn.
      one.catchUp();
    });
    assert.deepEqual(await topics(), ['a']);
    one.catchUp();
    assert.deepEqual(await topics(), ['a']);
    await announce(other, 'b');
    await new Promise((turn) => setImmediate(turn));
    assert.deepEqual(await topics(), ['a', 'b']);
  },
);
