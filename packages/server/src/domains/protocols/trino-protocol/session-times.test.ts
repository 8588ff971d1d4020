import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StatementFailed } from './failure.ts';
import { readSession, runTimeMaxOf, zoneWarnings } from './session.ts';

const hourMs = 3_600_000;
const properties = ['query_max_run_time', 'query_max_execution_time'];

const timeOf = (text: string): number | undefined =>
  runTimeMaxOf(readSession({ 'x-trino-user': 'u', 'x-trino-session': text }), hourMs);

test('the time of a statement is what its session asks for, at most that of the service', () => {
  assert.equal(timeOf(''), undefined);
  for (const property of properties) {
    assert.equal(timeOf(`${property}=1.5s`), 1500);
    assert.equal(timeOf(`${property}=1ns`), 1);
    for (const long of ['100d', '104249991d', '9007199254740991ms', '2502h'])
      assert.equal(timeOf(`${property}=${long}`), hourMs, long);
  }
  assert.equal(timeOf(properties.map((property, index) => `${property}=${index + 1}s`).join()), 1000);
});

test('a time that cannot be read, or counted exactly, fails the statement', () => {
  const wrong = [
    '99999999999d',
    '104249992d',
    '9007199254740992ms',
    `${'9'.repeat(400)}ns`,
    '1e9d',
    '-1s',
    '5',
    'd',
    'NaNs',
    'Infinityd',
  ];
  for (const property of properties)
    for (const text of wrong)
      assert.throws(
        () => timeOf(`${property}=${text}`),
        (error) => error instanceof StatementFailed && error.failure.name === 'INVALID_SESSION_PROPERTY',
        text,
      );
});

test('a client with another time zone than UTC is warned that it has no effect', () => {
  const warned = (zone: string) => zoneWarnings({ 'x-trino-user': 'u', 'x-trino-time-zone': zone });
  for (const zone of ['Asia/Kolkata', '+05:30', 'Etc/GMT-2', 'Europe/London'])
    assert.match(warned(zone)[0]?.message ?? '', /all times are UTC/, zone);
  for (const zone of ['UTC', 'Etc/UTC', 'GMT', 'Z', '+00:00', '']) assert.deepEqual(warned(zone), [], zone);
  assert.deepEqual(zoneWarnings({ 'x-presto-user': 'u' }), []);
});
