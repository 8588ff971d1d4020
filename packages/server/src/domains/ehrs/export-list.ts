import { createHash } from 'node:crypto';

/**
 * A name for these files in this order, by which a run that goes on knows the list of the one before. Without the queries of their
 * addresses, which a system may sign anew each time, where the rest tells no two files apart.
 */
export function nameOfList(files: readonly { type: string; url: string }[]): string {
  const bare = files.map(({ url }) => String(url.split('?', 1)));
  const isBareEnough = new Set(bare).size === files.length;
  const hash = createHash('sha256');
  for (const [index, { type, url }] of files.entries())
    hash.update(`${type} ${isBareEnough ? bare[index] : url}\n`);
  return hash.digest('base64url');
}
