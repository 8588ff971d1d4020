import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { until } from '../../../test/support/until.ts';
import { openLog } from '../../server/src/platform/log/log.ts';
import { openEngine, workersOf } from './engine.fixture.ts';
import { openScratch } from './scratch.ts';

const silent = openLog('silent');
const linuxOnly = { skip: process.platform !== 'linux' };

const works: [string, string][] = [
  ['a long join', 'SELECT count(*) FROM range(100000000) a(i), range(100000) b(j) WHERE hash(i + j) = 1'],
  ['one long call', "SELECT length(rpad('', 100000000, 'x')), sleep_ms(100000)"],
];

for (const [what, work] of works) {
  test(
    `the processes die with a service that is killed during ${what}, and their folders go at the next start`,
    linuxOnly,
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'engine-life-'));
      const script = fileURLToPath(new URL('./life.fixture.ts', import.meta.url));
      const service = spawn(process.execPath, [script, folder, work], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await once(service.stdout, 'data');
      const pid = service.pid ?? 0;
      const workers = ['query', 'conversion', 'guard'].flatMap((kind) => workersOf(pid, kind));
      assert.ok(workers.length >= 3);
      service.kill('SIGKILL');
      await until(() => !workers.some(isRunning), 'the processes have ended');
      const left = readdirSync(join(folder, 'scratch'));
      assert.equal(left.length, 1);
      const engine = await openEngine(folder, { query: { idleWorkers: 0 } });
      assert.ok(!readdirSync(join(folder, 'scratch')).includes(left[0] ?? ''));
      await engine.close();
      assert.deepEqual(readdirSync(join(folder, 'scratch')), []);
      await rm(folder, { recursive: true });
    },
  );
}

/** Returns whether a process runs: a dead one that was not reaped runs no more, but the number stays for a moment. */
function isRunning(pid: number): boolean {
  return existsSync(`/proc/${pid}/exe`);
}

test('folders of processes that live are left alone, and so is what is not ours', async () => {
  const root = await mkdtemp(join(tmpdir(), 'engine-life-'));
  const own = await openScratch(root, silent);
  mkdirSync(join(root, 'engine-999999999-123-00000000-0000-0000-0000-000000000000'));
  mkdirSync(join(root, 'something else'));
  const next = await openScratch(root, silent);
  assert.deepEqual(
    readdirSync(root)
      .map((name) => join(root, name))
      .sort(),
    [own, next, join(root, 'something else')].sort(),
  );
  await rm(root, { recursive: true });
});

test('the folder of the processes is for its owner only, whatever the mask of the service', async () => {
  const root = await mkdtemp(join(tmpdir(), 'engine-life-'));
  const script = `import { openScratch } from ${JSON.stringify(new URL('./scratch.ts', import.meta.url))};
    process.umask(0);
    await openScratch(${JSON.stringify(join(root, 'scratch'))}, console);`;
  const service = spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: 'inherit' });
  assert.deepEqual(await once(service, 'exit'), [0, null]);
  assert.equal(statSync(join(root, 'scratch')).mode & 0o777, 0o700);
  await rm(root, { recursive: true });
});

test('folders left by another user are logged and kept, and the service starts', async () => {
  const root = await mkdtemp(join(tmpdir(), 'engine-life-'));
  const left = join(root, 'engine-999999999-123-00000000-0000-0000-0000-000000000000');
  mkdirSync(left);
  writeFileSync(join(left, 'a file'), '');
  chmodSync(root, 0o777);
  chmodSync(left, 0o500);
  const script = `import { openScratch } from ${JSON.stringify(new URL('./scratch.ts', import.meta.url))};
    if (process.getuid?.() === 0) process.seteuid(65534);
    await openScratch(${JSON.stringify(root)}, { warn: ({ folder }) => console.log(folder) });`;
  const service = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [said] = await once(service.stdout, 'data');
  assert.deepEqual(await once(service, 'exit'), [0, null]);
  assert.equal(String(said).trim(), left);
  assert.equal(readdirSync(root).length, 2);
  chmodSync(left, 0o700);
  await rm(root, { recursive: true });
});

test('a closed engine leaves no process and no folder', linuxOnly, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'engine-life-'));
  const engine = await openEngine(folder);
  await engine.ready();
  await engine.close();
  for (const kind of ['query', 'guard', 'conversion']) assert.deepEqual(workersOf(process.pid, kind), []);
  assert.deepEqual(readdirSync(join(folder, 'scratch')), []);
  await rm(folder, { recursive: true });
});
