import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AdminError } from '../../base/admin-error.ts';
import { hostRemedy } from './host-failure.ts';

test('a full disk and files of another user are reported with their remedy, also below other errors', () => {
  const failure = (fields: object): Error => Object.assign(new Error('failed'), fields);
  for (const [fields, remedy] of [
    [{ code: 'ENOSPC' }, /^No space is left/],
    [{ code: 'ERR_SQLITE_ERROR', errcode: 13 }, /^No space is left/],
    // SQLITE_IOERR_WRITE
    [{ code: 'ERR_SQLITE_ERROR', errcode: 778 }, /^The disk is full or damaged/],
    [{ code: 'EACCES' }, /run this as the user of the service/],
    [{ code: 'ERR_SQLITE_ERROR', errcode: 14 }, /run this as the user of the service/],
  ] as const) {
    assert.match(hostRemedy(failure(fields)) ?? '', remedy);
    assert.match(hostRemedy(new AdminError('x', { cause: failure(fields) })) ?? '', remedy);
  }
  assert.equal(hostRemedy(failure({ code: 'ECONNREFUSED' })), undefined);
  assert.equal(hostRemedy(undefined), undefined);
});
