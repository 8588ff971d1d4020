import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { nextTime, readCron } from './schedule.ts';

function next(cron: string, after: string): string | undefined {
  const times = readCron(cron);
  assert.ok(typeof times === 'object', `${cron}: ${times}`);
  const at = nextTime(times, Date.parse(after));
  return at === undefined ? undefined : new Date(at).toISOString().slice(0, 16);
}

test('a schedule runs at the times of its cron expression', () => {
  for (const [cron, after, expected] of [
    ['* * * * *', '2026-03-01T10:00:00Z', '2026-03-01T10:01'],
    ['* * * * *', '2026-03-01T10:00:59.999Z', '2026-03-01T10:01'],
    ['15 3 * * *', '2026-03-01T03:15:00Z', '2026-03-02T03:15'],
    ['15 3 * * *', '2026-03-01T03:14:59Z', '2026-03-01T03:15'],
    ['*/20 * * * *', '2026-12-31T23:40:00Z', '2027-01-01T00:00'],
    ['5/20 9-17 * * *', '2026-03-01T17:45:00Z', '2026-03-02T09:05'],
    ['0 0,12 1 */3 *', '2026-03-01T00:00:00Z', '2026-04-01T00:00'],
    ['0 6 * * mon-fri', '2026-03-06T07:00:00Z', '2026-03-09T06:00'],
    ['0 6 * * 7', '2026-03-06T07:00:00Z', '2026-03-08T06:00'],
    ['0 6 * JAN,Feb 0', '2026-03-06T07:00:00Z', '2027-01-03T06:00'],
    // Either day suffices if both are given (POSIX crontab).
    ['0 0 13 * 5', '2026-03-01T00:00:00Z', '2026-03-06T00:00'],
    ['0 0 13 * 5', '2026-03-06T00:00:00Z', '2026-03-13T00:00'],
    ['0 0 29 2 *', '2096-03-01T00:00:00Z', '2104-02-29T00:00'],
    ['0 0 31 * *', '2026-04-01T00:00:00Z', '2026-05-31T00:00'],
  ] as const)
    assert.equal(next(cron, after), expected, `${cron} after ${after}`);
});

test('an invalid schedule is refused with the name of its invalid field', () => {
  for (const [cron, pattern] of [
    ['', /five fields/],
    ['* * * *', /five fields/],
    ['* * * * * *', /five fields/],
    ['60 * * * *', /minute: 60/],
    ['* 24 * * *', /hour: 24/],
    ['* * 0 * *', /day of the month: 0/],
    ['* * * 13 *', /month: 13/],
    ['* * * * 8', /day of the week: 8/],
    ['5-1 * * * *', /minute: 5-1/],
    ['*/0 * * * *', /minute: \*\/0/],
    ['1,,2 * * * *', /minute: 1,,2/],
    ['-1 * * * *', /minute: -1/],
    ['@daily * * * *', /minute: @daily/],
    ['0 0 L * *', /day of the month: L/],
    ['? * * * *', /minute: \?/],
    ['0 0 30 2 *', /never occurs/],
    ['0 0 31 4,6 *', /never occurs/],
  ] as const) {
    const read = readCron(cron);
    assert.ok(typeof read === 'string' && pattern.test(read), `${cron}: ${JSON.stringify(read)}`);
  }
});

test('the next time of a schedule is the first minute that matches all fields', () => {
  const times = readCron('7,31 */5 10-20/3 1-6 2');
  assert.ok(typeof times === 'object');
  let at = Date.parse('2026-01-01T00:00:00Z');
  for (let found = 0; found < 40; found += 1) {
    const next = nextTime(times, at);
    assert.ok(next !== undefined);
    for (let minute = at - (at % 60_000) + 60_000; minute <= next; minute += 60_000) {
      const date = new Date(minute);
      const day = [10, 13, 16, 19].includes(date.getUTCDate()) || date.getUTCDay() === 2;
      const time = [7, 31].includes(date.getUTCMinutes()) && date.getUTCHours() % 5 === 0;
      assert.equal(day && time && date.getUTCMonth() < 6, minute === next, date.toISOString());
    }
    at = next;
  }
});

test('any text is a schedule with a later next time, or is refused with a reason', () => {
  const part = fc.oneof(
    fc.constantFrom('*', '*/7', '0', '1-5', '2,4', 'mon-fri', 'JAN', '31', '29', '5/9', '7', '59'),
    fc.stringMatching(/^[0-9*,/a-z-]{1,6}$/),
    fc.string({ maxLength: 4 }),
  );
  const text = fc.oneof(
    fc.array(part, { minLength: 5, maxLength: 5 }).map((parts) => parts.join(' ')),
    fc.array(part, { maxLength: 8 }).map((parts) => parts.join(' ')),
    fc.string({ maxLength: 300, unit: 'binary' }),
  );
  const after = fc.date({ min: new Date('2024-01-01'), max: new Date('2030-01-01'), noInvalidDate: true });
  fc.assert(
    fc.property(text, after, (cron, date) => {
      const times = readCron(cron);
      if (typeof times === 'string') return assert.ok(times.length > 5);
      const next = nextTime(times, date.getTime());
      assert.ok(next === undefined || next > date.getTime(), `${cron} after ${date.toISOString()}`);
    }),
    { numRuns: 1000, seed: 7 },
  );
});
