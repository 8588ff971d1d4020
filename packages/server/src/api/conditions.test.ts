import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isKnown, requireState } from './conditions.ts';

const modifiedAt = Date.UTC(1994, 10, 6, 8, 49, 37, 500);
const state = { etag: '"now"', modifiedAt };
const refused = (
  headers: Record<string, string>,
  of: { etag: string; modifiedAt?: number } = state,
): boolean => {
  try {
    requireState(headers, of, 'It was changed.');
    return false;
  } catch (error) {
    assert.deepEqual(
      [
        Reflect.get(error as Error, 'status'),
        Reflect.get(error as Error, 'code'),
        Reflect.get(error as Error, 'headers'),
      ],
      [412, 'PRECONDITION_FAILED', { etag: of.etag }],
    );
    return true;
  }
};

const same = ['Sun, 06 Nov 1994 08:49:37 GMT', 'Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994'];
const older = ['Sun, 06 Nov 1994 08:49:36 GMT', 'Sunday, 06-Nov-94 08:49:36 GMT', 'Sun Nov  6 08:49:36 1994'];
const none = [
  '',
  'x',
  '0',
  '1994',
  '1994-11-06',
  '784111777',
  'Sun, 06 Nov 1994 08:49:36',
  'Sun, 99 Nov 1994 08:49:36 GMT',
];

test('If-Match holds for the tag itself among others and for any state, and compares strongly', () => {
  for (const good of ['"now"', '"old", "now"', '"old","now" ', '*', ' * '])
    assert.equal(refused({ 'if-match': good }), false, good);
  for (const bad of ['"old"', 'W/"now"', 'now', '', '"old", W/"now"', '"NOW"'])
    assert.equal(refused({ 'if-match': bad }), true, bad);
});

test('If-Unmodified-Since holds while nothing is newer, to the second, in the three forms of a date', () => {
  for (const date of same) assert.equal(refused({ 'if-unmodified-since': date }), false, date);
  for (const date of older) assert.equal(refused({ 'if-unmodified-since': date }), true, date);
  for (const date of none) assert.equal(refused({ 'if-unmodified-since': date }), false, date);
});

test('If-Unmodified-Since counts only without If-Match, and only where there is a date', () => {
  const [date = ''] = older;
  assert.equal(refused({ 'if-match': '"now"', 'if-unmodified-since': date }), false);
  assert.equal(refused({ 'if-unmodified-since': date }, { etag: '"now"' }), false);
});

test('a cached copy is recognised by its weak or strong tag, else by its date', () => {
  const [date = ''] = same;
  const [before = ''] = older;
  for (const tag of ['"now"', 'W/"now"', '"old", W/"now"', '*'])
    assert.equal(isKnown({ 'if-none-match': tag }, state), true, tag);
  assert.equal(isKnown({ 'if-none-match': '"old"', 'if-modified-since': date }, state), false);
  assert.equal(isKnown({ 'if-none-match': '', 'if-modified-since': date }, state), false);
  assert.equal(isKnown({ 'if-modified-since': date }, state), true);
  assert.equal(isKnown({ 'if-modified-since': before }, state), false);
  for (const text of none) assert.equal(isKnown({ 'if-modified-since': text }, state), false, text);
  assert.equal(isKnown({}, state), false);
});
