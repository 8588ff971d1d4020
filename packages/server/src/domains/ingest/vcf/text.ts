import { execFile } from 'node:child_process';
import { constants, createReadStream, createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGunzip } from 'node:zlib';
import { brokenCompression } from './beginning.ts';

/** The text of a source where the engine can read it. */
export interface Text {
  path: string;
  /** Bytes of the source that were read so far; undefined when the engine reads the source itself. */
  bytesRead: (() => number) | undefined;
  /** Settles when all was handed over; rejects with `InputError` when the source is broken. */
  handedOver: Promise<void>;
  /** Ends it when nobody reads any more. */
  stop(): Promise<void>;
}

export interface TextSource {
  path: string;
  compressed: boolean;
  /** A step between the inflated text and the engine. */
  step?: Transform;
}

/**
 * A plain source is read by the engine itself, on all its threads. Everything else goes through a named pipe, so that no copy is ever
 * on disk, and through our inflater: the engine's takes a truncated or damaged gzip for a complete one (docs/formats/vcf.md).
 * Where there are no named pipes (Windows) it goes through a temporary file in `folder`.
 */
export async function openText(source: TextSource, folder: string): Promise<Text> {
  if (!source.compressed && !source.step) {
    return { path: source.path, bytesRead: undefined, handedOver: Promise.resolve(), stop: async () => {} };
  }
  const path = join(folder, `records-${source.step ? 'checked' : 'inflated'}.vcf`);
  const isPipe = await makePipe(path);
  const file = createReadStream(source.path, { highWaterMark: 1 << 18 });
  const steps = [
    ...(source.compressed ? [createGunzip({ chunkSize: 1 << 20 })] : []),
    ...(source.step ? [source.step] : []),
  ];
  const ending = new AbortController();
  const writing = pipeline([file, ...steps, createWriteStream(path, { highWaterMark: 4 << 20 })], {
    signal: ending.signal,
  }).catch((error: unknown) => {
    throw brokenCompression(error);
  });
  // It is awaited by whoever runs the statement; until then a rejection is not unhandled.
  writing.catch(() => undefined);
  if (!isPipe) await writing;
  return {
    path,
    bytesRead: () => file.bytesRead,
    handedOver: writing,
    stop: async () => {
      ending.abort();
      if (isPipe) await releaseWriter(path, writing);
    },
  };
}

async function makePipe(path: string): Promise<boolean> {
  if (process.platform === 'win32') return false;
  try {
    await promisify(execFile)('mkfifo', ['-m', '600', path]);
    return true;
  } catch {
    return false; // A file system without pipes: the text goes through a file then.
  }
}

/**
 * Opening a pipe for writing waits for a reader, which the engine may never have become; this one is it for a moment. It closes at
 * once, so that a write that waits for room ends too.
 */
async function releaseWriter(path: string, writing: Promise<void>): Promise<void> {
  let isDone = false;
  const done = (): void => {
    isDone = true;
  };
  writing.then(done, done);
  while (!isDone) {
    const reader = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    await reader.close();
  }
}
