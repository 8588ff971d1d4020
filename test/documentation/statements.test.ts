/** Statements of documents and of the API document can be run on the tables of every project. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { useEngine } from '../../packages/engine/src/engine.fixture.ts';
import type { TableShape } from '../../packages/engine/src/index.ts';
import { engineTypes, tables } from '../../packages/formats/src/tables/index.ts';
import { operationExamples } from '../../packages/server/src/http/contract/operation-examples.ts';
import { demoSql } from '../../samples/expected.ts';
import { blocksFor } from './claims.ts';

const root = join(import.meta.dirname, '../..');
const opened = useEngine({ query: { idleWorkers: 0 } });

const shapes: TableShape[] = [...tables.values()].map(({ name, columns }) => ({
  name,
  columns: columns.map((column) => ({ name: column.name, type: engineTypes[column.type] })),
  rowCount: 1,
}));
/** The table that the guide to tables of one's own makes. */
const text = ['patient_id', 'sample_id', 'grade'].map((name) => ({ name, type: 'VARCHAR' }));
shapes.push({
  name: 'clinical_sample',
  columns: [...text, { name: 'tmb_nonsynonymous', type: 'DOUBLE' }],
  rowCount: 1,
});

/** SQL of blocks and of `ploidy query "…"`. */
function statementsIn(path: string): [at: string, sql: string][] {
  const document = readFileSync(join(root, path), 'utf8');
  return [...document.matchAll(/```sql\n([^`]+)```|\bploidy (?:-- )?query "([^"]+)"/g)].map((match) => [
    `${path}:${document.slice(0, match.index).split('\n').length}`,
    match[1] ?? match[2] ?? '',
  ]);
}

/** Texts of an example that select something, at any depth. */
function statementsOf(name: string, value: unknown): [at: string, sql: string][] {
  if (typeof value === 'string') return /^SELECT /.test(value) ? [[`example of ${name}`, value]] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((item) => statementsOf(name, item));
}

const documents = ['README.md', ...globSync('{docs,packages/client}/**/*.md', { cwd: root })].filter(
  (path) => !path.includes('node_modules'),
);
const statements = [
  ...documents.flatMap(statementsIn),
  ...Object.entries(operationExamples).flatMap(([name, example]) => statementsOf(name, example)),
  ['demo', demoSql] as [string, string],
];

for (const [at, sql] of statements) {
  test(`the statement at ${at} passes the guard and names tables and columns that exist`, async () => {
    const checked = await opened.engine.check(
      sql,
      shapes.map(({ name }) => name),
    );
    assert.ok(await opened.engine.bind(sql, checked.sql, shapes));
  });
}

test('documents and examples have statements', () => {
  assert.ok(statements.length > 8, String(statements.length));
  for (const { at } of blocksFor(import.meta.filename))
    assert.ok(
      statements.some(([place]) => place === at),
      at,
    );
});
