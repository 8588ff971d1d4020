import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { version } from '../../packages/server/src/base/version.ts';
import { migrations } from '../../packages/server/src/platform/records/migrations/index.ts';
import { frozenSteps, releases } from './frozen/release.ts';
import { stepsOf } from './frozen/steps.ts';

const present = await stepsOf();

for (const release of releases) {
  const then = frozenSteps(release);

  test(`a migration of ${release} still runs the statements that it ran`, () => {
    for (const store of ['sqlite', 'postgres'] as const)
      for (const [name, digest] of Object.entries(then[store]))
        assert.equal(present[store][name], digest, `${name} on ${store} was edited: add a migration instead`);
  });

  test(`a migration after ${release} has a name that sorts after all of its names`, () => {
    const last = Object.keys(then.sqlite).sort().at(-1) ?? '';
    const later = Object.keys(migrations).filter((name) => !Object.hasOwn(then.sqlite, name));
    assert.deepEqual(
      later.filter((name) => name <= last),
      [],
    );
  });
}

test('an edited statement changes the digest of its migration alone', async () => {
  const up: (typeof migrations)[string]['up'] = async (db) =>
    db.schema.createTable('edited').addColumn('id', 'text').execute();
  const edited = await stepsOf({ ...migrations, '0002-own-tables': { up } });
  for (const store of ['sqlite', 'postgres'] as const) {
    const names = Object.keys(present[store]).filter((name) => present[store][name] !== edited[store][name]);
    assert.deepEqual(names, ['0002-own-tables']);
  }
});

test('every version that the changelog dates has a frozen data folder, and no other has', () => {
  const changelog = readFileSync(join(import.meta.dirname, '../../CHANGELOG.md'), 'utf8');
  const dated = [...changelog.matchAll(/^## (\d+\.\d+\.\d+) \(\d{4}-\d\d-\d\d\)$/gm)].map(([, name]) => name);
  assert.deepEqual([...dated].reverse(), releases);
  assert.ok(changelog.includes(`\n## ${version} (`), 'the version has a section, dated or unreleased');
});
