import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { dateOf, instantOf } from './index.ts';

test('a year or a month stands for its first day', () => {
  assert.equal(dateOf('2015'), '2015-01-01');
  assert.equal(dateOf('2015-03'), '2015-03-01');
  assert.equal(dateOf('2015-03-09'), '2015-03-09');
});

test('a day is the one in the offset that was written', () => {
  assert.equal(dateOf('2015-03-09T23:30:00-05:00'), '2015-03-09');
  assert.equal(dateOf('2015-03-09T00:30:00+14:00'), '2015-03-09');
});

test('a day that the calendar does not have is no date', () => {
  for (const text of [
    '2015-02-29',
    '2015-13',
    '2015-00-01',
    '0000',
    '15-1-1',
    '2015-3-9',
    '',
    'x',
    '2015-03-09 ',
    '20150309',
  ]) {
    assert.equal(dateOf(text), undefined, text);
  }
  assert.equal(dateOf('2016-02-29'), '2016-02-29');
  assert.equal(dateOf('1900-02-29'), undefined);
  assert.equal(dateOf('2000-02-29'), '2000-02-29');
});

test('an instant is given in UTC with microseconds', () => {
  assert.equal(instantOf('2015-02-07T13:28:17.239+02:00'), '2015-02-07 11:28:17.239000');
  assert.equal(instantOf('2015-12-31T23:30:00-05:00'), '2016-01-01 04:30:00.000000');
  assert.equal(instantOf('2015-02-07T13:28:17.1234567Z'), '2015-02-07 13:28:17.123456');
  assert.equal(instantOf('2015-02-07'), '2015-02-07 00:00:00.000000');
  for (const text of [
    '2015-02-30T00:00:00Z',
    '2015',
    '2015-01-01T25:00:00Z',
    'now',
    '2015-01-01T00:00:00+9',
  ]) {
    assert.equal(instantOf(text), undefined, text);
  }
});

test('every instant is read as the runtime reads it', () => {
  fc.assert(
    fc.property(
      fc.date({ min: new Date('0001-01-02'), max: new Date('9999-12-30'), noInvalidDate: true }),
      (date) => {
        const iso = date.toISOString();
        assert.equal(instantOf(iso), `${iso.slice(0, 10)} ${iso.slice(11, 23)}000`);
      },
    ),
  );
});
