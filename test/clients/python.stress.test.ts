/** The Python package: its wheel, its types, and its tests, which start a service of the checkout. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { buildWheel, pythonPackages, pythonWith } from '../../release/python.ts';
import { root } from '../deploy/tools.ts';
import { missing } from './missing.ts';

const skip = await missing('python3');
const folder = mkdtempSync(join(tmpdir(), 'ploidy-python-'));
const installed = join(folder, 'installed');
const source = join(root, 'packages/python');
after(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a module of Python beside the installed wheel; fails with what it prints. */
function runs(...words: string[]): void {
  const env = { ...process.env, PYTHONPATH: installed, PYTHONDONTWRITEBYTECODE: '1' };
  const options = { cwd: source, encoding: 'utf8', env, maxBuffer: 1 << 26 } as const;
  const { status, stdout, stderr } = spawnSync(pythonWith(pythonPackages()), ['-m', ...words], options);
  assert.equal(status, 0, `${stdout}${stderr}`);
}

test('two builds of the wheel have the same bytes, and one is installed', { skip }, () => {
  const [one = '', two = ''] = ['one', 'two'].map((name) => buildWheel(join(folder, name, 'release')));
  assert.deepEqual(readFileSync(one), readFileSync(two));
  const names = execFileSync('python3', ['-m', 'zipfile', '--list', one], { encoding: 'utf8' });
  for (const name of ['ploidy/py.typed', 'licenses/LICENSE', 'METADATA'])
    assert.ok(names.includes(name), names);
  assert.doesNotMatch(names, /tests|__pycache__/);
  runs('pip', 'install', '--quiet', '--no-deps', '--no-index', '--target', installed, one);
});

test('types of the Python package are complete', { skip }, () =>
  runs('mypy', '--cache-dir', join(folder, 'types')),
);

test('tests of the Python package pass', { skip }, () => runs('pytest', '--quiet'));
