import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AdminError, refuseFor } from './admin-error.ts';
import { storageUnavailable } from './problem.ts';
import { reasonOf } from './reason.ts';

test('the reason of a failure names its causes', () => {
  const refused = new Error('The store answered GET with 403 SignatureDoesNotMatch');
  assert.equal(
    reasonOf(storageUnavailable(refused)),
    'The storage cannot be reached at present. Try again in a moment. (The store answered GET with 403 SignatureDoesNotMatch)',
  );
});

test('a repeated reason appears once', () => {
  assert.throws(
    () => refuseFor(new Error('no master key')),
    (error) => error instanceof AdminError && reasonOf(error) === 'no master key',
  );
});

test('a cause with the code of its effect adds nothing', () => {
  const coded = (message: string, cause?: unknown) =>
    Object.assign(new Error(message, { cause }), { code: 'EADDRINUSE' });
  assert.equal(
    reasonOf(coded('in use: 127.0.0.1:8080', coded('in use: \0ploidy'))),
    'in use: 127.0.0.1:8080',
  );
});

test('circular causes and non-errors have a finite reason', () => {
  const round = new Error('round');
  round.cause = new Error('and round', { cause: round });
  assert.equal(reasonOf(round), 'round (and round)');
  assert.equal(reasonOf('a word'), 'a word');
  assert.equal(reasonOf(new AggregateError([], '')), 'AggregateError');
});
