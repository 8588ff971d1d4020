/** `bin/ploidy.js` is what everybody starts, on whatever Node there is (docs/design/adr/0001). */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { test } from 'node:test';

const launcher = join(import.meta.dirname, '../../bin/ploidy.js');
/** Imports of the launcher that Node 20 must have. A missing one fails before its first line. */
const inNode20 = ['constants', 'createRequire', 'dirname', 'fileURLToPath', 'join', 'readFileSync', 'spawn'];

test('the launcher imports at once what Node 20 has, and nothing else', () => {
  const text = readFileSync(launcher, 'utf8');
  const imported = [...text.matchAll(/^import \{([^}]+)\} from 'node:/gm)].flatMap(
    ([, names]) => names?.split(',').map((name) => name.trim()) ?? [],
  );
  assert.equal(text.match(/^import /gm)?.length, 7);
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
    assert.match(stdout, /^\d+\.\d+\.\d+(?: \(commit [0-9a-f]{12}\))?\n$/);
  }
});

test('serve prints its help and refuses unknown arguments, before a setting is read or a folder made', () => {
  const folder = join(tmpdir(), `ploidy-never-${process.pid}`);
  const env = { ...process.env, PLOIDY_DATA_DIR: folder };
  const serve = (...words: string[]) =>
    spawnSync(process.execPath, [launcher, 'serve', ...words], { encoding: 'utf8', env });
  const help = serve('--help');
  assert.deepEqual([help.status, help.stderr], [0, '']);
  assert.match(help.stdout, /^Usage: ploidy serve \[options\]\n/);
  for (const words of [['--bogus'], ['extra'], ['--port'], ['--help', 'extra']]) {
    const { status, stdout, stderr } = serve(...words);
    assert.deepEqual([status, stdout], [2, ''], words.join(' '));
    assert.match(stderr, /\nUsage: ploidy serve \[options\]\n/);
  }
  assert.equal(existsSync(folder), false);
});

test('serve takes its port and its data folder from options, and validates them as settings', () => {
  const { status, stderr } = spawnSync(process.execPath, [launcher, 'serve', '--port', 'ninety'], {
    encoding: 'utf8',
  });
  assert.equal(status, 2);
  assert.match(stderr, /PLOIDY_PORT/);
});

test('a Node package that is too old is no successor: the launcher never hands over to itself', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-launcher-'));
  try {
    const name = `node-${process.platform}-${process.arch}`;
    mkdirSync(join(folder, 'bin'));
    mkdirSync(join(folder, 'node_modules', name), { recursive: true });
    for (const file of ['ploidy.js', 'end-with-npm.js'])
      cpSync(join(launcher, '..', file), join(folder, 'bin', file));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    const manifest = { name, version: '22.0.0', bin: { node: 'bin/node' } };
    writeFileSync(join(folder, 'node_modules', name, 'package.json'), JSON.stringify(manifest));
    const older = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '22.0.0' } });`;
    const preload = `data:text/javascript,${encodeURIComponent(older)}`;
    const words = ['--import', preload, join(folder, 'bin/ploidy.js'), 'serve'];
    const { status, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8', timeout: 20_000 });
    assert.equal(status, 1);
    assert.match(stderr, /The service runs on Node 26/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
