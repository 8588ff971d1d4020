import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';

/** Not a blob: those stay while there is a hold, and this comes with every question. */
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
