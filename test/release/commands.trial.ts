/** The demo of README on a machine that has nothing: a fresh clone, an empty home, no cache of npm. `.ci/run` runs its tests on a fresh clone. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, before, test } from 'node:test';
import { npm, root } from '../../release/build.ts';
import { blocksFor } from '../documentation/claims.ts';
import { freePort } from '../support/free-port.ts';
import { cleanEnvironment } from '../support/server.ts';

const versions = ['20.20.0', '22.23.3', '26.10.0'];
const [block] = blocksFor(import.meta.filename);
const commands = block?.code.trim().split('\n') ?? [];
let top: string;

before(() => {
  top = mkdtempSync(join(tmpdir(), 'ploidy-empty-'));
});
after(() => rmSync(top, { recursive: true, force: true, maxRetries: 5 }));

/** Answers the folder with the program `node` of a version; npm is that of this machine. */
function programs(version: string): string {
  const folder = join(top, `node-${version}`);
  npm(
    'install',
    '--prefix',
    folder,
    '--no-audit',
    '--no-fund',
    `node-${process.platform}-${process.arch}@${version}`,
  );
  return join(folder, `node_modules/node-${process.platform}-${process.arch}/bin`);
}

test('README names installation, demo and tests, and CI runs the tests', () => {
  assert.deepEqual(commands, ['npm ci && npm run demo', 'npm ci && npm test']);
  const lines = readFileSync(join(root, '.ci/run'), 'utf8').split('\n');
  for (const line of ['npm ci', 'npm test || npm test -- --failed']) assert.ok(lines.includes(line), line);
});

for (const version of versions)
  test(`the demo answers on Node ${version}, and leaves nothing outside of the checkout`, async () => {
    const folder = join(top, version);
    const [checkout, home, temporary] = ['checkout', 'home', 'temporary'].map((name) => join(folder, name));
    assert.ok(checkout && home && temporary);
    for (const made of [home, temporary]) mkdirSync(made, { recursive: true });
    execFileSync('git', ['clone', '--quiet', '--no-hardlinks', root, checkout]);
    const [demo = ''] = commands;
    const ours = Object.entries(cleanEnvironment()).filter(([name]) => !/^npm_/i.test(name));
    const env = {
      ...Object.fromEntries(ours),
      PATH: [programs(version), process.env['PATH']].join(delimiter),
      HOME: home,
      TMPDIR: temporary,
      npm_config_cache: join(home, '.npm'),
      PLOIDY_PORT: String(await freePort()),
    };
    const options = { cwd: checkout, env, encoding: 'utf8', maxBuffer: 1 << 26 } as const;
    const { status, stdout, stderr } = spawnSync('bash', ['-c', `${demo} -- --once`], options);
    assert.equal(status, 0, `${stdout}${stderr}`);
    assert.match(stdout, /^From nothing to the answer: [\d.]+ s\.$/m);
    assert.deepEqual(readdirSync(home), ['.npm'], 'only the cache of npm is new in the home');
    // npm keeps its compiled code there, from Node 22 on.
    const left = readdirSync(temporary).filter((name) => name !== 'node-compile-cache');
    assert.deepEqual(left, [], 'no temporary file is left');
    const changed = execFileSync('git', ['status', '--porcelain'], { cwd: checkout, encoding: 'utf8' });
    assert.equal(changed, '', 'the checkout has no file that git does not ignore');
    assert.ok(!processes().some((line) => line.includes(folder)), 'no process is left');
  });

/** Command lines of all processes of this machine. */
function processes(): string[] {
  return globSync('/proc/[0-9]*/cmdline').flatMap((file) => {
    try {
      return [readFileSync(file, 'utf8')];
    } catch {
      // The process has ended meanwhile.
      return [];
    }
  });
}
