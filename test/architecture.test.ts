/** Architecture tests: permitted imports, places of drivers and settings, sizes of files. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cycles, wrongArrows } from './architecture/arrows.ts';
import { unheldWaits } from './architecture/held-requests.ts';
import { unboundedReads } from './architecture/main-thread.ts';
import {
  foreignDrivers,
  impurities,
  loadedDrivers,
  longFiles,
  strayEnvironment,
  vagueNames,
} from './architecture/rules.ts';
import { readSource, type SourceFile, sourceFile } from './architecture/source.ts';
import { deadOperations, unusedExports } from './architecture/unused.ts';

type Check = (files: readonly SourceFile[]) => string[];

const rules: [string, Check][] = [
  ['imports follow the arrows of the house: packages, rooms, areas of the domains', wrongArrows],
  ['neither domains nor files import each other in circles', cycles],
  ['only the platform imports drivers, and neither it nor domains the web framework', foreignDrivers],
  ['domains and http load nothing of the platform that does I/O', loadedDrivers],
  ['the main thread reads no bytes of files without a bound', unboundedReads],
  ['a request that waits is held outside of the requests at work', unheldWaits],
  ['policy, statistics and formats are pure', impurities],
  ['no file or folder has a vague name', vagueNames],
  ['no file is longer than 300 lines', longFiles],
  ['settings are read in one place', strayEnvironment],
  ['every operation is asked by some code', deadOperations],
  ['what a package exports is imported by another file', unusedExports],
];

const house = readSource();

test('the source of the house is found', () => {
  const imports = house.flatMap((file) => file.imports);
  assert.ok(house.length > 30);
  assert.ok(imports.length > house.length);
});

for (const [name, check] of rules) {
  test(name, () => assert.deepEqual(check(house), []));
}

const src = 'packages/server/src';

/** Returns the paths that a rule blames in a house of these files. */
function blamed(check: Check, files: Record<string, string>): string[] {
  const found = check(Object.entries(files).map(([path, text]) => sourceFile(path, text)));
  return found.map((problem) => problem.split(' ')[0] ?? '');
}

test('an import that points back, or past a door, is found in every way of writing it', () => {
  const wrong: Record<string, string> = {
    [`${src}/platform/records/a.ts`]: "import type { A } from '../../domains/files/index.ts';",
    [`${src}/platform/blobs/b.ts`]: "export * from '../../http/server.ts';",
    [`${src}/domains/files/c.ts`]: "import {\n  type C,\n  c,\n} from './projects/projects.ts';",
    [`${src}/domains/files/d.ts`]: "const d = await import('../../http/server.ts');",
    [`${src}/http/e.ts`]: "import '../app/app.ts';",
    [`${src}/http/f.ts`]: "import f from '../domains/files/files.ts';",
    [`${src}/domains/files/g.ts`]: "import type { G } from '../../app/core.ts';",
    [`${src}/domains/files/h.ts`]: "import type { H } from '../lake/index.ts';",
    [`${src}/base/i.ts`]: "import type { I } from '../access/caller.ts';",
    [`${src}/rooms/j.ts`]: "import { page } from '../api/paging.ts';",
    [`${src}/app/k.ts`]: "export type { K } from '../main.ts';",
    'packages/policy/src/l.ts': "import { l } from '@ploidy/formats';",
    'packages/engine/src/m.ts': "import { m } from '@ploidy/converters';",
    'packages/cli/src/n.ts': "import { n } from '../../server/src/app/app.ts';",
    [`${src}/domains/lake/o.ts`]: "import { o } from '../../../../../test/support/until.ts';",
    'packages/console/src/pages/sql/p.tsx': "import { p } from '../people/p.ts';",
    'packages/console/src/shell/q.tsx': "import { q } from '../pages/sql/q.ts';",
    'packages/console/src/api/r.ts': "import { R } from '../table/r.tsx';",
  };
  const doors = { [`${src}/domains/files/index.ts`]: '', [`${src}/domains/files/projects/index.ts`]: '' };
  assert.deepEqual(blamed(wrongArrows, { ...wrong, ...doors }), Object.keys(wrong));
});

