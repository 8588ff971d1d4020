import assert from 'node:assert/strict';
import { test } from 'node:test';
import { numbersFirst, pairId, pairOf } from '../../study/pair-charts.ts';
import type { Attribute } from '../../study/study.ts';
import { firstLayout, readLayout, writeLayout } from './layout.ts';

const attribute = (id: string, part: Partial<Attribute> = {}): Attribute => ({
  ...{ id, level: 'patient', name: id, type: 'string', priority: 1, share: 1, origin: 'study' },
  ...part,
});
const idsOf = (attributes: Attribute[], tables: string[] = []): string[] =>
  firstLayout(attributes, tables).map(({ id }) => id);

test('a layout is the same after it was written to an address and read', () => {
  const charts = [
    { id: 'A~1B', width: 2, height: 1 },
    { id: 'AGE', width: 1, height: 4, setting: 'q' },
  ];
  assert.deepEqual(readLayout(writeLayout(charts)), charts);
  assert.deepEqual(readLayout(writeLayout([])), [], 'a study without charts');
  assert.equal(readLayout(''), undefined);
  assert.deepEqual(readLayout('AGE~97|rest'), [{ id: 'AGE', width: 6, height: 6 }]);
});

test('a first layout has one chart for what a file and a table both have', () => {
  const table = { origin: 'table' } as const;
  const both = [attribute('SEX'), attribute('patient.gender', table), attribute('patient.race', table)];
  assert.deepEqual(idsOf(both), ['SEX', 'patient.race']);
  assert.deepEqual(idsOf(both.slice(1)), ['patient.gender', 'patient.race']);
});

test('a first layout draws survival in place of its months, and hides attributes of priority 0', () => {
  const found = idsOf([
    attribute('OS_MONTHS', { type: 'number' }),
    attribute('OS_STATUS'),
    attribute('SECRET', { priority: 0 }),
  ]);
  assert.deepEqual(found, ['OS_STATUS', 'survival:OS_STATUS']);
});

test('a first layout has the genes and events whose tables are there', () => {
  const tables = ['variant', 'timeline_event', 'sample_profile'];
  assert.deepEqual(idsOf([], tables), ['genes:mutation', 'treatments', 'events', 'profiles']);
});

test('a chart of two attributes keeps them in its id, whatever their names', () => {
  const [x, y] = [attribute('A:B|C'), attribute('own.lab.x~11', { type: 'number' })];
  const id = pairId(x.id, y.id);
  assert.deepEqual(pairOf(id, [y, x]), { x, y });
  const [chart] = readLayout(writeLayout([{ id, width: 2, height: 2 }])) ?? [];
  assert.equal(chart?.id, id);
  assert.equal(pairOf(id, [x]), undefined, 'one is not there');
  assert.equal(pairOf(x.id, [x, y]), undefined);
  assert.deepEqual(numbersFirst({ x, y }), { x: y, y: x });
});
