/** Images of a release run as engines run them: unpacked, read-only, as their user, with their own entry point and settings. */
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { commitOf } from '../../packages/cli/src/build.ts';
import { readManifest, root } from '../../release/build.ts';
import { type Architecture, architectures } from '../../release/image/debian.ts';
import { imageName, writeImages } from '../../release/image/image.ts';
import { runDemo } from '../../samples/demo/job.ts';
import { until } from '../support/until.ts';
import { type Folder, packed } from './installed.ts';

const skip =
  process.getuid?.() === 0 && process.platform === 'linux' ? false : 'Only root enters another root folder.';
const emulator = '/usr/bin/qemu-aarch64-static';
const { version } = readManifest(root);
const user = 10001;

interface Config {
  User: string;
  Env: string[];
  Entrypoint: string[];
  Cmd: string[];
  Healthcheck: { Test: string[] };
  Labels: Record<string, string>;
}

interface Unpacked {
  /** Root folder of the image. */
  top: string;
  config: Config;
}

let made: Folder;
let folder: string;
let unpacked: Record<Architecture, Unpacked>;
before(async () => {
  if (skip) return;
  folder = mkdtempSync(join(tmpdir(), 'ploidy-images-'));
  made = packed();
  if (!existsSync(join(made.folder, imageName()))) await writeImages(made.folder);
  unpacked = { amd64: unpack('amd64'), arm64: unpack('arm64') };
});
after(() => {
  made?.remove();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

/** Unpacks an image as `docker load` reads it. */
function unpack(architecture: Architecture): Unpacked {
  const layout = join(folder, `layout-${architecture}`);
  const top = join(folder, architecture);
  for (const place of [layout, top]) mkdirSync(place);
  execFileSync('tar', [
    '--extract',
    '--file',
    join(made.folder, imageName(architecture)),
    '--directory',
    layout,
  ]);
  const [{ Config: path, Layers: layers, RepoTags: tags }] = JSON.parse(
    readFileSync(join(layout, 'manifest.json'), 'utf8'),
  );
  assert.deepEqual(tags, [`ploidy:${version}`]);
  for (const layer of layers)
    execFileSync('tar', [
      '--extract',
      '--gzip',
      '--same-owner',
      '--file',
      join(layout, layer),
      '--directory',
      top,
    ]);
  return { top, config: JSON.parse(readFileSync(join(layout, path), 'utf8')).config };
}

/** Words that run a program in a root folder: read-only but for `/data` and `/tmp`. The process stays the same one. */
function entered(top: string, { User }: Config): string[] {
  const steps = [
    `mount --bind ${top} ${top}`,
    `mount -t tmpfs tmp ${top}/tmp`,
    `mount --bind ${top}/data ${top}/data`,
    `mount --rbind /proc ${top}/proc`,
    `mount --rbind /dev ${top}/dev`,
    `mount -o remount,bind,ro ${top}`,
    `exec chroot --userspec=${User} ${top} "$@"`,
  ];
  return ['--mount', 'sh', '-c', steps.join(' && '), 'sh'];
}

const environment = (config: Config, more: string[] = []): string[] => [
  '/usr/bin/env',
  '-i',
  ...config.Env,
  ...more,
];

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  assert.ok(address instanceof Object);
  return address.port;
}

/** Resolves with the address that the service prints; rejects with its log when it ends before. */
function printedAddress(child: ChildProcess): Promise<string> {
  const { stdout, stderr } = child;
  assert.ok(stdout && stderr);
  let log = '';
  stderr.on('data', (text) => (log += text));
  return new Promise((resolve, reject) => {
    const lines = createInterface({ input: stdout });
    lines.on('line', (line) => {
      const [, address] = /^Ploidy listens on (\S+)/.exec(line) ?? [];
      if (address !== undefined) resolve(address);
    });
    lines.once('close', () => reject(new Error(log)));
  });
}

test('the service of the image for amd64 does the main job, is healthy, and stops', { skip }, async () => {
  const { top, config } = unpacked.amd64;
  assert.equal(config.User, `${user}:${user}`);
  assert.deepEqual(
    [config.Labels['org.opencontainers.image.version'], config.Labels['org.opencontainers.image.revision']],
    [version, commitOf(root).commit],
  );
  const probes = `PLOIDY_PROBES_PORT=${await freePort()}`;
  const own = environment(config, ['PLOIDY_HOST=127.0.0.1', 'PLOIDY_PORT=0', probes]);
  const words = [...entered(top, config), ...own, ...config.Entrypoint, ...config.Cmd];
  const child = spawn('unshare', words, { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'exit');
  try {
    const baseUrl = await printedAddress(child);
    await until(async () => (await fetch(`${baseUrl}/readyz`)).ok, 'it is ready');
    const { apiKey, account } = JSON.parse(readFileSync(join(top, 'data/first-run.json'), 'utf8'));
    await runDemo({ address: baseUrl, apiKey, account });
    const health = ['/usr/bin/env', '-i', ...config.Env, probes, ...config.Healthcheck.Test.slice(1)];
    assert.equal(spawnSync('/usr/sbin/chroot', [top, ...health]).status, 0, 'the health check succeeds');
    const audit = ['/usr/bin/env', '-i', ...config.Env, 'ploidy', 'admin', 'verify-audit'];
    const { status, stdout, stderr } = spawnSync('unshare', [...entered(top, config), ...audit], {
      encoding: 'utf8',
    });
    assert.equal(status, 0, stdout + stderr);
  } finally {
    child.kill('SIGTERM');
  }
  assert.deepEqual(await ended, [0, null]);
});

for (const architecture of architectures) {
  const isForeign = architecture === 'arm64' && process.arch !== 'arm64';
  const lacking =
    isForeign && !existsSync(emulator) ? `There is no ${emulator}: apt-get install qemu-user-static.` : false;
  test(`the image for ${architecture} names its version, and has the programs that the chart runs`, {
    skip: skip || lacking,
  }, () => {
    const { top, config } = unpacked[architecture];
    if (isForeign) copyFileSync(emulator, join(top, 'emulator'));
    const enter = (...words: string[]): string =>
      execFileSync('/usr/sbin/chroot', [top, ...(isForeign ? ['/emulator'] : []), ...words], {
        encoding: 'utf8',
        env: {},
      });
    const commit = commitOf(root).commit?.slice(0, 12) ?? '';
    assert.ok(enter(...config.Entrypoint, '--version').startsWith(`${version} (commit ${commit} of `));
    enter('/usr/bin/install', '--mode=600', '/etc/passwd', '/data/master.key');
    assert.equal(statSync(join(top, 'data/master.key')).mode & 0o777, 0o600);
    assert.match(enter('/bin/cat', '/data/master.key'), /^ploidy:x:10001:10001:/m);
  });
}