test('allowed imports are not reported', () => {
  const right: Record<string, string> = {
    [`${src}/main.ts`]: "import { app } from './app/app.ts';",
    [`${src}/app/app.ts`]:
      "import { a } from '../http/server.ts';\nimport { b } from '../platform/records/index.ts';",
    [`${src}/domains/lake/a.ts`]:
      "import { a } from '../files/projects/index.ts';\nimport { p } from '@ploidy/policy';",
    [`${src}/domains/files/b.ts`]:
      "// import { x } from '../../http/server.ts';\nconst url = 'https://example.org//x';",
    [`${src}/domains/files/c.test.ts`]: "import { x } from '../../http/server.ts';",
    [`${src}/domains/files/uploads/d.ts`]: "import { x } from '../files.ts';",
    [`${src}/domains/files/projects/index.ts`]: "import { p } from '@ploidy/engine';",
    [`${src}/api/paging.ts`]: "import type { Secrets } from '../platform/secrets/secrets.ts';",
    [`${src}/http/f.ts`]: "import { page } from '../api/paging.ts';",
    'packages/console/src/router.tsx': "import { P } from './pages/sql/Sql.tsx';",
    'packages/console/src/pages/sql/g.tsx':
      "import { G } from './Sql.tsx';\nimport { A } from '../../api/a.ts';",
    'packages/cli/src/e.ts': "import { client } from '@ploidy/client';",
  };
  for (const [, check] of rules) assert.deepEqual(blamed(check, right), []);
});

test('circles are found: of domains also through types, of files at run time', () => {
  const domains = {
    [`${src}/domains/a/index.ts`]: "import type { B } from '../b/index.ts';",
    [`${src}/domains/b/b.ts`]: "import type { C } from '../c/index.ts';",
    [`${src}/domains/c/c.ts`]: "import type { A } from '../a/index.ts';",
  };
  assert.match(
    cycles(Object.entries(domains).map(([path, text]) => sourceFile(path, text))).join(),
    /a → b → c → a/,
  );
  const files = {
    'packages/formats/src/a.ts': "import './b.ts';",
    'packages/formats/src/b.ts': "export * from './a.ts';",
  };
  assert.equal(blamed(cycles, files).length, 1);
});

test('drivers, impurities, vague names, long files and stray settings are found', () => {
  const wrong: [Check, string, string][] = [
    [foreignDrivers, `${src}/domains/lake/a.ts`, "import { DuckDBInstance } from '@duckdb/node-api';"],
    [foreignDrivers, `${src}/domains/lake/b.ts`, "import type { Pool } from 'pg';"],
    [foreignDrivers, `${src}/domains/lake/c.ts`, "import type { FastifyRequest } from 'fastify';"],
    [impurities, 'packages/formats/src/d.ts', "import { readFile } from 'node:fs/promises';"],
    [impurities, 'packages/policy/src/e.ts', 'export const now = Date.now();'],
    [impurities, 'packages/policy/src/f.ts', 'const glob = `/v1/*`;\nexport const now = new Date();\n/* */'],
    [vagueNames, 'packages/formats/src/vcf-utils.ts', ''],
    [vagueNames, `${src}/helpers/f.ts`, ''],
    [longFiles, 'bench/g.ts', 'x\n'.repeat(301)],
    [strayEnvironment, `${src}/http/h.ts`, "const h = process.env['H'];"],
    [strayEnvironment, 'packages/cli/src/i.ts', "import { argv, env } from 'node:process';"],
  ];
  for (const [check, path, text] of wrong) assert.deepEqual(blamed(check, { [path]: text }), [path]);
  const loads = {
    [`${src}/domains/lake/j.ts`]: "import { open } from '../../platform/records/index.ts';",
    [`${src}/platform/records/index.ts`]: "export { open } from './open.ts';",
    [`${src}/platform/records/open.ts`]: "import { DatabaseSync } from 'node:sqlite';",
  };
  assert.deepEqual(blamed(loadedDrivers, loads), [`${src}/domains/lake/j.ts`]);
  assert.deepEqual(blamed(longFiles, { 'bench/g.ts': 'x\n'.repeat(300) }), []);
});

