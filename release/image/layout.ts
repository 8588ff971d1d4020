/** OCI images (image-spec 1.1) as one file each: blobs by their digest, which `docker load`, `podman load` and `skopeo copy` read. */
import { createHash } from 'node:crypto';
import { createWriteStream, mkdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type TarEntry, tarBytes } from '@ploidy/client';
import { fileEntry, folderEntry, textEntry } from '../tree.ts';

/** Descriptor of a blob. */
interface Blob {
  mediaType: string;
  digest: string;
  /** Bytes. */
  size: number;
}

interface Layer extends Blob {
  /** Digest of the layer before its compression. */
  diffId: string;
}

/** Configuration of an image (image-spec, config.md), without its layers. */
export interface ImageConfig {
  created: string;
  architecture: string;
  os: 'linux';
  config: { Labels: Record<string, string>; [name: string]: unknown };
}

/** Image of one platform, whose blobs are in a folder. */
export interface Image {
  manifest: Blob & { platform: { os: string; architecture: string } };
  config: Blob;
  layers: Layer[];
}

const types = {
  index: 'application/vnd.oci.image.index.v1+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar+gzip',
} as const;

/** Writes the blobs of an image of these layers, the lowest first, into a folder. */
export async function writeImage(
  blobs: string,
  about: ImageConfig,
  contents: readonly TarEntry[][],
): Promise<Image> {
  mkdirSync(blobs, { recursive: true });
  const layers: Layer[] = [];
  for (const entries of contents) layers.push(await writeLayer(blobs, entries));
  const rootfs = { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) };
  const history = layers.map(() => ({ created: about.created, created_by: 'npm run release' }));
  const config = writeJson(blobs, types.config, { ...about, rootfs, history });
  const manifest = writeJson(blobs, types.manifest, {
    schemaVersion: 2,
    mediaType: types.manifest,
    config,
    layers: layers.map(({ mediaType, digest, size }) => ({ mediaType, digest, size })),
    annotations: about.config.Labels,
  });
  const { os, architecture } = about;
  return { manifest: { ...manifest, platform: { os, architecture } }, config, layers };
}

async function writeLayer(blobs: string, entries: readonly TarEntry[]): Promise<Layer> {
  const begun = join(blobs, 'begun');
  const [before, after] = [createHash('sha256'), createHash('sha256')];
  const [source, zipped] = [Readable.from(tarBytes(entries)), createGzip()];
  source.on('data', (bytes: Uint8Array) => before.update(bytes));
  zipped.on('data', (bytes: Uint8Array) => after.update(bytes));
  await pipeline(source, zipped, createWriteStream(begun));
  const digest = after.digest('hex');
  const path = join(blobs, digest);
  renameSync(begun, path);
  const { size } = statSync(path);
  return {
    mediaType: types.layer,
    digest: `sha256:${digest}`,
    size,
    diffId: `sha256:${before.digest('hex')}`,
  };
}

function writeJson(blobs: string, mediaType: string, value: object): Blob {
  const text = JSON.stringify(value);
  const digest = createHash('sha256').update(text).digest('hex');
  writeFileSync(join(blobs, digest), text);
  return { mediaType, digest: `sha256:${digest}`, size: Buffer.byteLength(text) };
}

/**
 * Writes images of one name as a file. That of one image has the list of `docker save` as well, which engines without containerd's
 * store ask for; it cannot say which of several images is meant for a machine.
 */
export async function writeArchive(
  path: string,
  blobs: string,
  images: readonly Image[],
  { name, modifiedAt }: { name: string; modifiedAt: number },
): Promise<void> {
  const annotations = {
    'org.opencontainers.image.ref.name': name.replace(/.*:/, ''),
    'io.containerd.image.name': `docker.io/library/${name}`,
  };
  const manifests = images.map(({ manifest }) => manifest);
  const [only] = images.length === 1 ? images : [];
  const listed = only
    ? { ...only.manifest, annotations }
    : {
        ...writeJson(blobs, types.index, { schemaVersion: 2, mediaType: types.index, manifests }),
        annotations,
      };
  const index = { schemaVersion: 2, mediaType: types.index, manifests: [listed] };
  const paths = images.flatMap(({ manifest, config, layers }) => [manifest, config, ...layers]);
  const digests = new Set([listed, ...paths].map(({ digest }) => digest.replace('sha256:', '')));
  const place = (digest: string): string => `blobs/sha256/${digest.replace('sha256:', '')}`;
  const saved = only && [
    {
      Config: place(only.config.digest),
      RepoTags: [name],
      Layers: only.layers.map(({ digest }) => place(digest)),
    },
  ];
  const entries = [
    textEntry('oci-layout', '{"imageLayoutVersion":"1.0.0"}', modifiedAt),
    textEntry('index.json', JSON.stringify(index), modifiedAt),
    ...(saved ? [textEntry('manifest.json', JSON.stringify(saved), modifiedAt)] : []),
    folderEntry('blobs/', modifiedAt),
    folderEntry('blobs/sha256/', modifiedAt),
    ...[...digests].sort().map((digest) => fileEntry(place(digest), join(blobs, digest), modifiedAt)),
  ];
  await pipeline(tarBytes(entries), createWriteStream(path));
}
