import { execFile } from 'node:child_process';
import { constants, createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';

/** Bytes on their way to the engine. */
export interface Handing {
  /** Settles when all was handed over; rejects when a step fails. */
  handedOver: Promise<void>;
  /** Ends it when nobody reads any more. */
  stop(): Promise<void>;
}

/**
 * Hands bytes to the engine under a path: through a named pipe, so that they are never on disk. Where there are none (Windows, some file
 * systems) through a file, which is complete when this resolves.
 */
export async function handOver(path: string, source: Readable, steps: Transform[]): Promise<Handing> {
  const isPipe = await makePipe(path);
  const ending = new AbortController();
  const target = createWriteStream(path, { highWaterMark: 4 << 20 });
  const writing = pipeline([source, ...steps, target], { signal: ending.signal });
  if (!isPipe) await writing;
  return {
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
    return false; // No pipes here: the bytes go through a file.
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
