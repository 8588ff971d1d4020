import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { packages, readManifest, root } from '../../release/build.ts';

const { version } = readManifest(root);

test('all packages have one version and depend on exactly that of each other', () => {
  for (const name of packages) {
    const manifest = readManifest(join(root, 'packages', name));
    assert.equal(manifest.version, version, manifest.name);
    for (const [other, wanted] of Object.entries(manifest.dependencies ?? {}))
      if (other.startsWith('@ploidy/')) assert.equal(wanted, version, `${manifest.name} → ${other}`);
  }
});

test('the Python package has the version of the others', () => {
  const manifest = readFileSync(join(root, 'packages/python/pyproject.toml'), 'utf8');
  assert.equal(/^version = "(.+)"$/m.exec(manifest)?.[1], version);
});

test('Compose and the chart name the image of the version', () => {
  const compose = readFileSync(join(root, 'deploy/compose.yaml'), 'utf8');
  assert.match(
    compose,
    new RegExp(`image: \\$\\{PLOIDY_IMAGE:-ploidy\\}:\\$\\{PLOIDY_VERSION:-${version}\\}$`, 'm'),
  );
  const chart = readFileSync(join(root, 'deploy/helm/Chart.yaml'), 'utf8');
  assert.match(chart, new RegExp(`^version: ${version}\nappVersion: ${version}$`, 'm'));
});

test('the changelog has a section for the version', () => {
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  assert.match(changelog, new RegExp(`^## \\[?${version.replaceAll('.', '\\.')}\\b`, 'm'));
});
