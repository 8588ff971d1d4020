import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import type { Joined, JoinTask } from './join-files.ts';

/** Read, hashed and written at a time. */
const pieceBytes = 1024 * 1024;

/** Joins files in a thread of its own: it copies and hashes without pause, which on the event loop would keep every request waiting. */
function join({ paths, target, md5 }: JoinTask): Joined {
  const sha256 = createHash('sha256');
  const hashes = md5 ? [sha256, createHash('md5')] : [sha256];
  const piece = Buffer.allocUnsafe(pieceBytes);
  const output = openSync(target, 'wx', 0o600);
  let size = 0;
  try {
    for (const path of paths) {
      const input = openSync(path, 'r');
      try {
        for (let bytes = readSync(input, piece); bytes > 0; bytes = readSync(input, piece)) {
          const read = piece.subarray(0, bytes);
          for (const hash of hashes) hash.update(read);
          writeAll(output, read);
          size += bytes;
        }
      } finally {
        closeSync(input);
      }
    }
    fsyncSync(output);
  } finally {
    closeSync(output);
  }
  const [hex = '', base64] = hashes.map((hash, index) => hash.digest(index === 0 ? 'hex' : 'base64'));
  return { size, sha256: hex, md5: base64 };
}

/** Writes all bytes; one write may accept fewer than it was given. */
function writeAll(file: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
}

parentPort?.postMessage(join(workerData as JoinTask));
