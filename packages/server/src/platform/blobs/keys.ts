import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { notFound } from '../../base/problem.ts';

const keyShape = /^[0-9a-f]{32}$/;
const scratchShape = /^[0-9a-f]{32}(\.[a-z0-9]{1,16})?$/;

/** Returns a new key: 128 random bits in hex. */
export function newKey(): string {
  return randomBytes(16).toString('hex');
}

export function isKey(name: string): boolean {
  return keyShape.test(name);
}

/** True for a name that `scratchPath` may have given. */
export function isScratchName(name: string): boolean {
  return scratchShape.test(name);
}

/** Builds the path of a blob below `folder`, as `ab/abcd…`. Checks the key first: nothing else ever becomes a path. */
export function keyPath(folder: string, key: string): string {
  if (!isKey(key)) throw notFound();
  return join(folder, key.slice(0, 2), key);
}

/** An object of a bucket that is not ours, as bytes of a file. Another ETag is another blob, as blobs never change. */
export interface Placed {
  bucketId: string;
  /** Key in the bucket, after the prefix that was connected. */
  object: string;
  etag: string;
}

const placedStart = 'at/';
const encoded = (text: string): string => Buffer.from(text).toString('base64url');
const decoded = (text = ''): string => Buffer.from(text, 'base64url').toString();

/** Begins the keys of the objects of a bucket, or of all versions of one of them. */
export function placedPrefix(bucketId: string, object?: string): string {
  return `${placedStart}${bucketId}/${object === undefined ? '' : `${encoded(object)}/`}`;
}

/** Builds the key of a blob whose bytes are in a bucket that is not ours. It names them all: no row is needed to read it. */
export function placedKey({ bucketId, object, etag }: Placed): string {
  return placedPrefix(bucketId, object) + encoded(etag);
}

export function isPlaced(key: string): boolean {
  return key.startsWith(placedStart);
}

/** Reads such a key. */
export function placedOf(key: string): Placed {
  const [bucketId = '', object, etag] = key.slice(placedStart.length).split('/');
  return { bucketId, object: decoded(object), etag: decoded(etag) };
}
