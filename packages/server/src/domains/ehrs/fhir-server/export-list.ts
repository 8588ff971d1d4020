import { createHash } from 'node:crypto';

/**
 * Returns a digest of these files in order, by which a later run recognises the list. Excludes the query
 * strings of the addresses, which may be signed anew each time, unless only they differ.
 */
export function nameOfList(files: readonly { type: string; url: string }[]): string {
  const bare = files.map(({ url }) => String(url.split('?', 1)));
  const isBareEnough = new Set(bare).size === files.length;
  const hash = createHash('sha256');
  for (const [index, { type, url }] of files.entries())
    hash.update(`${type} ${isBareEnough ? bare[index] : url}\n`);
  return hash.digest('base64url');
}
