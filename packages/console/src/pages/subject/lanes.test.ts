import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clustered, dayText, type Event, historyOf } from './lanes.ts';

test('lines have the order of their kinds, and day 0 is the first diagnosis with a stage', () => {
  const { lanes, firstDate } = historyOf({
    patient: [{ deceased_date: '2021-01-01' }],
    condition: [
      { display: 'Fever', onset_date: '2019-12-20' },
      { display: 'Melanoma', recorded_date: '2020-01-01', stage: 'III' },
      { display: 'Asthma', onset_date: 'unknown' },
    ],
    medication: [{ display: 'dabrafenib', start_date: '2020-01-11', end_date: '2020-02-10' }],
    specimen: [{ type_display: 'Tissue', collected_date: '2019-12-31' }],
    observation: [
      { display: 'LDH', effective_date: '2020-01-02', value_quantity: 3 },
      { display: 'Smoker', effective_date: '2020-01-02', value_quantity: null },
    ],
    timeline_event: [
      {
        type: 'TREATMENT',
        start_day: 40,
        stop_day: 30,
        attributes: '{"AGENT":"Cisplatin","TREATMENT_TYPE":"Medical"}',
      },
      { type: 'LAB_TEST', start_day: 5, attributes: '{"TEST":"PSA","RESULT":"<0.1"}' },
      { type: 'ODD_THING', start_day: 1, attributes: 'no JSON' },
      { type: 'STATUS', start_day: null },
    ],
  });
  assert.equal(firstDate, '2020-01-01');
  assert.deepEqual(
    lanes.map(({ name, events }) => [name, ...events.map(({ from, to }) => `${from}..${to}`)]),
    [
      ['Specimen', '-1..-1'],
      ['Status', '366..366'],
      ['Diagnosis: Fever', '-12..-12'],
      ['Diagnosis: Melanoma', '0..0'],
      ['Lab test: LDH', '1..1'],
      ['Lab test: PSA', '5..5'],
      ['Treatment: dabrafenib', '10..40'],
      ['Treatment: Cisplatin', '40..40'],
      ['Odd thing', '1..1'],
    ],
  );
  assert.equal(lanes.find(({ name }) => name === 'Lab test: PSA')?.events[0]?.value, 0.1);
});

test('days of a source without dates stay as they are', () => {
  const { lanes, firstDate } = historyOf({
    timeline_event: [{ type: 'SURGERY', start_day: -3, attributes: null }],
  });
  assert.deepEqual([lanes[0]?.events[0]?.from, firstDate], [-3, undefined]);
});

test('points near the first of them are one mark', () => {
  const points = [0, 3, 6, 20].map((from): Event => ({ lane: 'x', label: 'x', from, to: from }));
  assert.deepEqual(
    clustered(points, 5).map((group) => group.length),
    [2, 1, 1],
  );
});

test('days are written in the unit of their size', () => {
  assert.deepEqual([dayText(-7), dayText(61), dayText(731)], ['−7 d', '2 mo', '2 y']);
});

test('rows whose status denies them are in no line', () => {
  const { lanes } = historyOf({
    condition: [
      { display: 'Melanoma', onset_date: '2020-01-01', verification_status: 'refuted' },
      { display: 'Asthma', onset_date: '2020-01-02', verification_status: 'confirmed' },
    ],
    medication: [{ display: 'Vemurafenib', start_date: '2020-01-03', status: 'entered-in-error' }],
    procedure: [{ display: 'Biopsy', performed_date: '2020-01-04', status: 'not-done' }],
  });
  assert.deepEqual(
    lanes.map(({ name }) => name),
    ['Diagnosis: Asthma'],
  );
});
