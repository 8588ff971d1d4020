import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bindings } from '../fhir/bindings.ts';
import { statuses, tables } from './index.ts';

test('every status of the FHIR maps is one that holds or one that denies', () => {
  const known = ['status', 'verificationStatus'].flatMap((element) =>
    Object.values(bindings[element] ?? {}).flatMap(({ codes }) => [...codes]),
  );
  assert.ok(known.includes('refuted') && known.includes('not-done'));
  const { holding, denying } = statuses;
  assert.deepEqual(
    known.filter((status) => holding.has(status) === denying.has(status)),
    [],
  );
});

test('a clinical table has one status of its rows at most', () => {
  for (const { name, columns } of tables.values()) {
    const found = columns.filter((one) => one.name === 'status' || one.name === 'verification_status');
    assert.ok(found.length <= 1, name);
  }
});
