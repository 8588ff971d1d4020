/** Columns that belong together come from one element of the resource. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JsonObject } from '../index.ts';
import { mapped } from './mapped.fixture.ts';

/** Columns of the first row of a table. */
function values(table: string, resource: JsonObject, ...columns: string[]): unknown[] {
  const row = mapped({ id: 'x', subject: { reference: 'Patient/p' }, ...resource }).rows[table]?.[0] ?? {};
  return columns.map((column) => row[column]);
}

describe('start and end are of one period', () => {
  const request = (fields: JsonObject) =>
    values('medication', { resourceType: 'MedicationRequest', ...fields }, 'start_date', 'end_date');
  const bounded = (boundsPeriod: JsonObject) => ({ timing: { repeat: { boundsPeriod } } });
  const validity = { validityPeriod: { start: '2019-01-01', end: '2019-02-01' } };

  test('of a request the bounds of the dosage, else the validity of the dispense request', () => {
    const open = bounded({ start: '2020-01-01' });
    assert.deepEqual(request({ dosageInstruction: [open], dispenseRequest: validity }), [
      '2020-01-01',
      undefined,
    ]);
    const endOnly = bounded({ end: '2020-03' });
    assert.deepEqual(request({ dosageInstruction: [endOnly], dispenseRequest: validity }), [
      undefined,
      '2020-03-01',
    ]);
    for (const unsaid of [bounded({}), bounded({ start: 'soon' }), { text: 'daily' }])
      assert.deepEqual(request({ dosageInstruction: [unsaid], dispenseRequest: validity }), [
        '2019-01-01',
        '2019-02-01',
      ]);
  });

  test('a day beside a period does not begin it', () => {
    const [resourceType, effectiveDateTime] = ['MedicationStatement', '2018-01-01'];
    const both = { resourceType, effectiveDateTime, effectivePeriod: { end: '2020-01-02' } };
    assert.deepEqual(values('medication', both, 'start_date', 'end_date'), [undefined, '2020-01-02']);
    const procedure = {
      resourceType: 'Procedure',
      performedDateTime: '2018-01-01',
      occurrencePeriod: { start: '2020-01-01', end: '2020-01-05' },
    };
    assert.deepEqual(values('procedure', procedure, 'performed_date', 'performed_end_date'), [
      '2020-01-01',
      '2020-01-05',
    ]);
  });

  test('an end that cannot be read is told with its path', () => {
    const { unreadable } = mapped({
      resourceType: 'Procedure',
      id: 'x',
      performedPeriod: { start: '2020-01-01', end: 'later' },
    });
    assert.deepEqual([...new Set(unreadable)], ['performedPeriod.end: a date']);
  });
});

test('the day of an observation is that of its time, and its unit that of its number', () => {
  const observation = (fields: JsonObject, ...columns: string[]) =>
    values('observation', { resourceType: 'Observation', ...fields }, ...columns);
  assert.deepEqual(
    observation(
      { effectiveDateTime: '2018-01-01', effectivePeriod: { start: '2020-01-01' } },
      'effective',
      'effective_date',
    ),
    ['2020-01-01/', '2020-01-01'],
  );
  const number = { valueQuantity: { value: 5 }, valueRange: { low: { value: 1, unit: 'mg' } } };
  assert.deepEqual(observation(number, 'value_quantity', 'value_unit'), [5, undefined]);
  const unit = { valueQuantity: { unit: 'mg' }, valueInteger: 3 };
  assert.deepEqual(observation(unit, 'value_quantity', 'value_unit'), [undefined, 'mg']);
});
