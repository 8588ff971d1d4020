import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Blobs } from './blobs.ts';

/** Writes a few bytes, reads them back and removes them. */
export async function writeAndRead(blobs: Pick<Blobs, 'put' | 'open' | 'remove'>): Promise<void> {
  const bytes = Buffer.from('ready?');
  const { key } = await blobs.put(Readable.from([bytes]));
  const read = await buffer(await blobs.open(key));
  await blobs.remove(key);
  if (!read.equals(bytes)) throw new Error('The storage gave back other bytes than it took.');
}
