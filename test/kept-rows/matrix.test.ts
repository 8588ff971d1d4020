/** Kept rows are given while the present rows of their reader cover those of the time when they were read. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathsOf } from '../../packages/server/src/api/route.ts';
import { addresses } from '../isolation/catalogue.ts';
import { describeOnSqlite } from '../support/app.ts';
import { matrixTests } from './matrix.ts';
import { classified, mayHoldRows, whole } from './routes.ts';

test('every route whose answer may hold rows is a door of the matrix, or named as one that keeps none', () => {
  const main = addresses.filter(({ name, route }) => name === `${route.method} ${pathsOf(route)[0]}`);
  const held = main.filter(({ route }) => mayHoldRows(route)).map(({ name }) => name);
  assert.deepEqual(held.sort(), [...classified].sort());
});

test('a list in pages names no results as if a right to whole files decided about them', () => {
  const isPage = ({ answers }: (typeof addresses)[number]['route']) =>
    Object.hasOwn(Object(answers[200]?.schema)['properties'] ?? {}, 'items');
  const paged = addresses.filter(({ route }) => isPage(route) && mayHoldRows(route)).map(({ name }) => name);
  assert.deepEqual(
    paged.filter((name) => whole.includes(name)),
    [],
  );
  assert.ok(paged.includes('GET /v1/files'));
});

describeOnSqlite('rows that are kept', (app) => matrixTests(app, ['mixed some']));
