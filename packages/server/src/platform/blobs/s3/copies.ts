import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { storageProblem } from '../durable.ts';
import type { S3Client } from './client.ts';
import { readObject } from './read.ts';

/** Writes an object into a new local file; on a failure the file is left for the caller to remove. */
export async function fetchObject(client: S3Client, object: string, path: string): Promise<void> {
  const source = await readObject(client, object);
  await pipeline(source, createWriteStream(path, { flags: 'wx', mode: 0o600 })).catch((error: unknown) => {
    throw storageProblem(error);
  });
}
