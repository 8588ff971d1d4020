import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { Cells } from './cells.ts';
import type { Node } from './node.ts';
import { openStudyLake, type StudyLake } from './study-lake.fixture.ts';

const min = 5;
const patients = Array.from({ length: 60 }, (_, at) => `p${at}`);

describe('small counts', () => {
  let lake: StudyLake;
  before(async () => {
    lake = await openStudyLake({
      patient: patients.map((patient_id) => ({ patient_id })),
      demographic: patients.map((patient_id, at) => ({ patient_id, gender: at % 3 ? 'female' : 'male' })),
    });
  });
  after(() => lake.close());

  const count = async (filter: Node, countsMin = min): Promise<number | null> =>
    (
      await lake.study.answer(
        { unit: 'patient', filter, aggregates: [], cohortIds: [] },
        lake.asking(countsMin),
      )
    ).matched.patients;

  test('a count is hidden or a multiple of the minimum near the number, each time the same', async () => {
    await fc.assert(
      fc.asyncProperty(fc.subarray(patients), async (some) => {
        const shown = await count({ patients: some });
        if (some.length < min) assert.equal(shown, null);
        if (shown === null) assert.ok(some.length < 2 * min);
        else assert.ok(shown >= min && shown % min === 0 && Math.abs(shown - some.length) < 2 * min);
        assert.equal(await count({ patients: some, pill: 'other' }), shown);
      }),
      { numRuns: 40 },
    );
  });

  test('two filters that differ by a patient have counts that differ as those of equal sets do', async () => {
    for (const isMember of [true, false]) {
      const changes = { more: 0, same: 0, fewer: 0 };
      for (let at = 0; at < 30; at += 1) {
        const some = patients.slice(at, at + 30);
        const one = isMember ? at : at + 30;
        const all = await count({ patients: some });
        const without = await count({ and: [{ patients: some }, { not: { patients: [`p${one}`] } }] });
        assert.ok(all !== null && without !== null);
        changes[all > without ? 'more' : all < without ? 'fewer' : 'same'] += 1;
      }
      assert.ok(
        Object.values(changes).every((times) => times >= 3),
        JSON.stringify([isMember, changes]),
      );
    }
  });

  test('a count at the minimum does not show that it is at the minimum', () => {
    const cells = new Cells(min, Buffer.from('key'));
    const shown = (n: number) =>
      Array.from({ length: 200 }, (_, k) => cells.shown({ n, p: n, k: String(k) })).filter(
        (one) => one !== null,
      ).length;
    assert.equal(shown(min - 1), 0);
    assert.ok(shown(min) > 10 && shown(min) < 100);
    assert.equal(shown(2 * min), 200);
  });
});