test('a wait of a request that is not held is found', () => {
  const waits = "import { setTimeout as delay } from 'node:timers/promises';\n";
  const files = {
    [`${src}/domains/a/held.ts`]: `${waits}handle: ({ wait }) => wait(async () => delay(1))`,
    [`${src}/domains/a/unheld.ts`]: `${waits}handle: () => delay(1)`,
    [`${src}/domains/b/unheld.ts`]: 'const changes = new ChangeWaiter(records, topic);',
    [`${src}/domains/b/turns.ts`]: "import { setImmediate as nextTurn } from 'node:timers/promises';",
  };
  assert.deepEqual(blamed(unheldWaits, files), [`${src}/domains/a/unheld.ts`, `${src}/domains/b/unheld.ts`]);
});

test('a reader of files on the main thread is found, one in a thread is not', () => {
  const files = {
    [`${src}/main.ts`]: "import './domains/a/a.ts';",
    [`${src}/domains/a/a.ts`]:
      "import type { BamHeader } from '@ploidy/formats/bam';\nimport { type Chunk, readBai } from '@ploidy/formats/binning';\nnew Worker(new URL('./thread.ts', import.meta.url));",
    [`${src}/domains/a/thread.ts`]: "import { readBamHeader } from '@ploidy/formats/bam';",
  };
  const found = unboundedReads(Object.entries(files).map(([path, text]) => sourceFile(path, text)));
  assert.equal(found.length, 1);
  assert.match(found.join(), /imports readBai/);
});

test('an operation that only its declaration and tests name is found', () => {
  const files = {
    [`${src}/access/operations.ts`]: "export const operations = {\n  'a.ask': {},\n  'a.forget': {},\n};",
    [`${src}/domains/a/routes.ts`]: "route({ operation: 'a.ask' });",
    [`${src}/domains/a/routes.test.ts`]: "may('a.forget');",
  };
  const found = deadOperations(Object.entries(files).map(([path, text]) => sourceFile(path, text)));
  assert.equal(found.length, 1);
  assert.match(found.join(), /declares a\.forget/);
});

test('an export without a user in another file is found, in any form of import', () => {
  const unused = {
    [`${src}/a.ts`]: 'export const a = 1;\nexport const twice = a + a;',
    [`${src}/b.ts`]: 'export async function* b() {}',
    [`${src}/c.ts`]: 'export abstract class C {}',
    [`${src}/own.ts`]: 'export interface Own {}\nexport const ownOf = (own: Own) => own;',
    [`${src}/alias.ts`]: 'export type Alias = 1;',
  };
  const files = {
    ...unused,
    [`${src}/index.ts`]: "export { a } from './a.ts';\nexport type { Alias } from './alias.ts';",
    'packages/policy/src/index.ts': "export { type Public } from './public.ts';",
    'packages/policy/src/public.ts': 'export interface Public {}',
    [`${src}/b.test.ts`]: "import { type Twice, twice as two } from './a.ts';",
    [`${src}/late.ts`]: 'export function late() {}',
    [`${src}/named.ts`]: 'export const named = 1;\nexport type Used = 1;',
    [`${src}/whole.ts`]: 'export const up = 1;',
    [`${src}/user.ts`]:
      "import * as whole from './whole.ts';\nif (whole) {\n  const { late } = await import('./late.ts');\n}\nrun('named');\nimport type { Used } from './named.ts';\nimport { ownOf } from './own.ts';",
  };
  assert.deepEqual(blamed(unusedExports, files), Object.keys(unused));
});
