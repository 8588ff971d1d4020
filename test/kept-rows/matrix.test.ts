/** Kept rows are given while the present rows of their reader cover those of the time when they were read. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addresses } from '../isolation/catalogue.ts';
import { describeOnSqlite } from '../support/app.ts';
import { matrixTests } from './matrix.ts';
import { mayHoldRows, whole } from './routes.ts';

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
