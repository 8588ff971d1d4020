import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { loggedError } from './log.ts';

test('an error is logged with its words, code, place and causes', () => {
  const cause = Object.assign(new RangeError('too far'), { code: 'ERR_FAR', syscall: 'seek' });
  const logged = loggedError(new Error('it broke', { cause })) as Record<string, Record<string, string>>;
  assert.equal(logged['message'], 'it broke');
  assert.match(String(logged['stack']), /log\.test/);
  const { stack: _stack, ...reported } = logged['cause'] ?? {};
  assert.deepEqual(reported, { type: 'RangeError', code: 'ERR_FAR', syscall: 'seek', message: 'too far' });
});

test('properties that a library adds to an error are not logged: connections, keys, values of rows', () => {
  const client = new pg.Client({ user: 'ploidy', password: 'the-password', host: 'the-host' });
  Object.assign(client, { secretKey: 4711 });
  const lost = Object.assign(new Error('Connection terminated unexpectedly'), { client });
  const refused = Object.assign(new Error('duplicate key'), {
    code: '23505',
    table: 'users',
    constraint: 'users_name',
    detail: 'Key (name)=(jane@hospital.test) already exists.',
  });
  const text = JSON.stringify(loggedError(new AggregateError([lost, refused], 'both')));
  assert.match(text, /Connection terminated unexpectedly/);
  assert.match(text, /"code":"23505","table":"users","constraint":"users_name"/);
  assert.doesNotMatch(text, /the-password|the-host|4711|secretKey|jane@hospital/);
});

test('causes that go in a circle, and what is no error, can be logged', () => {
  const circle = new Error('one');
  circle.cause = new Error('other', { cause: circle });
  assert.equal(JSON.stringify(loggedError(circle)).split('"one"').length - 1, 3);
  assert.deepEqual(loggedError({ secret: 'x' }), { type: 'object' });
  assert.equal(loggedError('words'), 'words');
  assert.equal(loggedError(undefined), 'undefined');
});
