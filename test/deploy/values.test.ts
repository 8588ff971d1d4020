/** The schema of the chart's values: of what the templates read and values.yaml names, and of nothing else. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { root } from '../../release/build.ts';

interface Schema {
  properties?: Record<string, Schema>;
}

const chart = join(root, 'deploy/helm');
const schema = JSON.parse(readFileSync(join(chart, 'values.schema.json'), 'utf8')) as Schema;
const values: Record<string, object> = parse(readFileSync(join(chart, 'values.yaml'), 'utf8'));
const isValid = new Ajv({ strict: false }).compile(schema);

/** Paths of a tree of values, such as `image.tag`; of empty objects and lists, that of themselves. */
function pathsOf(tree: Record<string, unknown>, before = ''): string[] {
  return Object.entries(tree).flatMap(([name, value]) => {
    const path = `${before}${name}`;
    const isTree = value instanceof Object && !Array.isArray(value) && Object.keys(value).length > 0;
    return isTree ? [path, ...pathsOf({ ...value }, `${path}.`)] : [path];
  });
}

const described = (path: string): boolean => {
  let at: Schema | undefined = schema;
  for (const name of path.split('.')) {
    // Names below are those of the operator.
    if (at?.properties === undefined) return at !== undefined;
    at = at.properties[name];
  }
  return at !== undefined;
};

test('the values of the chart satisfy its schema, which describes each of them', () => {
  assert.ok(isValid(values), JSON.stringify(isValid.errors));
  assert.deepEqual(
    pathsOf(values).filter((path) => !described(path)),
    [],
  );
  const named = new Set(Object.keys(values));
  // Helm passes `global` to every chart.
  assert.deepEqual(
    Object.keys(schema.properties ?? {}).filter((name) => !named.has(name)),
    ['global'],
  );
});

test('the schema describes every value that a template reads, and values.yaml has it', () => {
  const paths = new Set(pathsOf(values));
  const read = globSync('templates/*', { cwd: chart }).flatMap((file) =>
    [...readFileSync(join(chart, file), 'utf8').matchAll(/\.Values\.(\w+(?:\.\w+)*)/g)].map(
      ([, path = '']) => path,
    ),
  );
  assert.ok(read.length > 20);
  assert.deepEqual(
    [...new Set(read)].filter((path) => !described(path) || !paths.has(path)),
    [],
  );
});

test('a mistyped or impossible value is refused', () => {
  for (const [name, value] of [
    ['replica', 2],
    ['replicas', 0],
    ['image', { repo: 'x' }],
    ['publicUrl', 'ploidy.example.org'],
    ['settings', { queries_max: '4' }],
    ['backup', { enabled: true, keep: 0 }],
    ['workers', { convert: { replicas: 4 } }],
  ] as const)
    assert.equal(isValid({ ...values, [name]: value }), false, name);
  assert.equal(isValid({ ...values, workers: { convert: { replicas: 4, roles: 'ingest' } } }), true);
});
