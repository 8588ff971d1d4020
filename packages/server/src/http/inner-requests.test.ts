import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Route } from '../api/route.ts';
import { requireAsked } from './inner-requests.ts';

const inside = (mayChange: boolean) =>
  ({ asked: { operation: 'cohorts.create', method: 'POST', url: '/', mayChange } }) as never;
const create = { operation: 'cohorts.create', method: 'POST' } as Route;

test('an inner request reaches the operation that it names, and changes data only where it may', () => {
  requireAsked(inside(true), create);
  requireAsked(inside(false), { ...create, onlyReads: true });
  requireAsked(inside(false), { ...create, method: 'GET' });
  assert.throws(() => requireAsked(inside(false), create), { code: 'FORBIDDEN' });
  assert.throws(() => requireAsked(inside(true), { ...create, operation: 'cohorts.delete' }), /another/);
});
