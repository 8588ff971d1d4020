/** Images of the service for Linux on amd64 and arm64, of the archives of a release: Debian's C libraries, packages of npm, and Ploidy. */
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { TarEntry } from '@ploidy/client';
import { commitOf } from '../../packages/cli/src/build.ts';
import { madeAt, npm, readManifest, root } from '../build.ts';
import { copyForService } from '../pack.ts';
import { entriesOf, fileEntry, folderEntry, textEntry } from '../tree.ts';
import { type Architecture, architectures, unpackRoot } from './debian.ts';
import { type Image, type ImageConfig, writeArchive, writeImage } from './layout.ts';

const { version, description, license } = readManifest(root);
const title = 'ploidy';
const user = 10001;
const cpus = { amd64: 'x64', arm64: 'arm64' } as const;

/** Name of the file with the image of an architecture, or of all of them for a registry. */
export const imageName = (architecture?: Architecture): string =>
  `${title}-${version}-image${architecture === undefined ? '' : `-${architecture}`}.tar`;

/** Installs the archives of a release as Linux on a processor does, once, beside it; returns the folder. */
export function installFor(cpu: 'x64' | 'arm64', release: string): string {
  const folder = join(dirname(release), `installed-${cpu}`);
  if (existsSync(join(folder, 'node_modules/.package-lock.json'))) return folder;
  rmSync(folder, { recursive: true, force: true });
  copyForService(release, folder);
  npm(
    'ci',
    '--omit=dev',
    '--ignore-scripts',
    '--os=linux',
    `--cpu=${cpu}`,
    '--libc=glibc',
    '--prefix',
    folder,
  );
  return folder;
}

/** Writes an image of each architecture, and one of both, into the folder of a release. */
export async function writeImages(release: string): Promise<void> {
  const modifiedAt = Math.floor(madeAt().getTime() / 1000);
  const blobs = join(dirname(release), 'image/blobs');
  rmSync(blobs, { recursive: true, force: true });
  const archive = (images: Image[], architecture?: Architecture) =>
    writeArchive(join(release, imageName(architecture)), blobs, images, {
      name: `${title}:${version}`,
      modifiedAt,
    });
  const images: Image[] = [];
  for (const architecture of architectures) {
    const image = await writeImage(
      blobs,
      configOf(architecture),
      layersOf(architecture, release, modifiedAt),
    );
    await archive([image], architecture);
    images.push(image);
  }
  await archive(images);
}

const service = 'opt/ploidy/node_modules/@ploidy/server/bin/ploidy.js';
const node = '/opt/ploidy/node_modules/.bin/node';
const health =
  "fetch('http://127.0.0.1:' + process.env.PLOIDY_PROBES_PORT + '/healthz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))";

function configOf(architecture: Architecture): ImageConfig {
  const created = madeAt().toISOString();
  const { commit } = commitOf(root);
  const nanoseconds = 1e9;
  const labels = { title, description, version, revision: commit, created, licenses: license };
  return {
    created,
    architecture,
    os: 'linux',
    config: {
      User: `${user}:${user}`,
      ExposedPorts: { '8080/tcp': {}, '8081/tcp': {} },
      Env: [
        'PATH=/opt/ploidy/node_modules/.bin:/usr/bin:/bin',
        'PLOIDY_DATA_DIR=/data',
        'PLOIDY_HOST=0.0.0.0',
        'PLOIDY_PORT=8080',
        'PLOIDY_PROBES_PORT=8081',
      ],
      // Node itself is the first process: it gets SIGTERM, and it reaps the processes of the engine, which have no children.
      Entrypoint: [node, `/${service}`],
      Cmd: ['serve'],
      Volumes: { '/data': {} },
      WorkingDir: '/data',
      StopSignal: 'SIGTERM',
      Healthcheck: {
        Test: ['CMD', node, '-e', health],
        Interval: 15 * nanoseconds,
        Timeout: 5 * nanoseconds,
        StartPeriod: 60 * nanoseconds,
      },
      Labels: Object.fromEntries(
        Object.entries(labels).flatMap(([name, value]) =>
          typeof value === 'string' ? [[`org.opencontainers.image.${name}`, value]] : [],
        ),
      ),
    },
  };
}

/** Parts of packages of Node that only a compiler or a reader needs. */
const isOfNodeAlone = /^node-[^/]+\/(?:include|share|CHANGELOG\.md|README\.md)(?:\/|$)/;
const isOurs = (path: string): boolean => /^@ploidy\//.test(path);

/** Returns the layers, that which changes least first. */
function layersOf(architecture: Architecture, release: string, modifiedAt: number): TarEntry[][] {
  const installed = installFor(cpus[architecture], release);
  const packages = join(installed, 'node_modules');
  const prefix = 'opt/ploidy/node_modules/';
  const others = entriesOf(packages, {
    prefix,
    modifiedAt,
    isLeftOut: (path) => isOurs(path) || isOfNodeAlone.test(path),
  });
  const ours = entriesOf(join(packages, '@ploidy'), { prefix: `${prefix}@ploidy/`, modifiedAt });
  const papers = ['LICENSES.txt', 'CHANGELOG.md', 'sbom.cdx.json'].map((name) =>
    fileEntry(`opt/ploidy/${name}`, join(release, name), modifiedAt),
  );
  const folders = [folderEntry('opt/ploidy/', modifiedAt), folderEntry(prefix, modifiedAt)];
  return [rootOf(architecture, release, modifiedAt), [...folders, ...others], [...ours, ...papers]];
}

/** Returns the lowest layer: Debian's packages, the user of the service, its data folder, and the command. */
function rootOf(architecture: Architecture, release: string, modifiedAt: number): TarEntry[] {
  const folder = join(dirname(release), `root-${architecture}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  unpackRoot(architecture, folder);
  const text = (name: string, lines: string, mode?: number) =>
    textEntry(name, `${lines}\n`, modifiedAt, mode);
  const own = [
    text('etc/passwd', `root:x:0:0:root:/root:/bin/sh\nploidy:x:${user}:${user}::/data:/bin/sh`),
    text('etc/group', `root:x:0:\nploidy:x:${user}:`),
    text('etc/nsswitch.conf', 'passwd: files\ngroup: files\nhosts: files dns'),
    text('usr/bin/ploidy', `#!/bin/sh\nexec ${node} /${service} "$@"`, 0o755),
    folderEntry('tmp/', modifiedAt, { mode: 0o1777 }),
    folderEntry('data/', modifiedAt, { mode: 0o700, owner: user }),
  ];
  const isOwn = new Set(own.map(({ name }) => name.replace(/\/$/, '')));
  return [...entriesOf(folder, { prefix: '', modifiedAt, isLeftOut: (path) => isOwn.has(path) }), ...own];
}
