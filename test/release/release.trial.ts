import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { npm, readManifest } from '../../release/build.ts';
import { type Bill, bundled, licenceOf } from '../../release/materials.ts';
import { copyForService, filesOf } from '../../release/pack.ts';
import { type Folder, packed } from './installed.ts';

let made: Folder;
let release: string;
before(() => {
  made = packed();
  release = made.folder;
});
after(() => made.remove());

test('every file of a release has its SHA-256 in the list of checksums', () => {
  const lines = readFileSync(join(release, 'SHA256SUMS'), 'utf8').trimEnd().split('\n');
  const sums = lines.map((line) => line.split('  ')[1]);
  const names = filesOf(release).filter((name) => name !== 'SHA256SUMS');
  assert.deepEqual(sums.toSorted(), names.toSorted());
  for (const line of lines) {
    const [sum, name = ''] = line.split('  ');
    const digest = createHash('sha256').update(readFileSync(join(release, name)));
    assert.equal(digest.digest('hex'), sum, name);
  }
});

// asvs: 15.1.2
test('a locked installation brings only what the bill of materials lists, under permissive licences', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-locked-'));
  try {
    copyForService(release, folder);
    npm('ci', '--omit=dev', '--ignore-scripts', '--prefix', folder);
    const bill = JSON.parse(readFileSync(join(folder, 'sbom.cdx.json'), 'utf8')) as Bill;
    const listed = new Set(
      bill.components.map(({ name, version }) => `${name.replace(/^@ploidy\//, '')}@${version}`),
    );
    const manifests = globSync('node_modules/**/package.json', { cwd: folder }).filter((path) =>
      /node_modules\/(?:@[^/]+\/)?[^/]+\/package\.json$/.test(path),
    );
    assert.ok(manifests.length > 80);
    for (const path of manifests) {
      const { name, version } = readManifest(join(folder, dirname(path)));
      assert.ok(listed.has(`${name.replace(/^@ploidy\//, '')}@${version}`), `${name}@${version}`);
    }
    const permissive =
      /^(?:\(?(?:MIT|MIT-0|Apache-2\.0|ISC|BSD-[23]-Clause|0BSD|BlueOak-1\.0\.0|Unlicense|CC0-1\.0|Python-2\.0|MPL-2\.0)(?: (?:AND|OR) |\)?$)?)+$/;
    for (const component of bill.components)
      assert.match(licenceOf(component), permissive, `${component.name}@${component.version}`);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
});

test('code that the console bundles is in the bill of materials, and its licence in the list', () => {
  const bill = JSON.parse(readFileSync(join(release, 'sbom.cdx.json'), 'utf8')) as Bill;
  const listed = new Set(bill.components.map(({ name, version }) => `${name}@${version}`));
  const licences = readFileSync(join(release, 'LICENSES.txt'), 'utf8');
  assert.ok(bundled().some(({ name }) => name === 'react'));
  for (const { name, version, identifier, text } of bundled()) {
    assert.ok(listed.has(`${name}@${version}`), `${name}@${version}`);
    assert.ok(licences.includes(`${name}@${version}  ${identifier}\n`), name);
    assert.ok(licences.includes(text?.trim() ?? ''), name);
  }
});

test('no file of a release names a folder of the machine that packed it', () => {
  for (const name of ['sbom.cdx.json', 'package-lock.json', 'LICENSES.txt'])
    assert.ok(!readFileSync(join(release, name), 'utf8').includes(dirname(release)), name);
});
