import assert from 'node:assert/strict';
import { testOnRecords } from '../../../../../../test/support/records.ts';
import { newId } from '../../../base/ids.ts';
import { addIntents } from '../../../platform/blobs/intents.ts';
import type { Records } from '../../../platform/records/index.ts';
import { presentTables, publishSegments, retireSource } from './catalogue.ts';
import { filesAt } from './lake-files.ts';

const names = ['patient', 'observation', 'cohort', '_resource'];

/**
 * Makes a lake whose files are replaced and removed repeatedly; returns the content of each version by table.
 */
async function fill(records: Records): Promise<Map<string, string[]>[]> {
  const visible = new Map<string, { table: string; key: string }[]>();
  const versions: Map<string, string[]>[] = [new Map()];
  for (let step = 1; step <= 40; step += 1) {
    const fileId = `f${step % 7}`;
    const given = names
      .filter((_, at) => (step + at) % 3 > 0)
      .map((table) => ({ table, key: `${table}-${step}` }));
    if (step % 9 === 0 && visible.has(fileId)) {
      await records.transact((tx) => retireSource(tx, fileId));
      visible.delete(fileId);
    } else {
      const segments = given.map(({ table, key }) => ({
        table,
        rowCount: table === 'cohort' ? 0 : step,
        blob: { key, size: 1, sha256: '' },
        genomeBuild: null,
      }));
      await records.transact(async (tx) => {
        await addIntents(
          tx,
          given.map(({ key }) => key),
        );
        await publishSegments(tx, { project: 'p', fileId, ingestionId: newId(), segments });
      });
      visible.set(fileId, given);
    }
    const all = [...visible.values()].flat();
    versions.push(
      new Map(
        names.map((name) => [
          name,
          all
            .filter(({ table }) => table === name)
            .map(({ key }) => key)
            .sort(),
        ]),
      ),
    );
  }
  return versions;
}

testOnRecords(
  'a version has exactly the files of the named tables that were visible in it',
  async ({ open }) => {
    const records = await open();
    const versions = await fill(records);
    for (const [version, of] of versions.entries())
      for (const tables of [[], ['patient'], ['_resource', 'cohort'], names]) {
        const files = await filesAt(records.read, 'p', version, tables);
        const expected = tables.flatMap((table) => of.get(table) ?? []);
        assert.deepEqual(files.map(({ blob }) => blob.key).sort(), expected.sort(), `${version} ${tables}`);
        const ordinals = files.map(({ ordinal }) => ordinal);
        assert.deepEqual(
          ordinals,
          ordinals.toSorted((a, b) => a - b),
        );
      }
    assert.deepEqual(await filesAt(records.read, 'other', 40, names), []);
  },
);

testOnRecords('the present tables count the visible rows, including zero', async ({ open }) => {
  const records = await open();
  assert.deepEqual(await presentTables(records.read, 'p'), { version: 0, rowCounts: new Map() });
  await fill(records);
  const { version, rowCounts } = await presentTables(records.read, 'p');
  const counts = new Map<string, number>();
  for (const { table, rowCount } of await filesAt(records.read, 'p', version, names))
    counts.set(table, (counts.get(table) ?? 0) + rowCount);
  assert.equal(version, 40);
  assert.deepEqual(new Map([...rowCounts].sort()), new Map([...counts].sort()));
  assert.equal(rowCounts.get('cohort'), 0);
  for (let file = 0; file < 7; file += 1) await records.transact((tx) => retireSource(tx, `f${file}`));
  assert.equal((await presentTables(records.read, 'p')).rowCounts.size, 0);
});
