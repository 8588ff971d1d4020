import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { PutOptions } from '../blobs.ts';
import { storageProblem } from '../durable.ts';
import { Receiver } from '../receive.ts';
import type { S3Client } from './client.ts';
import { readObject } from './read.ts';

/** Writes an object into a new local file; on a failure the file is left for the caller to remove. */
export async function fetchObject(client: S3Client, object: string, path: string): Promise<void> {
  const source = await readObject(client, object);
  await pipeline(source, createWriteStream(path, { flags: 'wx', mode: 0o600 })).catch((error: unknown) => {
    throw storageProblem(error);
  });
}

/** Reads an object once, as a stream, to know its size and hash, and that it is what was promised. */
export async function digestObject(
  client: S3Client,
  object: string,
  promised: PutOptions = {},
): Promise<{ size: number; sha256: string }> {
  const receiver = new Receiver(promised);
  for await (const chunk of await readObject(client, object)) receiver.take(chunk);
  return { sha256: receiver.finish(), size: receiver.size };
}
