/** The table of every program, however it is written, gives the same rows. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { profiles } from '../../formats/src/omic/profiles.ts';
import { changes, plain, rowsOf, type Source, written } from './metamorphic.fixture.ts';
import { convertText } from './tabular/conversion.fixture.ts';

/** Column by which the records of an example differ; in a matrix it is another sample. */
const counter = 'Zq_counted';
const counted = [1, 2, 3];

for (const [number, { program, type, example }] of profiles.entries()) {
  const columns = example.record.split(' | ').map((pair) => pair.split('=') as [string, string]);
  const one: Source = {
    type,
    lines: [
      [...columns.map(([name]) => name), counter],
      ...counted.map((count) => [...columns.map(([, value]) => value), String(count)]),
    ],
  };
  const names = fc.constantFrom('S1.tsv', 'S1.txt', 'S1.csv', 'S1.tsv.gz');

  test(`${program} (${type}, ${number}): the way of writing changes no row`, async () => {
    const expected = rowsOf(await convertText(type, plain(one)));
    // ICGC has a line for each transcript of a mutation.
    assert.ok((expected[0]?.length ?? 0) >= 1);
    for (const [given, name] of fc.sample(fc.tuple(changes, names), { numRuns: 5, seed: number + 1 })) {
      const content = written(one, { ...given, hasExtra: false });
      assert.deepEqual(
        rowsOf(await convertText(type, content, {}, name)),
        expected,
        JSON.stringify({ ...given, name }),
      );
    }
  });
}
