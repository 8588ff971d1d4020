/** Where the rows of a table hold a blob. */
export interface BlobColumn {
  key: number;
  /** Absent: the row does not say. */
  size: number | undefined;
  sha256: number | undefined;
}

/**
 * Columns named `…blob_key` hold blobs, and so do those named `…_blob` with the blob's `…_size` beside them; without, they only
 * refer to one that another row holds, and that may be gone. blob-columns.test.ts holds the schema to it.
 */
export function blobColumnsOf(columns: readonly string[]): BlobColumn[] {
  const at = (name: string): number | undefined => {
    const index = columns.indexOf(name);
    return index < 0 ? undefined : index;
  };
  return columns.flatMap((column, key) => {
    const [, prefix] = /^(|.*_)blob(?:_key)?$/.exec(column) ?? [];
    if (prefix === undefined) return [];
    const size = at(`${prefix}size`);
    if (size === undefined && !column.endsWith('blob_key')) return [];
    return [{ key, size, sha256: at(`${prefix}sha256`) }];
  });
}
