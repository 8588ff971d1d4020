import { buffer } from 'node:stream/consumers';
import { type Body, bytesBody } from './body.ts';
import type { S3Client, S3Object } from './client.ts';
import { type Began, copyPieces, type Piece, partBytesMin, type Range, writeParts } from './write.ts';

/**
 * Joins objects into one, in their order. Bytes are copied within the store. Only those of too small a part for S3 pass through
 * this process, at most 10 MiB each. An object that has changed is an `S3Error` 412.
 */
export async function joinObjects(
  client: S3Client,
  target: string,
  objects: Pick<S3Object, 'key' | 'size' | 'etag'>[],
  began: Began,
): Promise<void> {
  const pieces = joinPieces(objects, (ranges) => gather(client, ranges));
  const [first] = pieces;
  if (first === undefined) return client.put(target, bytesBody(''));
  if (pieces.length === 1 && 'body' in first) return client.put(target, await first.body());
  await writeParts(client, target, pieces, { began });
}

/** Returns the parts of the joined object: each is large enough for S3, but for the last. */
export function joinPieces(
  objects: Pick<S3Object, 'key' | 'size' | 'etag'>[],
  gathered: (ranges: Range[]) => Promise<Body>,
): Piece[] {
  const pieces: Piece[] = [];
  let small: Range[] = [];
  let smallBytes = 0;
  const addSmall = (range: Range): void => {
    small.push(range);
    smallBytes += range.end - range.start;
  };
  const endSmall = (): void => {
    const ranges = small;
    if (ranges.length > 0) pieces.push({ body: () => gathered(ranges) });
    small = [];
    smallBytes = 0;
  };
  for (const { key, size, etag } of objects) {
    if (size === 0) continue;
    let start = 0;
    if (smallBytes > 0) {
      const wanted = partBytesMin - smallBytes;
      start = size - wanted < partBytesMin ? size : wanted;
      addSmall({ key, etag, start: 0, end: start });
      if (smallBytes >= partBytesMin) endSmall();
    }
    const rest = { key, etag, start, end: size };
    if (size - start >= partBytesMin) pieces.push(...copyPieces(rest));
    else if (size > start) addSmall(rest);
  }
  endSmall();
  return pieces;
}

async function gather(client: S3Client, ranges: Range[]): Promise<Body> {
  const parts: Buffer[] = [];
  for (const { key, etag, start, end } of ranges) {
    parts.push(await buffer((await client.get(key, { start, end }, etag)).bytes));
  }
  return bytesBody(Buffer.concat(parts));
}
