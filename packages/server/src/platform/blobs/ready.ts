import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';

/** Scratch file instead of a blob: blobs stay while there is a hold, and every question writes one. */
export const readyName = 'ready';

/** Writes a few bytes and reads them back. */
export async function writeAndRead(
  write: (bytes: Buffer) => Promise<unknown>,
  read: () => Promise<Readable>,
): Promise<void> {
  const bytes = Buffer.from('ready?');
  await write(bytes);
  if (!(await buffer(await read())).equals(bytes))
    throw new Error('The storage gave back other bytes than it took.');
}
