import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StatementFailed } from './failure.ts';
import { readSession, runTimeMaxOf } from './session.ts';

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
