/** `bin/ploidy.js` is what everybody starts, on whatever Node there is (docs/adr/0001). */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { test } from 'node:test';

const launcher = join(import.meta.dirname, '../../bin/ploidy.js');
/** What the launcher takes from Node 20. An import that is missing there ends it before its first line. */
const inNode20 = ['constants', 'dirname', 'existsSync', 'fileURLToPath', 'join', 'spawn'];

test('the launcher imports at once what Node 20 has, and nothing else', () => {
  const text = readFileSync(launcher, 'utf8');
  const imported = [...text.matchAll(/^import \{([^}]+)\} from 'node:/gm)].flatMap(
    ([, names]) => names?.split(',').map((name) => name.trim()) ?? [],
  );
  assert.equal(text.match(/^import /gm)?.length, 5);
  assert.deepEqual(imported.sort(), inNode20);
});

test('each older Node on this machine hands over to the one that was installed with the project', () => {
  const folders = [
    ...new Set([...(process.env['PATH'] ?? '').split(delimiter), '/usr/bin', '/usr/local/bin']),
  ];
  for (const node of folders.map((folder) => join(folder, 'node')).filter((path) => existsSync(path))) {
    const major = Number(execFileSync(node, ['--version'], { encoding: 'utf8' }).slice(1).split('.')[0]);
    if (major < 20) continue;
    const { status, stdout, stderr } = spawnSync(node, [launcher, '--version'], { encoding: 'utf8' });
    assert.deepEqual({ node, status, stderr }, { node, status: 0, stderr: '' });
    assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
  }
});
